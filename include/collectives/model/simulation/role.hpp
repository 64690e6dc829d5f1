// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../schedule/lowering/order.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tutti::model::detail {

/// No step, no slot.
inline constexpr std::uint32_t none = 0xffffffff;

/// A rank's schedule without its peers: kinds, lengths and dependencies of its steps. Ranks whose schedules differ in
/// the peers alone share one; the peers are in *slots*, which steps name by their numbers.
struct role {
    struct step {
        schedule::action what = schedule::action::send;
        std::uint8_t operands = 1; ///< that are read besides `to`
        std::uint32_t slot = none;
        std::uint32_t number = 0;  ///< among the sends to that peer, or the receives from it
        std::uint32_t length = 0;  ///< a number in graph::lengths
        std::uint32_t waits = 0;   ///< for completions, for a start on its channel, and a receive for its message
        std::uint32_t next = none; ///< the step that its start releases
        friend bool operator==(const step&, const step&) = default;
    };
    std::vector<step> steps;
    std::vector<std::uint32_t> numbers;                 ///< by step, in the rank's list; empty where it is the same
    std::vector<std::uint32_t> first, followers;        ///< as in schedule::order
    std::vector<std::uint32_t> first_receive, receives; ///< by slot: the receives, in their order
    std::vector<std::uint32_t> sends;                   ///< by slot: how many
    friend bool operator==(const role&, const role&) = default;

    [[nodiscard]] std::uint32_t receive(std::uint32_t slot, std::uint32_t number) const noexcept {
        return receives[first_receive[slot] + number];
    }
    [[nodiscard]] std::uint32_t receives_from(std::uint32_t slot) const noexcept {
        return first_receive[slot + 1] - first_receive[slot];
    }
    [[nodiscard]] std::size_t sent() const noexcept {
        std::size_t sum = 0;
        for (const std::uint32_t n : sends) sum += n;
        return sum;
    }
};

/// Numbers the messages of each channel, and lists the receives by slot.
inline void number_messages(role& r, std::size_t slot_count) {
    std::vector<std::uint32_t> received(slot_count, 0);
    r.sends.assign(slot_count, 0);
    for (role::step& s : r.steps) {
        if (s.slot == none) continue;
        auto& count = s.what == schedule::action::send ? r.sends[s.slot] : received[s.slot];
        s.number = count++;
    }
    r.first_receive.assign(slot_count + 1, 0);
    for (std::size_t k = 0; k < slot_count; ++k) r.first_receive[k + 1] = r.first_receive[k] + received[k];
    r.receives.assign(r.first_receive.back(), 0);
    for (std::uint32_t i = 0; i < r.steps.size(); ++i)
        if (const role::step& s = r.steps[i]; s.slot != none && s.what != schedule::action::send)
            r.receives[r.first_receive[s.slot] + s.number] = i;
}

/// Renumbers what an order names so that it does not count further parts of messages, which never start. `waits` and
/// `next_on_channel` are still looked up by the old numbers. Says which these are, by the new ones.
[[nodiscard]] inline std::vector<std::uint32_t> number_without_parts(const std::vector<schedule::step>& steps,
                                                                     schedule::order& order) {
    std::vector<std::uint32_t> number, old, first;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        number.push_back(static_cast<std::uint32_t>(old.size()));
        if (!schedule::leads(steps, i)) continue;
        old.push_back(static_cast<std::uint32_t>(i));
        first.push_back(order.first[i]);
    }
    first.push_back(order.first.back());
    order.first = std::move(first);
    for (std::uint32_t& f : order.followers) f = number[f];
    for (int& next : order.next_on_channel)
        if (next >= 0) next = static_cast<int>(number[static_cast<std::size_t>(next)]);
    return old;
}

/// The role of steps whose peers are slots, without further parts of messages. lengths[i] is the number of step i's
/// length.
[[nodiscard]] inline role make_role(const std::vector<schedule::step>& steps, schedule::order order,
                                    std::span<const std::uint32_t> lengths, std::size_t slot_count) {
    role r;
    if (schedule::has_joined(steps)) r.numbers = number_without_parts(steps, order);
    r.steps.reserve(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!schedule::leads(steps, i)) continue;
        const schedule::step& s = steps[i];
        const bool with_peer = schedule::communicates(s);
        const int next = order.next_on_channel[i];
        r.steps.push_back({s.what, static_cast<std::uint8_t>(schedule::sources(s)),
                           with_peer ? static_cast<std::uint32_t>(s.peer) : none, 0, lengths[i],
                           order.waits[i] + (schedule::receives(s) ? 1 : 0),
                           next < 0 ? none : static_cast<std::uint32_t>(next)});
    }
    r.first = std::move(order.first);
    r.followers = std::move(order.followers);
    number_messages(r, slot_count);
    return r;
}

/// Equal for equal roles.
[[nodiscard]] inline std::uint64_t hash_of(const role& r) noexcept {
    std::uint64_t h = 0xcbf29ce484222325; // FNV-1a
    const auto add = [&h](std::uint64_t x) { h = (h ^ x) * 0x100000001b3; };
    for (const role::step& s : r.steps) {
        add(static_cast<std::uint64_t>(s.what) << 32 | s.slot);
        add(std::uint64_t{s.length} << 32 | s.waits);
    }
    for (const std::uint32_t f : r.followers) add(f);
    return h;
}

} // namespace tutti::model::detail
