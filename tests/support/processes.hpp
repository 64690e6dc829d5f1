// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "account.hpp"
#include "catch.hpp"
#include "expect.hpp"

#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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
    processes(const processes&) = delete;
    processes& operator=(const processes&) = delete;
    ~processes() {
        for (auto& m : members_) {
            if (m.ended) continue;
            ::kill(m.pid, SIGKILL);
            ::waitpid(m.pid, nullptr, 0);
        }
    }

    /// Starts the next one, which runs body(rank, account) and ends.
    void start(const body& run) {
        const int rank = size();
        const pid_t parent = ::getpid();
        const pid_t pid = ::fork();
        expect(pid >= 0, "a process can be forked");
        if (pid == 0) live(run, rank, parent);
        members_.push_back({pid, 0, std::nullopt});
    }

    [[nodiscard]] int size() const noexcept { return static_cast<int>(members_.size()); }
    [[nodiscard]] account& of(int rank) const { return accounts_.of(rank); }

    /// Returns when it was sent.
    moment send(int rank, int signal) {
        auto& m = members_.at(static_cast<std::size_t>(rank));
        expect(!m.ended, "only a living process gets a signal");
        ::kill(m.pid, signal);
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
        const int status = members_[static_cast<std::size_t>(rank)].status;
        if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
        if (status != 0) return "complaint: " + of(rank).complaint.str();
        return {};
    }
    /// When it was seen to have ended. Precondition: end() has returned.
    [[nodiscard]] moment ended_at(int rank) const { return members_.at(static_cast<std::size_t>(rank)).ended.value(); }

private:
    struct member {
        pid_t pid;
        int status;
        std::optional<moment> ended;
    };

    bool reap(int rank) {
        auto& m = members_.at(static_cast<std::size_t>(rank));
        if (!m.ended && ::waitpid(m.pid, &m.status, WNOHANG) == m.pid) m.ended = std::chrono::steady_clock::now();
        return m.ended.has_value();
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

    /// The whole life of a rank's process.
    [[noreturn]] void live(const body& run, int rank, pid_t parent) noexcept {
        account& mine = of(rank);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(2);
        ::alarm(90);
        try {
            const auto descriptors = entries("/proc/self/fd");
            run(rank, mine);
            expect(entries("/proc/self/fd") == descriptors, "no descriptor is left open");
            expect(is_alone(), "no thread is left behind");
            if (__lsan_do_recoverable_leak_check) expect(__lsan_do_recoverable_leak_check() == 0, "no memory leaks");
        } catch (const std::exception& e) {
            mine.complaint = e.what();
            ::_exit(1);
        }
        ::_exit(0);
    }

    accounts accounts_;
    std::vector<member> members_;
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
