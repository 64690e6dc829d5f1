// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../algorithm/inorder_tree.hpp"
#include "data.hpp"
#include "form.hpp"
#include "wire.hpp"

#include <algorithm>

namespace tutti::model::detail {

/// One way through both trees, of `levels` levels on `branching` of which there is a second child, in messages of
/// `bytes`, `segments` for each tree: every level costs the first segment a message and one to the other child, and
/// each further one, since a rank is done with one child before it turns to the other, as much as a rank is taken for.
template <class Model>
[[nodiscard]] double trees_s(const wire<Model>& w, double bytes, int levels, int branching, int segments,
                             double each_s) {
    const double first = levels * (w.message(bytes) + each_s) + branching * w.send(bytes);
    return first + (segments - 1) * std::max(2 * w.send(bytes), levels * w.relay(bytes, each_s));
}

/// Of what the double binary tree's operations consist. An estimate: who of two children is served first decides much.
/// With fair sharing of ports it would be (2h + 2k)(alpha + beta n / 2k) each way under Hockney's model.
template <class Model>
class trees {
public:
    trees(const wire<Model>& w, const data& d, int size, int segments)
        : wire_(w), bytes_(d.whole() / 2 / segments), size_(size), segments_(segments) {}

    /// The root hangs above both trees, which are over the others.
    [[nodiscard]] form reduce() const { return {rooted(wire_.reduce(bytes_)), false}; }
    [[nodiscard]] form broadcast() const { return {rooted(0), false}; }
    [[nodiscard]] form allreduce() const {
        const int h = algorithm::detail::inorder_tree(size_).height();
        const auto way = [&](double each_s) { return trees_s(wire_, bytes_, h, h - 1, segments_, each_s); };
        return {way(wire_.reduce(bytes_)) + way(0), false};
    }

private:
    [[nodiscard]] double rooted(double each_s) const {
        const int h = algorithm::detail::inorder_tree(size_ - 1).height() + 1;
        return trees_s(wire_, bytes_, h, h, segments_, each_s);
    }

    wire<Model> wire_;
    double bytes_;
    int size_;
    int segments_;
};

} // namespace tutti::model::detail
