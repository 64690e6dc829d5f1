// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "cells.hpp"
#include "places.hpp"
#include "views.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::schedule {

/// The *answers* of an allreduce. A rank sends chunks that a reduce_many views, and the next thing that happens
/// to their memory is that a message of the same peer brings the reduced chunks back. Where the reader can write to the
/// memory that it views, it writes its result there, too. The answer then brings no data.
///
/// The lists of steps, hence what verify proves, stay as they are. It is the same result in the same memory, sooner:
/// - Between a send that awaits an answer and the receive of that answer no other step of the rank touches the memory.
///   Steps before have done so before the send starts; those behind wait for the receive.
/// - The result is what the answer would have brought: no step writes it between the reduce_many and the send.
/// - Each end finds its half of this in its own steps. Both number the messages of the channel, and nothing is written
///   unless the numbers are equal. So they mean the same message, even where no proof was asked for.
///
/// A rank that replies to nobody awaits no answer: its peers' lists, which may be unlike its own, are not looked at.
class answers {
public:
    /// A viewed operand of a reduce_many whose sender gets the result.
    struct reply {
        int reader = -1;           ///< the reduce_many
        int operand = -1;          ///< its number there
        int receive = -1;          ///< what brought it
        int send = -1;             ///< the answer
        std::uint32_t message = 0; ///< which message to that peer the answer is, from 1
        friend constexpr bool operator==(const reply&, const reply&) = default;
    };

    answers() = default;
    /// Of steps that have these views. Linear in steps and in the chunks that they touch.
    TUTTI_COLD answers(const std::vector<step>& with_chunks, int peers, int chunks, bool in_place,
                       const views& viewed) {
        const auto is_many = [](const step& s) { return s.what == action::reduce_many; };
        if (std::any_of(with_chunks.begin(), with_chunks.end(), is_many))
            find(with_chunks, peers, chunks, in_place, viewed);
        if (replies_.empty()) *this = {};
    }

    /// Of a send: which message from its peer, from 1, may find its data written already; 0: none.
    [[nodiscard]] std::uint32_t awaited_by(std::size_t i) const { return awaited_.empty() ? 0 : awaited_[i]; }
    /// A receive whose data may have been written already.
    [[nodiscard]] bool brings(std::size_t i) const { return !brings_.empty() && brings_[i]; }
    /// The operands of a reduce_many that may be overwritten by its result.
    [[nodiscard]] std::span<const reply> of(int reader) const {
        const auto before = [](const reply& r, int i) { return r.reader < i; };
        const auto first = std::lower_bound(replies_.begin(), replies_.end(), reader, before);
        return {first, std::find_if(first, replies_.end(), [reader](const reply& r) { return r.reader != reader; })};
    }

private:
    /// What has happened to a chunk: its last writer, and who has read it since.
    struct use {
        int writer = -1;
        int reader = -1; ///< the last one
        int reads = 0;
        friend bool operator==(const use&, const use&) = default;
    };

    TUTTI_COLD void find(const std::vector<step>& with_chunks, int peers, int chunks, bool in_place,
                         const views& viewed) {
        const cells within(with_chunks, chunks);
        const std::vector<step> steps = within.of(with_chunks);
        const place_numbers numbers(steps, within.count(), in_place);
        std::vector<use> uses(numbers.size());
        awaited_.assign(steps.size(), 0);
        brings_.assign(steps.size(), 0);
        std::vector<std::uint32_t> sent(static_cast<std::size_t>(peers)), received(sent);
        const auto note = [&](const place& x, int by, bool writes) {
            for (use& u : std::span(uses).subspan(numbers.of(x.where, x.first), static_cast<std::size_t>(x.count)))
                u = writes ? use{by, -1, 0} : use{u.writer, by, u.reads + 1};
        };
        for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
            const auto number = static_cast<std::size_t>(i);
            const step& s = steps[number];
            if (communicates(s) && leads(steps, number)) {
                const bool whole = !s.joined;
                auto& messages = (sends(s) ? sent : received)[static_cast<std::size_t>(s.peer)];
                ++messages;
                if (whole && sends(s)) find_reader(steps, i, messages, numbers, uses, viewed);
                if (whole && s.what == action::receive && viewed.reader_of(i) < 0)
                    find_awaiting(steps, i, messages, numbers, uses);
            }
            for (int k = 0; k < sources(s); ++k) note(source(s, k), i, false);
            if (reads_to(s)) note(s.to, i, false);
            if (writes_to(s)) note(s.to, i, true);
        }
    }

    /// What has happened to all chunks of a place; a writer of -2: not the same to all.
    [[nodiscard]] static use of_all(const std::vector<use>& uses, const place& x, const place_numbers& numbers) {
        const auto all = std::span(uses).subspan(numbers.of(x.where, x.first), static_cast<std::size_t>(x.count));
        const auto is_other = [&](const use& u) { return u != all.front(); };
        return std::none_of(all.begin(), all.end(), is_other) ? all.front() : use{-2, -1, 0};
    }
    [[nodiscard]] static bool are_same(const place& a, const place& b, const place_numbers& numbers) {
        return a.count == b.count && numbers.of(a.where, a.first) == numbers.of(b.where, b.first);
    }

    /// Step i sends what a reduce_many has made of an operand that its peer had sent.
    void find_reader(const std::vector<step>& steps, int i, std::uint32_t message, const place_numbers& numbers,
                     const std::vector<use>& uses, const views& viewed) {
        const step& s = steps[static_cast<std::size_t>(i)];
        const auto all =
            std::span(uses).subspan(numbers.of(s.from.where, s.from.first), static_cast<std::size_t>(s.from.count));
        const int writer = all.front().writer;
        const auto is_other = [writer](const use& u) { return u.writer != writer; };
        if (writer < 0 || std::any_of(all.begin(), all.end(), is_other)) return;
        const step& made = steps[static_cast<std::size_t>(writer)];
        if (made.what != action::reduce_many || !are_same(made.to, s.from, numbers)) return;
        for (const auto& [receive, operand] : viewed.of(writer)) {
            const auto is_it = [receive](const reply& r) { return r.receive == receive; };
            const auto known = of(writer);
            if (steps[static_cast<std::size_t>(receive)].peer != s.peer ||
                std::any_of(known.begin(), known.end(), is_it))
                continue;
            const auto behind = [](int reader, const reply& r) { return reader < r.reader; };
            replies_.insert(std::upper_bound(replies_.begin(), replies_.end(), writer, behind),
                            {writer, operand, receive, i, message});
            return;
        }
    }
    /// Step i receives into memory that only one send has read since it was written, a send to the same peer.
    void find_awaiting(const std::vector<step>& steps, int i, std::uint32_t message, const place_numbers& numbers,
                       const std::vector<use>& uses) {
        const step& s = steps[static_cast<std::size_t>(i)];
        const use all = of_all(uses, s.to, numbers);
        if (all.reads != 1) return;
        const auto reader = static_cast<std::size_t>(all.reader);
        const step& sent = steps[reader];
        if (!sends(sent) || sent.peer != s.peer || sent.joined || !leads(steps, reader)) return;
        if (!are_same(sent.from, s.to, numbers)) return;
        awaited_[reader] = message;
        brings_[static_cast<std::size_t>(i)] = 1;
    }

    std::vector<std::uint32_t> awaited_; ///< by step
    std::vector<char> brings_;           ///< by step
    std::vector<reply> replies_;         ///< by reader
};

} // namespace tutti::schedule
