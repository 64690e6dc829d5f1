// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../operation.hpp"
#include "cells.hpp"
#include "places.hpp"

#include "../../../base/language.hpp"

#include <cstddef>
#include <utility>
#include <vector>

/// Starting: each element of the input is changed, once, before anything else is done with it. The engine does so in
/// copies from the input, as it multiplies them by the factor of a premultiplied_sum.
namespace tutti::schedule {

/// The changed input goes to the output, where that holds the same chunks; else to scratch.
[[nodiscard]] constexpr bool starts_in_output(operation what, const position& at, int chunks) noexcept {
    return window(what, at, buffer::input, chunks) == window(what, at, buffer::output, chunks);
}
/// The position whose steps `started` takes. In the output the rest of the schedule is one in place.
[[nodiscard]] constexpr position before_start(operation what, position at, int chunks) noexcept {
    at.in_place = starts_in_output(what, at, chunks);
    return at;
}

namespace detail {

/// Puts the copies before the steps that are the first to use their chunks.
class starter_list {
public:
    TUTTI_CONSTEXPR starter_list(const std::vector<step>& steps, int chunks, bool in_output, bool in_place)
        : steps_(steps), cells_(steps, chunks), used_(static_cast<std::size_t>(cells_.count()), 0),
          in_output_(in_output), in_place_(in_place),
          home_(in_output ? buffer::output : static_cast<buffer>(scratch_windows(steps).size())) {}

    TUTTI_COLD [[nodiscard]] TUTTI_CONSTEXPR std::vector<step> make() && {
        made_.reserve(2 * steps_.size());
        for (std::size_t i = 0; i < steps_.size();) {
            const std::size_t end = i + parts_from(steps_, i); // parts of a message stay together
            for (std::size_t k = i; k < end; ++k) start(steps_[k]);
            for (; i < end; ++i) made_.push_back(renamed(steps_[i]));
        }
        return std::move(made_);
    }

private:
    [[nodiscard]] constexpr bool is_input(buffer b) const noexcept {
        return b == buffer::input || (in_output_ && b == buffer::output);
    }
    constexpr void start(const step& s) {
        for (int k = 0; k < sources(s); ++k)
            if (is_input(source(s, k).where)) use(source(s, k));
        if (!writes_to(s) || s.to.where != buffer::output) return;
        if (in_output_ ? reads_to(s) : in_place_) use(s.to); // it changes the memory of the input
        if (in_output_) overwrite(s.to);
    }
    constexpr void use(const place& x) {
        const place in = cells_.of(x);
        for (int c = in.first; c < in.first + in.count; ++c) {
            const int from = c;
            while (c < in.first + in.count && !std::exchange(used_[static_cast<std::size_t>(c)], 1)) ++c;
            if (c == from) continue;
            const int first = cells_.first_of(from), count = cells_.first_of(c) - first;
            made_.push_back(copy({buffer::input, first, count}, {home_, first, count}));
        }
    }
    /// What is overwritten without having been read takes no part in the result, as the last rank's input of an exscan.
    constexpr void overwrite(const place& x) {
        const place in = cells_.of(x);
        for (int c = in.first; c < in.first + in.count; ++c) used_[static_cast<std::size_t>(c)] = 1;
    }
    [[nodiscard]] constexpr step renamed(step s) const noexcept {
        const auto rename = [&](buffer& b) {
            if (b == buffer::input) b = home_;
        };
        if (reads_from(s)) rename(s.from.where);
        for (std::size_t k = 0; k < s.extra; ++k) rename(s.more[k]);
        return s;
    }

    const std::vector<step>& steps_;
    cells cells_;
    std::vector<char> used_; ///< by cell
    bool in_output_, in_place_;
    buffer home_; ///< what is read instead of the input
    std::vector<step> made_;
};

} // namespace detail

/// The steps of rank `at` such that only copies read its input: each chunk is copied once, before its first use, and
/// then read where it was copied to. These steps are those at before_start(at), which may be in place where `at` is
/// not.
///
/// Whatever is proven of them stays so, on any of the ranks: each copy waits for nothing, and peers get the same
/// messages. In place, steps that write the input's memory come after its copy. Scratch grows by the input where the
/// output does not hold it. Linear in steps. Precondition: the steps have been checked; fewer than
/// 65,534 scratch banks.
TUTTI_COLD [[nodiscard]] TUTTI_CONSTEXPR std::vector<step> started(operation what, const position& at, int chunks,
                                                                   const std::vector<step>& steps) {
    const bool in_output = starts_in_output(what, at, chunks);
    if (steps.empty() && in_output) return {copy({buffer::input, 0, chunks}, {buffer::output, 0, chunks})}; // one rank
    return detail::starter_list(steps, chunks, in_output, at.in_place).make();
}

} // namespace tutti::schedule
