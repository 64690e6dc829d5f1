// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cut_pair.hpp"
#include "mlp.hpp"

namespace tutti::tools::neural {

/// The network of mlp(), with each two of its full layers cut over the ranks of a communicator: the first by columns,
/// the second by rows. A last one that is left over is on all ranks. A pair is one layer here, with the rectifier
/// between. All ranks pass the same inputs, and get the same outputs. First weights are those of cut_of(), not of
/// initialise(), since layers have other numbers here. Throws tutti::error if ranks do not divide the width within a
/// pair.
template <class Communicator>
[[nodiscard]] network cut_mlp(const std::vector<std::size_t>& widths, const Communicator& ranks) {
    std::vector<layer> layers;
    for (std::size_t l = 0; l + 1 < widths.size(); l += 2) {
        if (l > 0) layers.push_back(relu{});
        const linear first{widths[l], widths[l + 1]};
        if (l + 2 == widths.size())
            layers.push_back(first);
        else
            layers.push_back(cut_pair<Communicator>(ranks, first, relu{}, linear{widths[l + 1], widths[l + 2]},
                                                    widths[l + 1], rows_at::all));
    }
    return {widths.front(), std::move(layers)};
}

/// Which weights of mlp() are this rank's in cut_mlp(), in its order.
template <class Communicator>
[[nodiscard]] training::tensor::weight_cut cut_of(const std::vector<std::size_t>& widths, const Communicator& ranks) {
    training::tensor::weight_cut cut(ranks.rank(), ranks.size());
    for (std::size_t l = 0; l + 1 < widths.size(); l += 2) {
        const linear first{widths[l], widths[l + 1]};
        if (l + 2 == widths.size())
            cut.on_all(first.parameters());
        else
            cut_pair<Communicator>::add_to(cut, first, {widths[l + 1], widths[l + 2]}, widths[l + 1]);
    }
    return cut;
}

} // namespace tutti::tools::neural
