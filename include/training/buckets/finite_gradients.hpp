// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../collectives/allreduce.hpp"
#include "bucket_plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace tutti::training {

/// A gradient that has a NaN or an infinity.
struct bad_gradient {
    /// The first one that had computed any, by its rank in the first communicator of all. -1: all were finite, and
    /// their average is not.
    int rank = 0;
    std::size_t parameter = 0; ///< one of its parameters that do
};

namespace detail {

/// Every exponent is less than the one of infinities and NaNs. No branch, and as many at a time as are known, so that
/// compilers make vectors of it at -O2 too.
[[nodiscard]] inline bool all_finite(std::span<const float> numbers) noexcept {
    const auto is_bad = [](float x) {
        constexpr std::uint32_t exponent = 0x7f800000;
        return static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(x) & exponent) == exponent);
    };
    std::array<std::uint32_t, 16> found{};
    for (; numbers.size() >= found.size(); numbers = numbers.subspan(found.size()))
        for (std::size_t k = 0; k < found.size(); ++k) found[k] |= is_bad(numbers[k]);
    for (const float x : numbers) found[0] |= is_bad(x);
    return std::ranges::none_of(found, [](std::uint32_t bad) { return bad != 0; });
}

/// Looks at gradients before they travel, while they are in the cache. Ranks then tell each other what they found.
class finite_check {
public:
    explicit finite_check(bool is_on) noexcept : is_on_(is_on) {}

    /// `numbers` are the gradients of a bucket.
    void look(const bucket_plan& plan, std::size_t b, std::span<const float> numbers) {
        if (!is_on_ || own_ != none || all_finite(numbers)) return;
        const bucket& of = plan.buckets()[b];
        for (std::size_t i = of.first; own_ == none && i < of.last; ++i)
            if (!all_finite(numbers.subspan(plan.begin(i) - of.begin, plan.elements(i)))) own_ = i;
    }
    /// `numbers` are the averages of all parameters, the same on all ranks.
    void look_at_averages(const bucket_plan& plan, std::span<const float> numbers) {
        if (!is_on_ || all_finite(numbers)) return;
        for (std::size_t i = 0; average_ == none && i < plan.parameters().size(); ++i)
            if (!all_finite(numbers.subspan(plan.begin(i), plan.elements(i)))) average_ = i;
    }
    /// At the end of a round. Collective.
    template <class Communicator>
    void tell(const Communicator& world) {
        found_.reset();
        if (!is_on_) return;
        const auto rank = static_cast<std::uint64_t>(world.rank());
        const std::uint64_t first = world.allreduce(own_ == none ? none : rank << 40U | own_, minimum);
        own_ = none;
        const std::uint64_t average = std::exchange(average_, none);
        if (first == none && average != none) found_ = {-1, static_cast<std::size_t>(average)};
        if (first == none) return;
        found_ = {world.world_rank(static_cast<int>(first >> 40U)), first & 0xffffffffffU};
    }
    /// Of the last round.
    [[nodiscard]] const std::optional<bad_gradient>& found() const noexcept { return found_; }

private:
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

    bool is_on_;
    std::uint64_t own_ = none;     ///< a parameter of this rank
    std::uint64_t average_ = none; ///< a parameter of all
    std::optional<bad_gradient> found_;
};

} // namespace detail

} // namespace tutti::training
