// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "collective.hpp"
#include "machine.hpp"

#include "../algorithm/all.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>

namespace tutti::model {

namespace detail {

/// The value at x on the lines between the known ones of `count` points, ascending by position(k); beyond them that of
/// the outermost. None if none is known: value(k) says nothing then.
template <class Position, class Value>
[[nodiscard]] std::optional<double> interpolated(std::size_t count, double x, Position&& position, Value&& value) {
    std::optional<double> below;
    double below_x = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const std::optional<double> here = value(k);
        if (!here) continue;
        const double here_x = position(k);
        if (x <= here_x) return below ? *below + (*here - *below) * (x - below_x) / (here_x - below_x) : *here;
        below = here;
        below_x = here_x;
    }
    return below;
}

} // namespace detail

/// The measured time of calls over the predicted one, by operation, algorithm, ranks and bytes. A few parameters cannot
/// say all that a call goes through; what they miss of an algorithm changes slowly with its size, and is more than lies
/// between it and the next best. Those of calls in place, cut as the library does by rule, count for all calls. Plain
/// data, at most 8 numbers of ranks and 12 sizes; hierarchical algorithms have none.
class residuals {
public:
    /// How many numbers of ranks, and how many sizes, there can be.
    /// @{
    static constexpr std::size_t most_ranks = 8, most_sizes = 12;
    /// @}
    /// The least and the largest ratio that is kept.
    static constexpr double least = 1e-3, most = 1e3; ///< ratios of anything but a mistake

    residuals() = default;
    /// None known yet, of these numbers of ranks and these sizes, each ascending. Throws
    /// tutti::error(invalid_argument) where they do not ascend from 1, or are too many.
    residuals(std::span<const int> ranks, std::span<const std::size_t> bytes);

    /// The numbers of ranks that were measured, ascending.
    [[nodiscard]] std::span<const int> ranks() const noexcept { return {ranks_.data(), rank_count_}; }
    /// The sizes that were measured, in bytes, ascending.
    [[nodiscard]] std::span<const std::size_t> bytes() const noexcept { return {bytes_.data(), size_count_}; }

    /// Whether this algorithm may have any.
    [[nodiscard]] static bool has(schedule::operation what, const algorithm::any& how) noexcept {
        return how.offers(what) && index_of(how).has_value();
    }
    /// Measured over predicted time where the k-th number of ranks calls with the s-th size; 0: not known.
    /// Precondition: both are among those above, and has(what, how).
    [[nodiscard]] float at(schedule::operation what, const algorithm::any& how, std::size_t k,
                           std::size_t s) const noexcept {
        return ratios_[static_cast<std::size_t>(what)][*index_of(how)][k][s];
    }
    /// A ratio beyond `least` and `most` is taken for that.
    void set(schedule::operation what, const algorithm::any& how, std::size_t k, std::size_t s, double ratio) noexcept {
        const double sound = ratio > 0 ? std::clamp(ratio, least, most) : 0;
        ratios_[static_cast<std::size_t>(what)][*index_of(how)][k][s] = static_cast<float>(sound);
    }

    /// Measured over predicted time of a call, of all ranks on one node: between the ranks and sizes that are known on
    /// the line through their logarithms, beyond them that of the outermost; 1 where nothing is known.
    [[nodiscard]] double factor(const collective& c) const {
        if (!has(c.what, c.how)) return 1;
        const auto along_sizes = [&](std::size_t k) {
            return detail::interpolated(
                size_count_, logarithm(c.bytes), [&](std::size_t s) { return logarithm(bytes_[s]); },
                [&](std::size_t s) { return known(at(c.what, c.how, k, s)); });
        };
        const auto found = detail::interpolated(
            rank_count_, std::log(c.size), [&](std::size_t k) { return std::log(ranks_[k]); }, along_sizes);
        return found ? std::exp(*found) : 1;
    }

    friend bool operator==(const residuals&, const residuals&) = default;

private:
    using of_algorithm = std::array<std::array<float, most_sizes>, most_ranks>;
    using of_operation = std::array<of_algorithm, algorithm::flat_algorithms>;

    [[nodiscard]] static std::optional<std::size_t> index_of(const algorithm::any& how) noexcept {
        static const auto known = algorithm::all();
        const auto found = std::find_if(known.begin(), known.end(), [&](const auto& a) { return a == how; });
        if (found - known.begin() >= static_cast<std::ptrdiff_t>(algorithm::flat_algorithms)) return {};
        return static_cast<std::size_t>(found - known.begin());
    }
    [[nodiscard]] static double logarithm(std::size_t bytes) noexcept {
        return std::log(static_cast<double>(std::max<std::size_t>(bytes, 1)));
    }
    [[nodiscard]] static std::optional<double> known(float ratio) noexcept {
        return ratio > 0 ? std::optional(std::log(static_cast<double>(ratio))) : std::nullopt;
    }

    std::size_t rank_count_ = 0, size_count_ = 0;
    std::array<int, most_ranks> ranks_{};
    std::array<std::size_t, most_sizes> bytes_{};
    std::array<of_operation, schedule::operations.size()> ratios_{};
};

/// A machine, and the ratios of measured times to its prices.
struct calibrated_machine : machine {
    residuals residual; ///< measured over predicted times

    /// A machine, and its ratios if they are known.
    calibrated_machine(const machine& m = {}, const residuals& r = {}) : machine(m), residual(r) {} // NOLINT: converts
    friend bool operator==(const calibrated_machine&, const calibrated_machine&) = default;
};
static_assert(std::is_trivially_copyable_v<calibrated_machine>, "ranks take those of rank 0");

inline residuals::residuals(std::span<const int> ranks, std::span<const std::size_t> bytes)
    : rank_count_(ranks.size()), size_count_(bytes.size()) {
    const auto ascends = [](const auto& values) {
        return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>{}) == values.end() &&
               (values.empty() || values.front() >= 1);
    };
    if (ranks.size() > most_ranks || bytes.size() > most_sizes) reject("residuals", "at most 8 ranks and 12 sizes");
    if (!ascends(ranks) || !ascends(bytes)) reject("residuals", "ranks and sizes must ascend from 1");
    std::copy(ranks.begin(), ranks.end(), ranks_.begin());
    std::copy(bytes.begin(), bytes.end(), bytes_.begin());
}

} // namespace tutti::model
