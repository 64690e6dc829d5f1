// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/engine/stream_executor.hpp>
#include <transport/stream_runtime.hpp>

#include <chrono>
#include <span>
#include <string>
#include <thread>

namespace tutti::kernels::detail {

/// Ranks of any kind: the host waits for the stream, and makes a call that blocks.
template <transport::stream_runtime R, class Kernels, class World>
class host_path {
public:
    host_path(const R& device, const World& world, const Kernels& kernels)
        : device_(device), executor_(device, world, kernels), world_(world.with_executor(executor_)),
          end_(device.make_event()) {}

    template <class T, class Op>
    void allreduce(std::span<const T> in, std::span<T> out, const Op& op, typename R::native_stream s,
                   const std::string& call) {
        device_.use();
        if (device_.capture_of(s) != 0)
            reject(call, "the stream records a graph, and the host makes this call", "call outside of captures");
        device_.record_on(end_, s);
        const auto until = std::chrono::steady_clock::now() + world_.default_deadline();
        while (!device_.is_done(end_)) {
            if (std::chrono::steady_clock::now() >= until) late(call);
            std::this_thread::sleep_for(std::chrono::microseconds{20});
        }
        world_.allreduce(in, out, op);
    }

private:
    [[noreturn]] void late(const std::string& call) const {
        world_.abort("the deadline of " + call + " passed before its stream came to it");
        fault f;
        f.why = cause::timeout;
        f.operation = call;
        f.peer = world_.world_rank(world_.rank());
        f.detail = "the deadline passed before this rank's stream came to the call";
        throw error(std::move(f));
    }

    R device_;
    engine::stream_executor<R, Kernels> executor_;
    World world_;
    typename R::event end_;
};

} // namespace tutti::kernels::detail
