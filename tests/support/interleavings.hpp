// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/contract/transport.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

/// Runs two threads in every order of their steps on shared words, up to a number of preemptions: of two that could go
/// on, one goes on until it ends or sleeps, or the other is preferred once more. (M. Musuvathi, S. Qadeer: Iterative
/// context bounding for systematic testing of multithreaded programs, PLDI 2007.) Words are sequentially consistent
/// here: weaker orders are for arguments and ThreadSanitizer.
namespace tutti::test {

class interleavings {
public:
    /// How all the runs went.
    struct result {
        std::size_t runs = 0;
        std::size_t stuck = 0; ///< runs in which nobody could go on
    };

    /// `make` gives both threads' bodies for a fresh run. Bodies end also when sleeping never waits.
    [[nodiscard]] static result
    explore(int preemptions, const std::function<std::pair<std::function<void()>, std::function<void()>>()>& make) {
        result all;
        std::vector<choice> path;
        do {
            interleavings one{preemptions, path};
            auto bodies = make();
            one.run(bodies.first, bodies.second);
            ++all.runs;
            if (one.stuck_) ++all.stuck;
        } while (next(path));
        return all;
    }

    /// A word that the threads of a run share: each operation is a step.
    class word {
    public:
        word(std::uint32_t value) noexcept : value_(value) {} // NOLINT(google-explicit-constructor): as std::atomic
        [[nodiscard]] std::uint32_t load(std::memory_order) const noexcept { return step(), value_.load(); }
        void store(std::uint32_t to, std::memory_order) noexcept { step(), value_.store(to); }
        std::uint32_t exchange(std::uint32_t to, std::memory_order) noexcept { return step(), value_.exchange(to); }
        std::uint32_t fetch_or(std::uint32_t bits, std::memory_order) noexcept { return step(), value_.fetch_or(bits); }
        std::uint32_t fetch_and(std::uint32_t bits, std::memory_order) noexcept {
            return step(), value_.fetch_and(bits);
        }

        friend void sleep_on(word& w, std::uint32_t seen, transport::clock::time_point) noexcept { w.sleep(seen); }
        friend void wake_all(word& w) noexcept { w.wake(); }

    private:
        void sleep(std::uint32_t seen) const noexcept {
            step();
            if (value_.load() == seen) current()->sleep(this);
        }
        void wake() const noexcept {
            step();
            current()->wake(this);
        }

        std::atomic<std::uint32_t> value_;
    };

private:
    struct choice {
        std::size_t taken, offered;
    };
    struct actor {
        std::binary_semaphore go{0};
        const word* asleep_on = nullptr;
        bool done = false;
    };

    interleavings(int preemptions, std::vector<choice>& path) : preemptions_(preemptions), path_(path) {}

    void run(const std::function<void()>& first, const std::function<void()>& second) {
        const auto live = [this](std::size_t me, const std::function<void()>& body) {
            current() = this;
            self() = me;
            actors_[me].go.acquire();
            body();
            actors_[me].done = true;
            turn_.release();
        };
        std::thread a{live, 0, std::cref(first)};
        std::thread b{live, 1, std::cref(second)};
        while (!actors_[0].done || !actors_[1].done) {
            if (const int next = pick(); next >= 0)
                give(static_cast<std::size_t>(next));
            else
                let_all_go();
        }
        a.join();
        b.join();
    }

    /// Who makes the next step; -1 if nobody can.
    [[nodiscard]] int pick() {
        std::vector<std::size_t> able;
        for (const std::size_t i : {last_, 1 - last_})
            if (!actors_[i].done && !actors_[i].asleep_on) able.push_back(i);
        if (able.empty()) return -1;
        const bool could_go_on = able.front() == last_;
        const std::size_t offered = could_go_on && preemptions_ == 0 ? 1 : able.size();
        if (depth_ == path_.size()) path_.push_back({0, offered});
        const std::size_t taken = path_[depth_++].taken;
        if (could_go_on && taken > 0) --preemptions_;
        return static_cast<int>(last_ = able[taken]);
    }

    void give(std::size_t who) {
        actors_[who].go.release();
        turn_.acquire();
    }

    /// Nobody will ever wake anybody: from now on sleeping does not wait, and each runs to its end, one after the
    /// other, since the words of a protocol that has failed guard nothing.
    void let_all_go() {
        stuck_ = true;
        free_.store(true);
        for (std::size_t i = 0; i < 2; ++i)
            if (!actors_[i].done) give(i);
    }

    void sleep(const word* on) {
        if (free_.load()) return;
        actors_[self()].asleep_on = on;
        pause();
    }
    void wake(const word* on) {
        for (actor& a : actors_)
            if (a.asleep_on == on) a.asleep_on = nullptr;
    }
    void pause() {
        turn_.release();
        actors_[self()].go.acquire();
    }

    static void step() noexcept {
        if (current() && !current()->free_.load()) current()->pause();
    }
    static interleavings*& current() noexcept {
        thread_local interleavings* one = nullptr;
        return one;
    }
    static std::size_t& self() noexcept {
        thread_local std::size_t me = 0;
        return me;
    }

    /// The next path in depth-first order; false after the last.
    static bool next(std::vector<choice>& path) {
        while (!path.empty() && path.back().taken + 1 == path.back().offered) path.pop_back();
        if (path.empty()) return false;
        ++path.back().taken;
        return true;
    }

    int preemptions_;
    std::vector<choice>& path_;
    std::size_t depth_ = 0;
    std::size_t last_ = 0;
    actor actors_[2];
    std::binary_semaphore turn_{0};
    std::atomic<bool> free_{false};
    bool stuck_ = false;
};

} // namespace tutti::test
