// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../algorithm/inorder_tree.hpp"
#include "data.hpp"
#include "form.hpp"
#include "wire.hpp"

#include <algorithm>

namespace tutti::model::detail {

/// Of what the double binary tree's operations consist. An estimate: who of two children is served first decides some.
///
/// The first segment goes through all levels, and at each of them waits for the other child's. Each further one ends
/// later by the busiest rank's turn: all that it does for a segment of either tree. Inside one tree and a leaf of the
/// other, it has a message from above and two to below in the one and a message from above in the other, or the other
/// way up. Under Hockney's model that makes (2h + 2(k - 1))(alpha + beta n / 2k) for k segments, one way.
template <class Model>
class trees {
public:
    trees(const wire<Model>& w, const data& d, int size, int segments)
        : wire_(w), bytes_(d.whole() / 2 / segments), size_(size), segments_(segments), each_s_(w.reduce(bytes_)) {}

    /// The root hangs above both trees, which are over the others.
    [[nodiscard]] form reduce() const {
        const int below = children(size_ - 1), h = height(size_ - 1) + 1;
        const double further = std::max(turn(0, 2, 2), turn(2, below, below) + backlog(size_ - 1, 2));
        return after_first(h * (hop() + each_s_) + (h - 1) * waits() + std::max(waits(), wire_.send(bytes_)), further);
    }
    [[nodiscard]] form broadcast() const {
        const int below = children(size_ - 1), h = height(size_ - 1) + 1;
        const int branching = is_chain(size_ - 1) ? 1 : h;
        return after_first(h * hop() + branching * wire_.send(bytes_), std::max(turn(2, 0, 0), turn(below, 2, 0)));
    }
    /// The result goes down while further segments come up. At the top, what a root sends down has to wait for what it
    /// sends up as a leaf of the other tree.
    [[nodiscard]] form allreduce() const {
        const int h = height(size_), each_way = size_ == 2 ? 2 : 4;
        const double top = std::max(wire_.message(bytes_) + each_s_, wire_.send(bytes_)) + wire_.message(bytes_);
        const double level = 2 * hop() + each_s_ + waits() + wire_.send(bytes_);
        return after_first(top + (h - 1) * level, turn(each_way, each_way, each_way / 2) + backlog(size_, 3));
    }

private:
    [[nodiscard]] static int height(int nodes) { return algorithm::detail::inorder_tree(nodes).height(); }
    /// No node has two children.
    [[nodiscard]] static bool is_chain(int nodes) { return nodes <= 3; }
    /// The most messages that a rank gets from below for a segment of either tree.
    [[nodiscard]] static int children(int nodes) { return std::min(nodes - 1, 2); }

    [[nodiscard]] double hop() const { return wire_.header() + wire_.receive(bytes_); }
    /// How long one child's segment holds up the other's.
    [[nodiscard]] double waits() const { return wire_.receive(bytes_) + each_s_; }

    /// How long a rank is taken by so many messages, of which some are reduced. While its processor takes a message in
    /// it begins no other, so that of what port and processor could do at once they do one half.
    [[nodiscard]] double turn(int sends, int receives, int reductions) const {
        const double in = receives * wire_.handled(bytes_) + reductions * each_s_;
        const double out = sends * wire_.busy(bytes_), port = wire_.port(bytes_, sends, receives);
        return std::max(in + out, port) + std::min(in, port - out) / 2;
    }
    /// What it takes longer where leaves send faster than their parents reduce: those go on with the child whose
    /// segments they began with, and the other's wait until all of these are done; which is so on all levels, and cost
    /// up to so many messages in simulations.
    [[nodiscard]] double backlog(int nodes, int most) const {
        if (is_chain(nodes)) return 0;
        const double one = wire_.handled(bytes_) + each_s_;
        return std::min(most * one, 4 * std::max(one - wire_.send(bytes_), 0.0));
    }
    [[nodiscard]] form after_first(double first_s, double further_s) const {
        return {first_s + (segments_ - 1) * further_s, false};
    }

    wire<Model> wire_;
    double bytes_; ///< of a message
    int size_;
    int segments_;
    double each_s_; ///< to reduce a message
};

} // namespace tutti::model::detail
