// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../program.hpp"
#include "places.hpp"

#include "../../../base/language.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

/// Packing: the parts of each message lie one after the other in memory, so that transports carry one range of it.
namespace tutti::schedule {

namespace detail {

[[nodiscard]] constexpr place part_at(const step& s) noexcept { return sends(s) ? s.from : s.to; }

/// Copies joined parts into scratch banks of their own, and what has been received out of them.
class packer {
public:
    TUTTI_CONSTEXPR explicit packer(const std::vector<step>& steps) : steps_(steps), windows_(scratch_windows(steps)) {
        next_ = static_cast<int>(windows_.size());
    }
    /// How many buffers there are once all is packed.
    [[nodiscard]] constexpr std::size_t buffers() const {
        std::size_t sum = windows_.size();
        for (std::size_t i = 0, parts = 0; i < steps_.size(); i += parts) {
            parts = parts_from(steps_, i);
            if (parts > 1 && !are_in_a_row(i, parts)) sum += parts;
        }
        return sum;
    }
    [[nodiscard]] TUTTI_CONSTEXPR std::vector<step> pack() && {
        made_.reserve(2 * steps_.size());
        for (std::size_t i = 0; i < steps_.size(); i += parts_from(steps_, i)) message(i, parts_from(steps_, i));
        return std::move(made_);
    }

private:
    TUTTI_COLD constexpr void message(std::size_t first, std::size_t parts) {
        if (parts == 1 || are_in_a_row(first, parts)) {
            for (std::size_t k = 0; k < parts; ++k) made_.push_back(steps_[first + k]);
            return;
        }
        const int bank = std::exchange(next_, next_ + static_cast<int>(parts));
        const auto landing = [&](std::size_t k) {
            const place x = part_at(steps_[first + k]);
            return place{static_cast<buffer>(bank + static_cast<int>(k)), x.first, x.count};
        };
        const bool sent = sends(steps_[first]);
        for (std::size_t k = 0; sent && k < parts; ++k) made_.push_back(copy(steps_[first + k].from, landing(k)));
        for (std::size_t k = 0; k < parts; ++k) {
            const step& s = steps_[first + k];
            made_.push_back(sent ? send(s.peer, landing(k)) : receive(s.peer, landing(k)));
            made_.back().joined = s.joined;
        }
        for (std::size_t k = 0; !sent && k < parts; ++k) made_.push_back(taken_out(steps_[first + k], landing(k)));
    }

    /// Each part fills a scratch bank, the next part the next one.
    [[nodiscard]] TUTTI_CONSTEXPR bool are_in_a_row(std::size_t first, std::size_t parts) const {
        const int bank = index_of(part_at(steps_[first]).where);
        if (bank < index_of(buffer::first_scratch)) return false;
        for (std::size_t k = 0; k < parts; ++k) {
            const step& s = steps_[first + k];
            const place x = part_at(s);
            if (s.what == action::receive_reduce || index_of(x.where) != bank + static_cast<int>(k)) return false;
            if (windows_[static_cast<std::size_t>(index_of(x.where))] != chunk_range{x.first, x.first + x.count})
                return false;
        }
        return true;
    }

    /// What a part does that has landed in a bank.
    [[nodiscard]] static constexpr step taken_out(const step& s, const place& landed) {
        if (s.what == action::receive) return copy(landed, s.to);
        if (s.from == s.to) return reduce(landed, s.to, s.other);
        const bool left = s.other == side::left;
        const std::array more{left ? s.from.where : landed.where};
        return reduce_many(left ? landed : s.from, more, s.to);
    }

    const std::vector<step>& steps_;
    std::vector<chunk_range> windows_;
    int next_; ///< the first buffer that nothing uses
    std::vector<step> made_;
};

} // namespace detail

/// The steps of one rank with each message in one range of memory: the parts of a message, still joined, are then whole
/// scratch banks, one after the other. Parts that lie so already stay where they are. Others are copied there before
/// they are sent, and from there, or reduced, when they have been received. Without joined steps nothing is changed.
///
/// Whatever is proven stays so, with the same expressions, hence bits, and on any of the ranks. Banks are used once, so
/// a receive waits for no data; a send waits for copies, and these for what the send has waited for. Peers get the same
/// messages. Scratch grows by what is copied. Linear in steps. Precondition: the steps have been checked, and
/// can_be_packed.
TUTTI_COLD [[nodiscard]] TUTTI_CONSTEXPR std::vector<step> packed(std::vector<step> steps) {
    if (!has_joined(steps)) return steps;
    return detail::packer(steps).pack();
}

/// The scratch windows of steps once they are packed.
[[nodiscard]] TUTTI_CONSTEXPR std::vector<chunk_range> scratch_windows_packed(const std::vector<step>& steps) {
    return has_joined(steps) ? scratch_windows(packed(steps)) : scratch_windows(steps);
}

/// Whether packed() can number the scratch banks that it needs.
[[nodiscard]] TUTTI_CONSTEXPR bool can_be_packed(const std::vector<step>& steps) {
    constexpr std::size_t most = 65'536;
    return !has_joined(steps) || detail::packer(steps).buffers() <= most;
}

/// The same of all ranks. A flaw then names the steps of the packed lists, since whose they were is not kept.
[[nodiscard]] TUTTI_CONSTEXPR program packed(program p) {
    for (std::vector<step>& steps : p.ranks) steps = packed(std::move(steps));
    p.segments = 1;
    p.parts.clear();
    return p;
}

/// The program with each part as a message of its own. Parts then start and complete on their own, so nothing waits for
/// more than before, and what is proven stays so.
[[nodiscard]] TUTTI_CONSTEXPR program unjoined(program p) {
    for (std::vector<step>& steps : p.ranks)
        for (step& s : steps) s.joined = false;
    return p;
}

} // namespace tutti::schedule
