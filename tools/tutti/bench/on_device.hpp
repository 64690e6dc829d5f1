// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "processes.hpp"

#include <collectives/engine/stream_executor.hpp>
#include <transport/fabrics/cuda_ipc/described.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace tutti::tools {

namespace detail {

/// Copies between the host and a GPU, over on return. For data that the host writes and checks, apart from all times.
template <transport::device_runtime Runtime>
class device_copier {
public:
    device_copier(const Runtime& device, std::chrono::nanoseconds deadline)
        : device_(device), deadline_(deadline), stream_(made_stream()), end_(device_.make_event()) {}

    void operator()(std::byte* to, const std::byte* from, std::size_t bytes) {
        device_.use();
        device_.copy(to, from, bytes, stream_);
        device_.record(end_, stream_);
        const auto until = std::chrono::steady_clock::now() + deadline_;
        while (!device_.is_done(end_)) {
            if (std::chrono::steady_clock::now() > until)
                throw transport::device_error("a copy between host and GPU has not ended within the deadline");
            std::this_thread::yield();
        }
    }

private:
    [[nodiscard]] typename Runtime::stream made_stream() const {
        device_.use();
        return device_.make_stream();
    }

    Runtime device_;
    std::chrono::nanoseconds deadline_;
    typename Runtime::stream stream_;
    typename Runtime::event end_;
};

} // namespace detail

/// The part of a rank that is a process of its own, with its data in the memory of the GPU of that number and name; -1:
/// the current one. Buffers are of communicator::allocate, and calls have an executor. Times are the host's: each call
/// is over when it returns.
template <class Transport, transport::device_runtime Runtime, engine::kernel_launcher<Runtime> Kernels>
int bench_on_device(const bench_settings& settings, int room, int number, std::string name) {
    Transport fabric = Transport::from_environment({.device = number});
    const bool crowded = fabric.crowded();
    any_communicator world = make_world(transport::any(std::move(fabric)), settings);
    world.default_deadline(settings.deadline());
    const Runtime device(number);
    engine::stream_executor<Runtime, Kernels> executor(device, world);
    const auto on_device = world.with_executor(executor);
    detail::device_copier<Runtime> copier(device, settings.deadline());
    return bench_in_world(world,
                          {crowded, collective_binder_of(on_device), collective_starter_of(on_device),
                           [world](std::size_t bytes) { return world.allocate<std::byte>(bytes); }, std::ref(copier),
                           std::move(name)},
                          settings, room);
}

} // namespace tutti::tools
