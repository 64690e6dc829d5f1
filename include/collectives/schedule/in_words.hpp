// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "step.hpp"

#include <string>

namespace tutti::schedule {

/// "input", "output" or "scratch 3".
[[nodiscard]] inline std::string name_of(buffer b) {
    if (b == buffer::input) return "input";
    if (b == buffer::output) return "output";
    return "scratch " + std::to_string(index_of(b) - index_of(buffer::first_scratch));
}

namespace detail {

/// "chunk 3" or "chunks 0-1". Of what is no range it tells the figures, since those are what is wrong.
[[nodiscard]] inline std::string chunks_in_words(const place& x) {
    using std::to_string;
    if (x.count == 1) return "chunk " + to_string(x.first);
    if (x.count < 1) return to_string(x.count) + " chunks from chunk " + to_string(x.first);
    return "chunks " + to_string(x.first) + "-" + to_string(static_cast<long long>(x.first) + x.count - 1);
}

[[nodiscard]] inline std::string operands_in_words(const step& s) {
    std::string all = name_of(s.from.where);
    for (int k = 1; k < sources(s) && k < most_operands; ++k)
        all.append(k + 1 < sources(s) ? ", " : " and ").append(name_of(source(s, k).where));
    return all;
}

} // namespace detail

/// A step as one would say it: "send chunks 0-1 of output to rank 3".
TUTTI_COLD [[nodiscard]] inline std::string in_words(const step& s) {
    const std::string chunks = detail::chunks_in_words(s.what == action::receive ? s.to : s.from);
    const std::string peer = "rank " + std::to_string(s.peer), from = name_of(s.from.where), to = name_of(s.to.where);
    const bool left = s.other == side::left;
    switch (s.what) {
    case action::send: return "send " + chunks + " of " + from + " to " + peer;
    case action::receive: return "receive " + chunks + " from " + peer + " into " + to;
    case action::receive_reduce:
        return "receive " + chunks + " from " + peer + ", reduce it with " + from + " into " + to +
               (left ? ", incoming left" : "");
    case action::copy: return "copy " + chunks + " of " + from + " to " + to;
    case action::reduce: return "reduce " + chunks + " of " + from + " into " + to + (left ? ", from the left" : "");
    case action::reduce_many: return "reduce " + chunks + " of " + detail::operands_in_words(s) + " into " + to;
    }
    return {};
}

} // namespace tutti::schedule
