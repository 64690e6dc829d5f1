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
        auto end = device.make_event();
        device.record_on(end, device.native(stream));
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{10};
        while (!device.is_done(end) && std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        const bool good = e.why() == cause::lost_peer && e.facts().peer == victim && device.is_done(end);
        if (world.rank() == 0)
            check("a rank that is killed is named, and no stream stays held", good, e.what());
        else if (!good)
            throw std::runtime_error(std::string("the rank that was killed is not named, or a stream stays held: ") +
                                     e.what());
    }
}

/// What becomes of memory that is mapped here, and that its own process frees, or leaves behind when it ends: rank 0's,
/// looked at by rank 1.
template <class Runtime>
class exported_memory {
public:
    explicit exported_memory(const seat& where) : device_(0), stream_(used(device_).make_stream()) {
        if (where.rank == 0) make();
        detail::put(where.line, detail::bytes_of(mine_));
        std::array<detail::word_of_rank, 2> all;
        detail::get(where.line, std::as_writable_bytes(std::span(all)));
        where.rank == 0 ? let_go() : look(all[0]);
    }

private:
    static constexpr std::size_t bytes = std::size_t{2} << 20;
    static constexpr std::uint64_t written = 0x7475747469;
    static constexpr std::chrono::milliseconds step{500};    ///< the other rank maps, or looks, meanwhile
    using handles = std::array<typename Runtime::handle, 2>; ///< of what is freed, and of what is not
    static_assert(sizeof(handles) <= sizeof(detail::word_of_rank::card));

    static const Runtime& used(const Runtime& device) {
        device.use();
        return device;
    }
    void make() {
        handles both;
        for (std::size_t k = 0; k < both.size(); ++k) {
            memory_[k] = device_.allocate(bytes);
            copy(memory_[k], &written, sizeof written);
            both[k] = device_.handle_of(memory_[k]);
        }
        std::memcpy(mine_.card.data(), &both, sizeof both);
        mine_.process = ::getpid();
    }
    void let_go() {
        std::this_thread::sleep_for(step);
        device_.free(memory_[0]);
        std::this_thread::sleep_for(2 * step);
    }
    void look(const detail::word_of_rank& owner) {
        handles both;
        std::memcpy(&both, owner.card.data(), sizeof both);
        for (std::size_t k = 0; k < both.size(); ++k) memory_[k] = device_.open(both[k]);
        std::this_thread::sleep_for(2 * step);
        tell("mapped memory that its process has freed", 0);
        await([&] { return ::kill(static_cast<pid_t>(owner.process), 0) != 0; });
        tell("mapped memory of a process that has ended", 1);
    }
    void tell(const char* what, std::size_t which) {
        std::string how = "is still there";
        try {
            std::uint64_t seen = 0;
            copy(&seen, memory_[which], sizeof seen);
            if (seen != written) how = "has changed";
            device_.close(memory_[which]);
        } catch (const std::exception& e) {
            how = e.what();
        }
        fact(what, how);
    }
    void copy(void* to, const void* from, std::size_t n) {
        auto event = device_.make_event();
        device_.copy(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), n, stream_);
        device_.record(event, stream_);
        await([&] { return device_.is_done(event); });
    }
    static void await(const auto& holds) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{10};
        for (; !holds(); std::this_thread::sleep_for(std::chrono::milliseconds{1}))
            if (std::chrono::steady_clock::now() >= until) throw std::runtime_error("does not end within 10 s");
    }

    Runtime device_;
    typename Runtime::stream stream_;
    detail::word_of_rank mine_;
    std::array<std::byte*, 2> memory_{};
};

} // namespace tutti::gpu_check
