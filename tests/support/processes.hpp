// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "account.hpp"
#include "catch.hpp"
#include "child.hpp"
#include "expect.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>

extern "C" [[gnu::weak]] int __lsan_do_recoverable_leak_check(); // there under AddressSanitizer

namespace tutti::test {

using namespace std::chrono_literals;

/// Processes, one a rank, forked from a test that has one thread. Whatever happens they are gone when this is: killed
/// by their ids, or by the kernel when the test itself dies.
class processes {
public:
    using body = std::function<void(int rank, account& mine)>;

    processes() = default;
    processes(int ranks, const body& run) {
        for (int rank = 0; rank < ranks; ++rank) start(run);
    }

    /// Starts the next one, which runs body(rank, account) and ends.
    void start(const body& run) {
        const int rank = size();
        members_.emplace_back([&] { return lives(run, rank); }, 90);
    }

    [[nodiscard]] int size() const noexcept { return static_cast<int>(members_.size()); }
    [[nodiscard]] account& of(int rank) const { return accounts_.of(rank); }

    /// Returns when it was sent.
    moment send(int rank, int signal) {
        const auto which = static_cast<std::size_t>(rank);
        expect(!ended_.at(which), "only a living process gets a signal");
        ::kill(members_.at(which).pid(), signal);
        return std::chrono::steady_clock::now();
    }

    /// Waits until `holds(account)` of a rank.
    template <class Holds>
    void await(int rank, const std::string& sentence, Holds&& holds) {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (!holds(std::as_const(of(rank)))) {
            const bool over = reap(rank);
            if (holds(std::as_const(of(rank)))) return;
            expect(!over, sentence + ", but rank " + std::to_string(rank) + " ended: " + of(rank).complaint.str());
            expect(std::chrono::steady_clock::now() < deadline, sentence + " of rank " + std::to_string(rank));
            std::this_thread::sleep_for(1ms);
        }
    }
    void await_stage(int rank, int stage) {
        await(rank, "stage " + std::to_string(stage),
              [&](const account& a) { return a.stage.load(std::memory_order_acquire) >= stage; });
    }
    void await_error(int rank) {
        await(rank, "an error", [](const account& a) { return a.errors.load(std::memory_order_acquire) > 0; });
    }
    void await_stage(int stage) {
        for (int r = 0; r < size(); ++r) await_stage(r, stage);
    }

    /// Waits for the end of one, and returns how it ended: empty if all is well.
    [[nodiscard]] std::string end(int rank) {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (!reap(rank)) {
            if (std::chrono::steady_clock::now() > deadline) return "it does not end";
            std::this_thread::sleep_for(1ms);
        }
        const auto how = members_.at(static_cast<std::size_t>(rank)).end();
        return how.starts_with("status") ? "complaint: " + of(rank).complaint.str() : how;
    }
    /// When it was seen to have ended. Precondition: end() has returned.
    [[nodiscard]] moment ended_at(int rank) const { return ended_.at(static_cast<std::size_t>(rank)).value(); }

private:
    bool reap(int rank) {
        const auto which = static_cast<std::size_t>(rank);
        auto& ended = ended_.at(which);
        if (!ended && members_.at(which).has_ended()) ended = std::chrono::steady_clock::now();
        return ended.has_value();
    }

    static std::ptrdiff_t entries(const char* folder) {
        return std::distance(std::filesystem::directory_iterator(folder), {});
    }

    /// No thread is left but this one. A thread that has been joined is still listed for a moment.
    static bool is_alone() {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{1};
        while (entries("/proc/self/task") > 1) {
            if (std::chrono::steady_clock::now() >= until) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
        return true;
    }

    /// The whole life of a rank's process; false if it has a complaint.
    [[nodiscard]] bool lives(const body& run, int rank) const noexcept {
        account& mine = of(rank);
        try {
            const auto descriptors = entries("/proc/self/fd");
            run(rank, mine);
            expect(entries("/proc/self/fd") == descriptors, "no descriptor is left open");
            expect(is_alone(), "no thread is left behind");
            if (__lsan_do_recoverable_leak_check) expect(__lsan_do_recoverable_leak_check() == 0, "no memory leaks");
        } catch (const std::exception& e) {
            mine.complaint = e.what();
            return false;
        }
        return true;
    }

    accounts accounts_;
    std::deque<child> members_;
    std::array<std::optional<moment>, accounts::most> ended_;
};

/// Every rank but `except` has ended by itself and in good order.
inline void check_ended(processes& ranks, int except = -1) {
    for (int r = 0; r < ranks.size(); ++r)
        if (r != except) {
            INFO("rank " << r);
            CHECK(ranks.end(r) == "");
        }
}

} // namespace tutti::test
