// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "pack.hpp"

#include "../../../base/language.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

/// Lowering: every receive_reduce becomes a receive and a local reduce, and messages are packed. So no transport
/// reduces.
namespace tutti::schedule {

namespace detail {

/// The landing places of messages that are to be reduced: a scratch bank for each buffer that they are reduced into.
class landing_banks {
public:
    TUTTI_CONSTEXPR explicit landing_banks(const std::vector<step>& steps) {
        for (const step& s : steps) {
            for (int k = 0; k < sources(s); ++k) use(source(s, k).where);
            if (writes_to(s)) use(s.to.where);
        }
        banks_.assign(static_cast<std::size_t>(next_), -1);
    }
    [[nodiscard]] TUTTI_CONSTEXPR place of(const place& x) {
        int& bank = banks_[static_cast<std::size_t>(index_of(x.where))];
        if (bank < 0) bank = next_++;
        return {static_cast<buffer>(bank), x.first, x.count};
    }

private:
    constexpr void use(buffer b) { next_ = std::max(next_, index_of(b) + 1); }

    int next_ = index_of(buffer::first_scratch); ///< the first buffer that nothing uses
    std::vector<int> banks_;                     ///< by buffer; -1: none yet
};

} // namespace detail

/// The steps of one rank without a receive_reduce. The message lands in `to`, where that is not the memory of its
/// `from`, else in a scratch bank that only receives for the same buffer use.
///
/// Whatever is proven stays so, with the same expressions, hence bits, and on any of the ranks. A receive waits only
/// for steps that its receive_reduce has waited for. Two receives that share a landing place share their `to` as well:
/// the second one has waited for the first in any case. No step waits for more than before.
/// Peers get the same messages in the same order. For each buffer that is reduced into, scratch grows by at most the
/// range of these chunks. Linear in steps. Precondition: the steps have been checked, and can_be_lowered.
TUTTI_COLD [[nodiscard]] TUTTI_CONSTEXPR std::vector<step> lowered(std::vector<step> with_joined, bool in_place) {
    const std::vector<step> steps = packed(std::move(with_joined));
    const auto memory_of = [&](buffer b) { return in_place && b == buffer::input ? buffer::output : b; };
    detail::landing_banks banks(steps);
    std::vector<step> all;
    all.reserve(steps.size());
    for (const step& s : steps) {
        if (s.what != action::receive_reduce) {
            all.push_back(s);
        } else if (memory_of(s.from.where) != memory_of(s.to.where)) {
            all.push_back(receive(s.peer, s.to));
            all.push_back(reduce(s.from, s.to, s.other == side::left ? side::right : side::left));
        } else {
            const place landing = banks.of(s.to);
            all.push_back(receive(s.peer, landing));
            all.push_back(reduce(landing, s.to, s.other));
        }
    }
    return all;
}

/// Whether lowered() can number the scratch banks that it needs.
[[nodiscard]] TUTTI_CONSTEXPR bool can_be_lowered(const std::vector<step>& steps) {
    constexpr std::size_t most = 32'767;
    return (has_joined(steps) ? detail::packer(steps).buffers() : scratch_windows(steps).size()) <= most;
}

/// The same of all ranks. A flaw then names the steps of the lowered lists, since whose they were is not kept.
[[nodiscard]] TUTTI_CONSTEXPR program lowered(program p) {
    for (std::vector<step>& steps : p.ranks) steps = lowered(std::move(steps), p.in_place);
    p.segments = 1;
    p.parts.clear();
    return p;
}

} // namespace tutti::schedule
