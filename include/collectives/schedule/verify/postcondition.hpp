// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "symbolic_execution.hpp"

#include "../../../base/language.hpp"

namespace tutti::schedule {

/// Whether all ranks must hold the same bits, or whether each may group and order the operands in its own way.
enum class bits : bool {
    equal,      ///< on all ranks
    may_differ, ///< each rank groups and orders operands in its own way
};

namespace detail {

/// Compares the outputs that an execution left with the results that the operation promises.
class postcondition {
public:
    TUTTI_CONSTEXPR postcondition(const program& p, const symbolic_execution& e, bits same)
        : p_(p), e_(e), same_(same), expected_(static_cast<std::size_t>(p.chunks), -1),
          holder_(static_cast<std::size_t>(p.chunks), -1) {}

    /// To be called when the execution has run.
    TUTTI_CONSTEXPR finding examine() {
        complete_.assign(e_.values().size(), 0);
        finding first;
        for (int r = 0; r < p_.size && first.what == flaw::none; ++r)
            window(p_.what, p_.at(r), buffer::output, p_.chunks).each([&](int c) {
                if (first.what == flaw::none) first = check_result(r, c);
            });
        return first;
    }
    /// Every result has its operands in rank order.
    [[nodiscard]] constexpr bool preserves_order() const noexcept { return preserves_order_; }

private:
    TUTTI_CONSTEXPR finding check_result(int r, int c) {
        if (is_scan(p_.what)) return check_prefix(r, c);
        return schedule::reduces(p_.what) ? check_sum(r, c) : check_copy(r, c);
    }

    TUTTI_CONSTEXPR finding check_copy(int r, int c) const {
        const bool from_root = p_.what == operation::broadcast || p_.what == operation::scatter;
        const int part = c / (p_.chunks / parts_of(p_.what, p_.size));
        const int source = from_root ? p_.root : part % p_.size;
        if (value(r, c) == source) return {};
        return {flaw::wrong_data, r, writer(r, c), source, -1, c};
    }

    TUTTI_CONSTEXPR finding check_sum(int r, int c) {
        const int found = value(r, c);
        if (found < 0) return {flaw::lost, r, -1, r, -1, c};
        auto& expected = expected_[static_cast<std::size_t>(c)];
        if (found == expected) return {};
        if (const finding f = check_complete(r, c, found); f.what != flaw::none) return f;
        preserves_order_ = preserves_order_ && e_.values()[found].in_rank_order;
        if (expected < 0) {
            expected = found;
            holder_[static_cast<std::size_t>(c)] = r;
            return {};
        }
        if (same_ == bits::may_differ) return {};
        const int other = holder_[static_cast<std::size_t>(c)];
        return {flaw::different_bits, r, writer(r, c), other, writer(other, c), c};
    }

    /// Ranks hold different results here, so none is compared with another's.
    TUTTI_CONSTEXPR finding check_prefix(int r, int c) const {
        const int last = p_.what == operation::scan ? r : r - 1, found = value(r, c);
        if (found < 0) return {flaw::lost, r, -1, 0, -1, c};
        const auto& node = e_.values()[found];
        if (node.in_rank_order && node.lowest == 0 && node.highest == last) return {};
        const std::vector<int> times = e_.values().inputs_of(found, p_.size);
        for (int q = 0; q < p_.size; ++q)
            if (times[static_cast<std::size_t>(q)] > 1) return doubled(found, q, c);
        for (int q = 0; q <= last; ++q)
            if (times[static_cast<std::size_t>(q)] < 1) return {flaw::lost, r, writer(r, c), q, -1, c};
        return {flaw::not_a_prefix, r, writer(r, c), last, -1, c};
    }

    TUTTI_CONSTEXPR finding check_complete(int r, int c, int n) {
        char& known = complete_[static_cast<std::size_t>(n)];
        if (known) return {};
        const std::vector<int> times = e_.values().inputs_of(n, p_.size);
        for (int q = 0; q < p_.size; ++q)
            if (times[static_cast<std::size_t>(q)] > 1) return doubled(n, q, c);
        for (int q = 0; q < p_.size; ++q)
            if (times[static_cast<std::size_t>(q)] < 1) return {flaw::lost, r, writer(r, c), q, -1, c};
        known = 1;
        return {};
    }

    /// Blames the step that first brought two sums together that both have rank q's input.
    TUTTI_CONSTEXPR finding doubled(int n, int q, int c) const {
        const auto times_in = [&](int x) { return e_.values().inputs_of(x, p_.size)[static_cast<std::size_t>(q)]; };
        for (;;) {
            const auto& node = e_.values()[n];
            if (times_in(node.left) > 1)
                n = node.left;
            else if (times_in(node.right) > 1)
                n = node.right;
            else
                return {flaw::doubled, node.rank, node.step, q, -1, c};
        }
    }

    TUTTI_CONSTEXPR int value(int r, int c) const { return e_.value(r, {buffer::output, c, 1}); }
    TUTTI_CONSTEXPR int writer(int r, int c) const { return e_.writer(r, {buffer::output, c, 1}); }

    const program& p_;
    const symbolic_execution& e_;
    bits same_;
    std::vector<char> complete_; ///< per expression: holds every input exactly once
    std::vector<int> expected_;  ///< per chunk: the expression that all ranks must hold
    std::vector<int> holder_;    ///< per chunk: the rank where it was first seen
    bool preserves_order_ = true;
};

} // namespace detail

} // namespace tutti::schedule
