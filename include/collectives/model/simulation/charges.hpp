// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../machine.hpp"
#include "../parameters.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::model::detail {

/// The cost of steps of one length, in seconds: computed once for each length and kind of link.
struct charge {
    double busy = 0;   ///< of a processor: o + (m - 1)O
    double next = 0;   ///< between the beginnings of two sends: max(o + (m - 1)O, g + (m - 1)G)
    double header = 0; ///< from the beginning of a send until its header has arrived: o + L
    double stream = 0; ///< the bytes behind the header: (m - 1)G
    double serial = 0; ///< of a processor that takes the bytes in as they come: o + (m - 1)max(G, O)
    double reduce = 0; ///< m gamma
    double copy = 0;
    double whole = 0; ///< of a port at either end by Hockney's rule: L + 2o + m max(G, O)
};

[[nodiscard]] inline charge charge_of(const link& between, std::size_t bytes) noexcept {
    const loggp& p = between.at(bytes);
    const double all = static_cast<double>(bytes), further = further_bytes(bytes);
    const double stream = between.sum(further, &loggp::gap_s_per_byte);
    const double handled = between.sum(further, &loggp::overhead_s_per_byte), busy = p.overhead_s + handled;
    return {busy,
            std::max(busy, p.gap_s + stream),
            p.overhead_s + p.latency_s,
            stream,
            p.overhead_s + std::max(stream, handled),
            between.sum(all, &loggp::gamma_s_per_byte),
            between.sum(all, &loggp::copy_s_per_byte),
            p.latency_s + 2 * p.overhead_s +
                std::max(between.sum(all, &loggp::gap_s_per_byte), between.sum(all, &loggp::overhead_s_per_byte))};
}

class charges {
public:
    charges(const machine& m, std::span<const std::size_t> lengths) {
        table_.reserve(2 * lengths.size());
        for (const std::size_t bytes : lengths)
            for (const link* between : {&m.near, &m.far}) table_.push_back(charge_of(*between, bytes));
    }
    [[nodiscard]] const charge& of(std::uint32_t length, bool far) const noexcept {
        return table_[2 * static_cast<std::size_t>(length) + (far ? 1 : 0)];
    }

private:
    std::vector<charge> table_;
};

} // namespace tutti::model::detail
