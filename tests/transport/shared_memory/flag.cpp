// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/world/slot_flag.hpp>

#include <transport/world/doorbell.hpp>

#include "support/catch.hpp"
#include "support/interleavings.hpp"

#include <memory>

using namespace tutti::test;
namespace detail = tutti::transport::detail;

namespace {

using word = interleavings::word;
using flag = detail::basic_slot_flag<word>;
using bell = detail::basic_doorbell<word>;

constexpr tutti::transport::clock::time_point never = tutti::transport::clock::time_point::max();

/// A sender and a receiver who share one slot and sleep whenever there is nothing to do.
template <class Flag, class Bell>
struct exchange {
    static constexpr int messages = 2, most_sleeps = 50;
    Flag state;
    Bell senders, receivers;
    int data = 0;
    bool being_read = false;
    std::atomic<int> wrong{0};

    void send() {
        for (int n = 1; n <= messages; ++n) {
            wait(
                senders, [this] { return state.is_free(); }, [this] { return state.is_free_asking(); });
            if (being_read) ++wrong;
            data = n;
            if (state.publish()) receivers.ring();
        }
    }
    void receive() {
        for (int n = 1; n <= messages; ++n) {
            wait(
                receivers, [this] { return state.has_part(); }, [this] { return state.has_part_asking(); });
            being_read = true;
            if (data != n) ++wrong;
            being_read = false;
            if (state.release()) senders.ring();
        }
    }
    /// As a world waits: a look at the slot and at the bell, as often as it likes; then the promise, and a sleep.
    template <class Ready, class Asking>
    void wait(Bell& own, Ready ready, Asking asking) {
        for (int sleeps = 0; !ready();) {
            if (own.answer()) continue;
            if (asking()) return;
            if (++sleeps > most_sleeps) return void(++wrong);
            own.sleep(never);
        }
    }
};

template <class Flag, class Bell>
std::pair<interleavings::result, int> explored(int preemptions) {
    int wrong = 0;
    std::shared_ptr<exchange<Flag, Bell>> both;
    const auto result = interleavings::explore(preemptions, [&] {
        if (both) wrong += both->wrong;
        both = std::make_shared<exchange<Flag, Bell>>();
        return std::vector<interleavings::body>{[both] { both->send(); }, [both] { both->receive(); }};
    });
    return {result, wrong + both->wrong};
}

/// Looks who sleeps before it says that it has rung.
struct hasty_bell {
    word rung{0}, asleep{0};
    void ring() noexcept {
        const bool wake = asleep.load(std::memory_order_seq_cst) != 0;
        rung.store(1, std::memory_order_seq_cst);
        if (wake) wake_all(rung);
    }
    bool answer() noexcept { return rung.exchange(0, std::memory_order_acquire) != 0; }
    void sleep(tutti::transport::clock::time_point until) noexcept {
        asleep.store(1, std::memory_order_seq_cst);
        if (rung.load(std::memory_order_seq_cst) == 0) sleep_on(rung, 0, until);
        asleep.store(0, std::memory_order_relaxed);
        rung.store(0, std::memory_order_relaxed);
    }
};

/// A rank that sleeps by descriptors: `pipe` is what makes it readable. A hasty one empties it just before it sleeps.
template <bool Hasty>
struct polled_bell {
    bell inner;
    word pipe{0};
    void ring() noexcept {
        if (!inner.ring()) return;
        pipe.store(1, std::memory_order_seq_cst);
        wake_all(pipe);
    }
    bool answer() noexcept { return inner.answer(); }
    void sleep(tutti::transport::clock::time_point until) noexcept {
        if (inner.lie_down()) {
            if (Hasty) pipe.store(0, std::memory_order_seq_cst);
            sleep_on(pipe, 0, until);
        }
        pipe.store(0, std::memory_order_seq_cst);
        inner.get_up();
    }
};

/// Marks that it waits by a look and a store instead of one step.
struct torn_flag {
    word state{0};
    bool is_free() { return (state.load(std::memory_order_acquire) & 1) == 0; }
    bool is_free_asking() { return ask() == 0; }
    bool publish() { return (state.exchange(1, std::memory_order_acq_rel) & 4) != 0; }
    bool has_part() { return !is_free(); }
    bool has_part_asking() { return ask() != 0; }
    bool release() { return (state.exchange(0, std::memory_order_acq_rel) & 4) != 0; }
    std::uint32_t ask() {
        const std::uint32_t seen = state.load(std::memory_order_acquire);
        state.store(seen | 4, std::memory_order_release);
        return seen & 1;
    }
};

} // namespace

TEST_CASE("in no order of their steps does a sender or receiver sleep for ever, or touch what the other has") {
    const auto [result, wrong] = explored<flag, bell>(4);
    CHECK(result.runs > 1000);
    CHECK(result.stuck == 0);
    CHECK(wrong == 0);
}

TEST_CASE("in no order of their steps do they sleep for ever by descriptors either") {
    const auto [result, wrong] = explored<flag, polled_bell<false>>(3);
    CHECK(result.runs > 1000);
    CHECK(result.stuck == 0);
    CHECK(wrong == 0);
}

TEST_CASE("a pipe that is emptied on lying down loses a wake-up in some order") {
    CHECK(explored<flag, polled_bell<true>>(3).first.stuck > 0);
}

TEST_CASE("a bell that looks before it rings loses a wake-up in some order") {
    CHECK(explored<flag, hasty_bell>(3).first.stuck > 0);
}

TEST_CASE("a flag that is not changed in one step goes wrong in some order") {
    const auto [result, wrong] = explored<torn_flag, bell>(3);
    CHECK(result.stuck + static_cast<std::size_t>(wrong) > 0);
}

namespace {

/// A sender who lends memory and wants it back, and a receiver who copies it or uses it in place.
struct lending {
    bool in_place = false;
    flag state;
    word memory{1}; // the sender's; 2 once it belongs to others again
    std::atomic<bool> delivered_late{false}, touched_late{false};

    void send() {
        static_cast<void>(state.publish());
        state.withdraw();
        flag::finish_withdrawals();
        for (int looks = 0; looks < 3 && state.is_being_read();) ++looks; // not for ever
        memory.store(2, std::memory_order_relaxed);
    }
    void receive() {
        if (!state.has_part()) return;
        const bool granted = !in_place || state.begin_reading();
        const bool late = granted && memory.load(std::memory_order_relaxed) == 2;
        if (in_place) state.end_reading();
        if (granted && !state.was_withdrawn() && late) delivered_late = true;
        if (late) touched_late = true;
    }
};

/// Whether in any order something late was delivered, or read at all.
std::pair<bool, bool> late_in_any_order(bool in_place) {
    bool delivered = false, touched = false;
    std::shared_ptr<lending> both;
    const auto take_note = [&] {
        delivered = delivered || (both && both->delivered_late);
        touched = touched || (both && both->touched_late);
    };
    static_cast<void>(interleavings::explore(4, [&] {
        take_note();
        both = std::make_shared<lending>();
        both->in_place = in_place;
        return std::vector<interleavings::body>{[both] { both->send(); }, [both] { both->receive(); }};
    }));
    take_note();
    return {delivered, touched};
}

} // namespace

TEST_CASE("memory that is withdrawn while it is read, copied or in place, is never delivered, in any order") {
    CHECK((late_in_any_order(false) == std::pair{false, true}));
    CHECK((late_in_any_order(true) == std::pair{false, true}));
}
