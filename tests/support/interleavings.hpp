// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/contract/transport.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <semaphore>
#include <thread>
#include <vector>

/// Runs threads in every order of their steps on shared words, up to a number of preemptions: of those that could go
/// on, one goes on until it ends or sleeps, or another is preferred once more. (M. Musuvathi, S. Qadeer: Iterative
/// context bounding for systematic testing of multithreaded programs, PLDI 2007.) Words are sequentially consistent
/// here: weaker orders are for arguments and ThreadSanitizer.
namespace tutti::test {

class interleavings {
public:
    /// How all the runs went.
    struct result {
        std::size_t runs = 0;
        std::size_t stuck = 0; ///< runs in which nobody could go on, or all went on for ever
    };

    using body = std::function<void()>;

    /// `make` gives the threads' bodies for a fresh run. Bodies end also when sleeping never waits.
    [[nodiscard]] static result explore(int preemptions, const std::function<std::vector<body>()>& make) {
        result all;
        std::vector<choice> path;
        do {
            const auto bodies = make();
            interleavings one{preemptions, path, bodies.size()};
            one.run(bodies);
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

        /// One that has an end may wake by itself at any time.
        friend void sleep_on(word& w, std::uint32_t seen, transport::clock::time_point until) noexcept {
            w.sleep(seen, until != transport::clock::time_point::max());
        }
        friend void wake_all(word& w) noexcept { w.wake(); }

    private:
        void sleep(std::uint32_t seen, bool has_end) const noexcept {
            step();
            if (value_.load() == seen) current()->sleep(this, has_end);
        }
        void wake() const noexcept {
            step();
            current()->wake(this);
        }

        std::atomic<std::uint32_t> value_;
    };

    /// A value that they share in the same way.
    template <class Value>
    class shared {
    public:
        shared(Value value) noexcept : value_(value) {} // NOLINT(google-explicit-constructor): as std::atomic
        [[nodiscard]] Value load(std::memory_order) const noexcept { return step(), value_.load(); }
        void store(Value to, std::memory_order) noexcept { step(), value_.store(to); }
        Value exchange(Value to, std::memory_order) noexcept { return step(), value_.exchange(to); }
        Value fetch_add(Value more, std::memory_order) noexcept { return step(), value_.fetch_add(more); }
        Value fetch_sub(Value less, std::memory_order) noexcept { return step(), value_.fetch_sub(less); }
        bool compare_exchange_strong(Value& seen, Value to, std::memory_order) noexcept {
            return step(), value_.compare_exchange_strong(seen, to);
        }

    private:
        std::atomic<Value> value_;
    };

private:
    struct choice {
        std::size_t taken, offered;
    };
    struct actor {
        std::binary_semaphore go{0};
        const word* asleep_on = nullptr;
        bool has_end = false; ///< its sleep
        bool done = false;
    };

    interleavings(int preemptions, std::vector<choice>& path, std::size_t threads)
        : preemptions_(preemptions), path_(path), actors_(threads) {}

    void run(const std::vector<body>& bodies) {
        std::vector<std::thread> threads;
        for (std::size_t me = 0; me < bodies.size(); ++me)
            threads.emplace_back([this, me, &work = bodies[me]] {
                current() = this;
                self() = me;
                actors_[me].go.acquire();
                work();
                actors_[me].done = true;
                turn_.release();
            });
        while (std::any_of(actors_.begin(), actors_.end(), [](const actor& a) { return !a.done; })) {
            if (const int next = pick(); next >= 0)
                give(static_cast<std::size_t>(next));
            else
                let_all_go();
        }
        for (auto& t : threads) t.join();
    }

    /// Who makes the next step; -1 if nobody can.
    [[nodiscard]] int pick() {
        std::vector<std::size_t> able;
        std::size_t awake = 0; // those of them that need no time to pass
        for (const bool by_time : {false, true}) {
            for (std::size_t k = 0; k < actors_.size(); ++k) {
                const std::size_t i = (last_ + k) % actors_.size();
                const actor& a = actors_[i];
                if (!a.done && (by_time ? a.asleep_on && a.has_end : !a.asleep_on)) able.push_back(i);
            }
            if (!by_time) awake = able.size();
        }
        if (able.empty() || ++steps_ > most_steps) return -1;
        const bool could_go_on = awake > 0 && able.front() == last_;
        const std::size_t free = could_go_on ? 1 : awake > 0 ? awake : able.size();
        const std::size_t offered = preemptions_ == 0 ? free : able.size();
        if (depth_ == path_.size()) path_.push_back({0, offered});
        const std::size_t taken = path_[depth_++].taken;
        if (taken >= free) --preemptions_;
        actors_[able[taken]].asleep_on = nullptr;
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
        for (std::size_t i = 0; i < actors_.size(); ++i)
            if (!actors_[i].done) give(i);
    }

    void sleep(const word* on, bool has_end) {
        if (free_.load()) return;
        actors_[self()].asleep_on = on;
        actors_[self()].has_end = has_end;
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
    std::size_t depth_ = 0, steps_ = 0;
    static constexpr std::size_t most_steps = 10'000; ///< of a run; one that makes more is stuck, waking in vain
    std::size_t last_ = 0;
    std::deque<actor> actors_;
    std::binary_semaphore turn_{0};
    std::atomic<bool> free_{false};
    bool stuck_ = false;
};

} // namespace tutti::test
