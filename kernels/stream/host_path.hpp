// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "group_memory.hpp"

#include <tutti/collectives/engine/stream_executor.hpp>
#include <tutti/collectives/symmetric_memory.hpp>
#include <tutti/transport/contract/stream_runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace tutti::kernels::detail {

/// Ranks of any kind. The host waits until the stream has come to the call, and makes it through an executor before the
/// call returns.
template <transport::stream_runtime R, class Kernels, class World>
class host_path {
    using native = typename R::native_stream;

public:
    /// Collective.
    host_path(const R& device, const World& world, const Kernels& kernels)
        : device_(device), executor_(device, world, kernels), world_(world.duplicate().with_executor(executor_)) {}
    host_path(const host_path&) = delete;
    host_path& operator=(const host_path&) = delete;

    /// Nothing is under way between calls.
    [[nodiscard]] bool finish() const noexcept { return true; }

    /// The communicator's memory.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) const {
        const auto made =
            std::make_shared<symmetric_memory<std::uint8_t>>(world_.template allocate<std::uint8_t>(bytes));
        return {made, reinterpret_cast<std::byte*>(made->data())};
    }
    void add(const std::byte*, std::size_t) const noexcept {}
    [[nodiscard]] static bool reaches(const std::byte*, std::size_t) noexcept { return true; }

    template <class T, class Op, class How>
    void allreduce(std::span<const T> in, std::span<T> out, const Op& op, native s, const std::string& call,
                   const How& how) const {
        device_.use();
        if (device_.capture_of(s) != 0)
            reject(call, "the stream records a graph, and the host makes this call", "call outside of captures");
        auto begin = device_.make_event();
        device_.record_on(begin, s);
        if (!ends_within(device_, begin, world_.default_deadline())) late(call);
        world_.allreduce(in, out, op, how);
    }

    /// A call throws what has failed by itself, and so does the next one.
    void examine(const std::string&) const noexcept {}

private:
    [[noreturn]] void late(const std::string& call) const {
        world_.abort("the deadline of an " + call + " passed before its stream came to it");
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
};

} // namespace tutti::kernels::detail
