// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "process_ranks.hpp"
#include "told.hpp"

#include <kernels/stream_communicator.hpp>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

/// Processes that end while others use a GPU with them.
namespace tutti::gpu_check {

/// Calls on a stream, until one rank is killed: the others are told which, and their streams go on.
template <class Runtime, class Kernels, class Communicator>
void check_killed(Communicator& world, int victim) {
    world.default_deadline(std::chrono::seconds{20});
    Runtime device(0);
    device.use();
    auto stream = device.make_stream();
    stream_communicator calls(device, world, Kernels{});
    const auto data = calls.template allocate<float>(100'000);
    const auto begin = std::chrono::steady_clock::now();
    try {
        for (int call = 0; std::chrono::steady_clock::now() - begin < std::chrono::seconds{10}; ++call) {
            calls.allreduce(data, sum, device.native(stream));
            if (call == 30 && world.rank() == victim) ::raise(SIGKILL);
            if (call % 10 == 9) calls.synchronize(device.native(stream));
        }
        check("a rank that is killed ends the calls of others", false);
    } catch (const error& e) {
        if (world.rank() == 0 || victim == 0)
            check("a rank that is killed is named, and no stream stays held",
                  e.why() == cause::lost_peer && e.facts().peer == victim, e.what());
    }
}

/// Whether memory stays mapped when the process has ended that it was allocated by: rank 0's, looked at by rank 1.
template <class Runtime>
void tell_of_ended_exporter(const seat& where) {
    constexpr std::size_t bytes = std::size_t{2} << 20;
    const Runtime device(0);
    device.use();
    auto stream = device.make_stream();
    auto event = device.make_event();
    const auto await = [](const auto& holds) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{10};
        for (; !holds(); std::this_thread::sleep_for(std::chrono::milliseconds{1}))
            if (std::chrono::steady_clock::now() >= until) throw std::runtime_error("does not end within 10 s");
    };
    const auto copy = [&](void* to, const void* from, std::size_t n) {
        device.copy(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), n, stream);
        device.record(event, stream);
        await([&] { return device.is_done(event); });
    };
    const std::uint64_t written = 0x7475747469;
    detail::word_of_rank mine;
    mine.process = ::getpid();
    if (where.rank == 0) {
        std::byte* const memory = device.allocate(bytes);
        copy(memory, &written, sizeof written);
        const auto handle = device.handle_of(memory);
        static_assert(sizeof handle <= sizeof mine.card);
        std::memcpy(mine.card.data(), &handle, sizeof handle);
    }
    detail::put(where.line, detail::bytes_of(mine));
    std::array<detail::word_of_rank, 2> all;
    detail::get(where.line, std::as_writable_bytes(std::span(all)));
    if (where.rank == 0) return std::this_thread::sleep_for(std::chrono::milliseconds{500}); // the other one maps it
    typename Runtime::handle handle;
    std::memcpy(&handle, all[0].card.data(), sizeof handle);
    std::byte* const memory = device.open(handle);
    await([&] { return ::kill(static_cast<pid_t>(all[0].process), 0) != 0; });
    std::string how = "is still there";
    try {
        std::uint64_t seen = 0;
        copy(&seen, memory, sizeof seen);
        if (seen != written) how = "has changed";
        device.close(memory);
    } catch (const std::exception& e) {
        how = e.what();
    }
    fact("mapped memory of a process that has ended", how);
}

} // namespace tutti::gpu_check
