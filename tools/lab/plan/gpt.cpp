// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "network.hpp"

#include <utility>

namespace tutti::tools::planner {
namespace {

layer embedding_of(const gpt_shape& g) {
    const double sh = 1. * g.sequence * g.hidden;
    layer l;
    l.name = "embedding";
    l.parameters = (1. * g.vocabulary + g.sequence) * g.hidden;
    l.output_bytes = element_bytes * sh;
    l.moved_bytes = 9 * sh; // the sum with the positions (4), and its dropout (5)
    l.kept_bytes = sh;      // the mask of the dropout
    l.reduces_forward = 1;
    l.recomputed = false;
    return l;
}

/// Bytes that fused kernels read and write. An element of s h, whole: two layer norms of 4, and two sums of bias,
/// dropout and residual of 7. Shared: bias and GeLU over 4h of 4. An element of the a s s scores: scale, mask and
/// softmax 4, dropout 5.
layer block_of(const gpt_shape& g) {
    const double s = g.sequence, h = g.hidden, sh = s * h, scores = g.heads * s * s;
    layer l;
    l.name = "block";
    l.parameters = 12 * h * h + 13 * h;
    l.core_flop = 4 * s * sh;
    l.matrix_flop = 24 * sh * h + l.core_flop;
    l.moved_bytes = 22 * sh;
    l.shared_moved_bytes = 16 * sh;
    l.core_moved_bytes = 9 * scores;
    l.kept_bytes = 10 * sh;
    l.shared_kept_bytes = 24 * sh;
    l.core_kept_bytes = 5 * scores;
    l.output_bytes = element_bytes * sh;
    l.reduces_forward = l.reduces_backward = 2;
    return l;
}

/// Its matrix is the embedding's. The logits are kept in 32 bits.
layer head_of(const gpt_shape& g) {
    const double sh = 1. * g.sequence * g.hidden, logits = 1. * g.sequence * g.vocabulary;
    layer l;
    l.name = "head";
    l.parameters = 2. * g.hidden;
    l.matrix_flop = 2 * sh * g.vocabulary;
    l.moved_bytes = 4 * sh;
    l.shared_moved_bytes = 12 * logits; // converted (6), and read for the maximum and the sum (6)
    l.kept_bytes = 4 * sh;
    l.shared_kept_bytes = 4 * logits;
    l.output_bytes = element_bytes * sh; // of its gradient
    l.reduces_backward = 1;
    l.recomputed = false;
    return l;
}

} // namespace

network gpt(const gpt_shape& g, std::string name) {
    network n{std::move(name), "Narayanan et al. 2021, Korthikanti et al. 2022", g.heads, {}};
    n.layers.push_back(embedding_of(g));
    n.layers.insert(n.layers.end(), static_cast<std::size_t>(g.layers), block_of(g));
    n.layers.push_back(head_of(g));
    return n;
}

network gpt3_175b() { return gpt({96, 12288, 96, 51200, 2048}, "gpt3-175b"); }

} // namespace tutti::tools::planner
