// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/turns.hpp>

#include "support/catch.hpp"
#include "support/interleavings.hpp"

#include <memory>

namespace tutti::test::hand_over {
namespace {

using word = interleavings::word;
constexpr auto any_order = std::memory_order_seq_cst; // which a word does not look at
constexpr auto no_end = tutti::transport::clock::time_point::max();

/// What threads wait by, in steps.
struct primitives_by_steps {
    struct mutex {
        word taken{0};
    };
    class lock {
    public:
        lock() = default;
        explicit lock(mutex& m) : taken_(&m.taken) { take(); }
        lock(lock&& other) noexcept : taken_(std::exchange(other.taken_, nullptr)) {}
        ~lock() {
            if (taken_) give();
        }
        void take() {
            // Bounded for runs that are stuck: there the one that has it may stand still.
            for (int looks = 0; taken_->exchange(1, any_order) != 0 && looks < 1000; ++looks)
                sleep_on(*taken_, 1, no_end);
        }
        void give() {
            taken_->store(0, any_order);
            wake_all(*taken_);
        }

    private:
        word* taken_ = nullptr;
    };
    class event {
    public:
        void wait_until(lock& held, tutti::transport::clock::time_point until) {
            const unsigned seen = told_; // by others, who have the lock
            held.give();
            sleep_on(count_, seen, until);
            held.take();
        }
        void wait(lock& held) { wait_until(held, no_end); }
        void wait(lock& held, auto&& until) {
            while (!until()) wait(held);
        }
        void notify_one() {
            if (deaf) return;
            count_.store(++told_, any_order);
            wake_all(count_);
        }
        static inline bool deaf = false;

    private:
        unsigned told_ = 0;
        word count_{0};
    };
    /// The library's own thread, which is the last of the actors.
    struct thread {
        static inline word* called = nullptr;
        static inline std::function<void()> body;

        thread() = default;
        explicit thread(std::function<void()> work) {
            body = std::move(work);
            called->store(1, any_order);
            wake_all(*called);
        }
        void join() const {}
    };
    template <class Value>
    using atomic = interleavings::shared<Value>;
};

/// Calls of one rank: one ends as soon as that which it needs has been admitted, which stands for a peer's answer to
/// it.
struct call_by_steps {
    const call_by_steps* needs = nullptr;
    bool admitted = false, ends_at_once = false;
    word over{0};
};

struct rank_by_steps {
    using turns = tutti::engine::basic_turns<rank_by_steps, primitives_by_steps>;

    static inline bool unwoken = false, uncalled = false;
    call_by_steps of_a, of_b, of_c;
    int callers = 0;
    word bell{0}, helper_called{0};
    word readable{0};      ///< the descriptor of the event loop
    bool is_armed = false; ///< of who drives
    std::vector<call_by_steps*> under_way;
    turns by{*this};
    std::atomic<int> wrong{0};
    std::atomic<int> inside{0}, gone{0};

    rank_by_steps() { by.share(); }

    // As a driver:
    rank_by_steps& transport() { return *this; }
    void wake() {
        if (unwoken) return;
        bell.store(1, any_order);
        wake_all(bell);
    }
    rank_by_steps& loop() { return *this; }
    void call() {
        if (uncalled) return;
        readable.store(1, any_order);
        wake_all(readable);
    }
    void take_call_back() { readable.store(0, any_order); }
    /// Who drives but by step().
    void leave_loop() {
        if (std::exchange(is_armed, false)) call();
    }
    bool step(const auto& /* until another comes */) {
        is_armed = false;
        readable.store(0, any_order);
        while (poll()) {
        }
        is_armed = true;
        return false;
    }
    [[nodiscard]] bool has_work() const { return !under_way.empty(); }
    void admit(call_by_steps& c) {
        alone();
        leave_loop();
        c.admitted = true;
        c.ends_at_once ? end(c) : under_way.push_back(&c);
        --inside;
    }
    void end(call_by_steps& c) {
        const auto lock = by.hold();
        c.over.store(1, any_order);
        wake_all(c.over);
        by.notify();
    }
    bool poll() {
        alone();
        leave_loop();
        bool moved = false;
        for (std::size_t k = 0; k < under_way.size();) {
            call_by_steps& c = *under_way[k];
            if (c.needs && !c.needs->admitted) {
                ++k;
                continue;
            }
            under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(k));
            end(c);
            moved = true;
        }
        --inside;
        return moved;
    }
    void drive(auto&& done) {
        while (!done()) {
            if (poll() || bell.exchange(0, any_order) != 0) continue;
            sleep_on(bell, 0, no_end);
        }
    }
    void alone() {
        if (inside++ != 0) ++wrong;
    }

    /// The last of the callers lets the helper go, which may not have been called.
    void finish() {
        if (++gone < callers) return;
        by.stop_helper();
        helper_called.store(1, any_order);
        wake_all(helper_called);
    }

    // As the engine:
    void start(call_by_steps& c) {
        if (auto mine = by.try_take()) {
            admit(c);
            if (c.over.load(any_order) == 0) mine.waits();
            return;
        }
        by.post([&c](rank_by_steps& r) { r.admit(c); });
    }
    /// Has something done by the one that drives, and waits for it.
    void ask(void (*work)(rank_by_steps&) = [](rank_by_steps&) {}) {
        if (const auto mine = by.try_take()) return work(*this);
        bool done = false;
        by.post([&](rank_by_steps& r) {
            work(r);
            const auto lock = by.hold();
            done = true;
            by.notify();
        });
        by.await([&] { return done; });
    }
    void leave_to_helper(call_by_steps& c) {
        by.poll();
        if (c.over.load(any_order) == 0) by.call_helper();
    }
    void wait(call_by_steps& c) {
        int looks = 0; // bodies end also when nobody sleeps any more
        by.wait([&] { return c.over.load(any_order) != 0 || ++looks > 100; }, no_end);
        if (looks > 100) ++wrong;
    }
};

/// True if all is right in every order of the callers' steps, and of the helper's if they need it, that has so many
/// preemptions.
using caller = std::function<void(rank_by_steps&)>;
bool is_right(int preemptions, bool helped, const std::vector<caller>& callers) {
    std::shared_ptr<rank_by_steps> now;
    int wrong = 0;
    const auto all = interleavings::explore(preemptions, [&] {
        if (now) wrong += now->wrong;
        now = std::make_shared<rank_by_steps>();
        now->callers = static_cast<int>(callers.size());
        primitives_by_steps::thread::called = &now->helper_called;
        std::vector<interleavings::body> bodies;
        for (const caller& work : callers)
            bodies.push_back([&work, now, helped] {
                work(*now);
                if (helped) now->finish();
            });
        if (helped)
            bodies.push_back([now] {
                sleep_on(now->helper_called, 0, no_end);
                if (primitives_by_steps::thread::body) std::exchange(primitives_by_steps::thread::body, nullptr)();
            });
        return bodies;
    });
    wrong += now->wrong;
    UNSCOPED_INFO(all.runs << " runs, " << all.stuck << " stuck, " << wrong << " wrong");
    CHECK(all.runs > 50);
    return all.stuck == 0 && wrong == 0;
}
/// Where nobody hears that something has ended, or the one that drives is not woken.
bool is_right_if(bool& fault, int preemptions, bool helped, const std::vector<caller>& callers) {
    fault = true;
    const bool right = is_right(preemptions, helped, callers);
    fault = false;
    return right;
}

using call = call_by_steps rank_by_steps::*;
/// Calls, and waits.
caller calls(call which, call needs = nullptr) {
    return [=](rank_by_steps& r) {
        if (needs) (r.*which).needs = &(r.*needs);
        r.start(r.*which);
        r.wait(r.*which);
    };
}
/// Calls, leaves it to the helper, and waits after all if so; else until somebody has ended it.
caller leaves(call which, call needs, bool waits = false) {
    return [=](rank_by_steps& r) {
        call_by_steps& mine = r.*which;
        mine.needs = &(r.*needs);
        r.start(mine);
        r.leave_to_helper(mine);
        if (waits) return r.wait(mine);
        for (int looks = 0; mine.over.load(any_order) == 0 && ++looks < 100;) sleep_on(mine.over, 0, no_end);
    };
}
/// Calls from an event loop, which steps until this call and the last one have ended.
caller loops(call which, call needs, call last, bool at_once = false) {
    return [=](rank_by_steps& r) {
        (r.*which).ends_at_once = at_once;
        const auto goes_on = [&] {
            return (r.*which).over.load(any_order) == 0 || (r.*last).over.load(any_order) == 0;
        };
        call_by_steps& mine = r.*which;
        mine.needs = &(r.*needs);
        r.ask([](rank_by_steps& on) { on.by.share_with_loop(); });
        r.start(mine);
        for (int looks = 0; goes_on() && ++looks < 100;) {
            while (r.by.step()) {
            }
            if (goes_on()) sleep_on(r.readable, 0, no_end);
        }
        if (goes_on()) ++r.wrong;
    };
}
constexpr call a = &rank_by_steps::of_a, b = &rank_by_steps::of_b, c = &rank_by_steps::of_c;

} // namespace

TEST_CASE("two threads of a rank that wait hand each other their calls and their turns in every order") {
    const std::vector<caller> both{calls(a, b), calls(b)};
    CHECK(is_right(2, false, both));
    CHECK_FALSE(is_right_if(primitives_by_steps::event::deaf, 2, false, both));
    CHECK_FALSE(is_right_if(rank_by_steps::unwoken, 2, false, both));
}

TEST_CASE("two threads that wait for a third one's call are both told, in every order") {
    CHECK(is_right(1, false, {calls(a, c), calls(b, c), calls(c)}));
}

TEST_CASE("what a thread asks of the one that drives is done, in every order") {
    const std::vector<caller> both{calls(a), [](rank_by_steps& r) { r.ask(); }};
    CHECK(is_right(2, false, both));
    CHECK_FALSE(is_right_if(primitives_by_steps::event::deaf, 2, false, both));
}

TEST_CASE("a call that nobody waits for ends by the helper, in every order") {
    const std::vector<caller> both{leaves(a, b), calls(b)};
    CHECK(is_right(1, true, both));
    CHECK_FALSE(is_right_if(rank_by_steps::unwoken, 1, true, both));
}

TEST_CASE("so it does beside calls that are over at once, and where others go without the turn, in every order") {
    const auto at_once = [](rank_by_steps& r) {
        r.of_b.ends_at_once = true;
        calls(b)(r);
    };
    CHECK(is_right(1, true, {leaves(a, b), at_once}));
    CHECK(is_right(1, true, {leaves(a, c), calls(b), calls(c)}));
}

TEST_CASE("an event loop hears that a call of its own, or another thread's, ends or goes on, in every order") {
    const std::vector<caller> beside_one_that_waits{loops(a, b, a), calls(b)};
    CHECK(is_right(2, false, beside_one_that_waits));
    CHECK(is_right(1, false, {loops(a, b, a), calls(c, a), calls(b)}));
    CHECK(is_right(1, true, {loops(a, c, b), leaves(b, c), calls(c)}));
    CHECK(is_right(1, false, {loops(a, b, a, true), calls(c, b), calls(b)}));
    CHECK_FALSE(is_right_if(rank_by_steps::uncalled, 2, false, beside_one_that_waits));
}

TEST_CASE("the helper gives its turn to a thread that waits, in every order") {
    CHECK(is_right(1, true, {leaves(a, b, true), calls(b)}));
}

} // namespace tutti::test::hand_over
