// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cut_pair.hpp"
#include "transformer.hpp"

namespace tutti::tools::neural {

/// A transformer's block of which each rank of a communicator has a part (Shoeybi et al. 2019). Of attention that is a
/// share of the heads, and of the rest a share of the columns between the two linear layers. Layer norms are on all
/// ranks. With rows_at::each, the rows of all ranks together are whole sequences.
template <class Communicator>
struct cut_block {
    const Communicator& ranks;
    transformer_block whole; ///< the serial network's
    rows_at rows = rows_at::all;

    [[nodiscard]] residual attending() const {
        const std::size_t columns = whole.heads * whole.head_width;
        const attention part{whole.heads / parts(), whole.head_width, whole.context};
        return {{layer_norm{whole.width},
                 cut_pair<Communicator>(ranks, linear{whole.width, 3 * columns}, part,
                                        linear{columns, whole.width, whole.gain}, whole.heads, rows)}};
    }
    [[nodiscard]] residual thinking() const {
        return {{layer_norm{whole.width},
                 cut_pair<Communicator>(ranks, linear{whole.width, whole.inner}, gelu{},
                                        linear{whole.inner, whole.width, whole.gain}, whole.inner, rows)}};
    }
    /// Adds the weights of both layers to a list.
    void add_to(training::tensor::weight_cut& cut) const {
        const std::size_t columns = whole.heads * whole.head_width;
        cut.on_all(2 * whole.width);
        cut_pair<Communicator>::add_to(cut, {whole.width, 3 * columns}, {columns, whole.width}, whole.heads);
        cut.on_all(2 * whole.width);
        cut_pair<Communicator>::add_to(cut, {whole.width, whole.inner}, {whole.inner, whole.width}, whole.inner);
    }

private:
    [[nodiscard]] std::size_t parts() const { return static_cast<std::size_t>(ranks.size()); }
};

/// The network of transformer(), with its blocks cut over the ranks. Embedding, last norm and last linear layer are on
/// all ranks. All ranks pass the same inputs, and get the same outputs. Throws tutti::error if ranks do not divide the
/// heads.
template <class Communicator>
[[nodiscard]] network cut_transformer(const transformer_shape& s, const Communicator& ranks) {
    const cut_block<Communicator> block{ranks, block_of(s)};
    return transformer_of(s, block);
}

/// Which weights of transformer() are this rank's in cut_transformer(), in its order.
template <class Communicator>
[[nodiscard]] training::tensor::weight_cut cut_of(const transformer_shape& s, const Communicator& ranks) {
    training::tensor::weight_cut cut(ranks.rank(), ranks.size());
    cut.on_all((s.characters + s.context) * s.width);
    for (std::size_t b = 0; b < s.blocks; ++b) cut_block<Communicator>{ranks, block_of(s)}.add_to(cut);
    cut.on_all(2 * s.width + s.width * s.characters + s.characters);
    return cut;
}

} // namespace tutti::tools::neural
