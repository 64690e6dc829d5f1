// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "expect.hpp"
#include "run_ranks.hpp"

#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tutti::test {

using communicator = tutti::communicator<transport::memory>;
using request = tutti::request<transport::memory>;
using body = std::function<void(communicator&)>;

/// The facts of the tutti::error that `work` throws; fails the test if it throws none.
inline fault fault_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const error& e) {
        return e.facts();
    }
    throw std::runtime_error("expected: a tutti::error");
}
/// `work` throws invalid_argument for that reason.
inline void expect_refused(const std::function<void()>& work, const std::string& why) {
    const fault f = fault_of(work);
    expect(f.why == cause::invalid_argument && f.detail.find(why) != std::string::npos, why + ": " + f.detail);
}

/// Ranks that are threads, kept for many cases and parked in between. A case that fails ends its world: the other ranks
/// are freed by an abort, and the next case gets a new one.
class thread_world {
public:
    explicit thread_world(int size) : failures_(static_cast<std::size_t>(size)) {
        auto fabric = transport::memory_world::create(size);
        for (int r = 0; r < size; ++r) threads_.emplace_back([this, fabric, r] { serve({fabric, r}); });
    }
    thread_world(const thread_world&) = delete;
    thread_world& operator=(const thread_world&) = delete;
    ~thread_world() {
        give(nullptr);
        for (auto& t : threads_) t.join();
    }

    /// Throws what the lowest failing rank threw; ends the program if a rank hangs.
    void run(const body& work) {
        give(&work);
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, 10 * patience, [this] { return busy_ == 0; })) {
            std::fprintf(stderr, "%zu of %zu ranks hang\n", busy_, threads_.size());
            std::abort();
        }
        for (const bool freed : {false, true}) // those that an abort has freed tell nothing of the cause
            for (const auto& f : failures_)
                if (!f.empty() && (f.front() == freed_mark) == freed) throw std::runtime_error(f);
    }

private:
    void give(const body* work) {
        const std::lock_guard lock(mutex_);
        work_ = work;
        ++turn_;
        busy_ = threads_.size();
        changed_.notify_all();
    }

    void serve(transport::memory end) {
        communicator world{std::move(end)};
        for (int turn = 1;; ++turn) {
            const body* work = nullptr;
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [&] { return turn_ == turn; });
                work = work_;
            }
            if (!work) return;
            std::string failure = attempt(*work, world);
            const std::lock_guard lock(mutex_);
            failures_[static_cast<std::size_t>(world.rank())] = std::move(failure);
            if (--busy_ == 0) changed_.notify_all();
        }
    }

    static std::string attempt(const body& work, communicator& world) {
        const std::string who = "rank " + std::to_string(world.rank()) + ": ";
        world.default_deadline(2 * patience); // whatever the case before has left
        try {
            work(world);
            return {};
        } catch (const std::exception& e) {
            world.abort("the test has failed on another rank");
            const auto* const known = dynamic_cast<const error*>(&e);
            return (known && known->why() == cause::aborted ? freed_mark + who : who) + e.what();
        }
    }

    static constexpr char freed_mark = '*';

    std::mutex mutex_;
    std::condition_variable changed_;
    const body* work_ = nullptr; ///< null: go home
    int turn_ = 0;
    std::size_t busy_ = 0;
    std::vector<std::string> failures_;
    std::vector<std::thread> threads_;
};

/// Runs `work` on every rank of the program's long-lived world of that size. It must leave the world usable: a
/// barrier shows whether it is.
inline void run_world(int size, const body& work) {
    static std::map<int, std::unique_ptr<thread_world>> worlds;
    auto& world = worlds[size];
    if (!world) world = std::make_unique<thread_world>(size);
    try {
        world->run([&](communicator& w) {
            work(w);
            try { // else a later case would fail
                w.with_deadline(2 * patience).barrier();
            } catch (const error& e) {
                if (e.why() == cause::aborted) throw;
                throw std::runtime_error(std::string("the world is ruined, take run_new_world(): ") + e.what());
            }
        });
    } catch (...) {
        world.reset();
        throw;
    }
}

/// Runs `work` on every rank of a new world, which may be ruined: each rank leaves it when its work is done.
inline void run_new_world(int size, const body& work, progress by = progress::in_calls,
                          std::shared_ptr<transport::memory_world> fabric = {}) {
    if (!fabric) fabric = transport::memory_world::create(size);
    run_ranks(size, [&](int rank) {
        communicator world{transport::memory{fabric, rank}, by};
        world.default_deadline(patience);
        work(world);
    });
}

/// A point that all ranks of a case pass together, outside of the library.
class gate {
public:
    explicit gate(int ranks) : missing_(ranks) {}
    void pass() {
        std::unique_lock lock(mutex_);
        if (--missing_ == 0) changed_.notify_all();
        expect(changed_.wait_for(lock, patience, [this] { return missing_ <= 0; }), "all ranks reach the gate");
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int missing_;
};

} // namespace tutti::test
