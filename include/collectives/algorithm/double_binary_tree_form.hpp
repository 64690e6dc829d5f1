// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"
#include "inorder_tree.hpp"

#include <algorithm>

namespace tutti::algorithm::detail {

/// Of what the double binary tree's operations consist. An estimate: who of two children is served first decides some.
///
/// The first segment goes through all levels, and at each of them waits for the other child's. Each further one ends
/// later by the busiest rank's turn: all that it does for a segment of either tree. Inside one tree and a leaf of the
/// other, it has a message from above and two to below in the one and a message from above in the other, or the other
/// way up. Under Hockney's model that makes (2h + 2(k - 1))(alpha + beta n / 2k) for k segments, one way.
template <class Costs>
class twin_trees_form {
public:
    constexpr explicit twin_trees_form(const Costs& c)
        : call_(c), wire_(c.of_one_segment()), bytes_(c.whole() / 2 / c.segments), each_s_(c.reduce(bytes_)) {}

    [[nodiscard]] constexpr auto time() const {
        if (call_.what == operation::allreduce) return allreduce();
        return call_.what == operation::reduce ? reduce() : broadcast();
    }

private:
    /// The root hangs above both trees, which are over the others.
    [[nodiscard]] constexpr auto reduce() const {
        const int below = children(call_.size - 1), h = height(call_.size - 1) + 1;
        const double further = std::max(turn(0, 2, 2), turn(2, below, below) + backlog(call_.size - 1, 2));
        return after_first(h * (hop() + each_s_) + (h - 1) * waits() + std::max(waits(), wire_.send(bytes_)), further);
    }
    [[nodiscard]] constexpr auto broadcast() const {
        const int below = children(call_.size - 1), h = height(call_.size - 1) + 1;
        const int branching = is_chain(call_.size - 1) ? 1 : h;
        return after_first(h * hop() + branching * wire_.send(bytes_), std::max(turn(2, 0, 0), turn(below, 2, 0)));
    }
    /// The result goes down while further segments come up. At the top, what a root sends down has to wait for what it
    /// sends up as a leaf of the other tree.
    [[nodiscard]] constexpr auto allreduce() const {
        const int h = height(call_.size), each_way = call_.size == 2 ? 2 : 4;
        const double top = std::max(wire_.message(bytes_) + each_s_, wire_.send(bytes_)) + wire_.message(bytes_);
        const double level = 2 * hop() + each_s_ + waits() + wire_.send(bytes_);
        return after_first(top + (h - 1) * level, turn(each_way, each_way, each_way / 2) + backlog(call_.size, 3));
    }

    [[nodiscard]] static constexpr int height(int nodes) { return inorder_tree(nodes).height(); }
    /// No node has two children.
    [[nodiscard]] static constexpr bool is_chain(int nodes) { return nodes <= 3; }
    /// The most messages that a rank gets from below for a segment of either tree.
    [[nodiscard]] static constexpr int children(int nodes) { return std::min(nodes - 1, 2); }

    [[nodiscard]] constexpr double hop() const { return wire_.header() + wire_.receive(bytes_); }
    /// How long one child's segment holds up the other's.
    [[nodiscard]] constexpr double waits() const { return wire_.receive(bytes_) + each_s_; }

    /// How long a rank is taken by so many messages, of which some are reduced. While its processor takes a message in
    /// it begins no other, so that of what port and processor could do at once they do one half.
    [[nodiscard]] constexpr double turn(int sends, int receives, int reductions) const {
        const double in = receives * wire_.handled(bytes_) + reductions * each_s_;
        const double out = sends * wire_.busy(bytes_), port = wire_.port(bytes_, sends, receives);
        return std::max(in + out, port) + std::min(in, port - out) / 2;
    }
    /// What it takes longer where leaves send faster than their parents reduce: those go on with the child whose
    /// segments they began with, and the other's wait until all of these are done; which is so on all levels, and cost
    /// up to so many messages in simulations.
    [[nodiscard]] constexpr double backlog(int nodes, int most) const {
        if (is_chain(nodes)) return 0;
        const double one = wire_.handled(bytes_) + each_s_;
        return std::min(most * one, 4 * std::max(one - wire_.send(bytes_), 0.0));
    }
    [[nodiscard]] constexpr auto after_first(double first_s, double further_s) const {
        return call_.time(first_s + (call_.segments - 1) * further_s, false);
    }

    const Costs& call_;
    typename Costs::wire_type wire_; ///< of one segment
    double bytes_;                   ///< of a message
    double each_s_;                  ///< to reduce a message
};

} // namespace tutti::algorithm::detail
