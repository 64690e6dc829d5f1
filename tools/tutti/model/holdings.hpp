// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/schedule/program.hpp>

#include <cstdint>
#include <vector>

namespace tutti::tools {

/// Whose inputs are in what ranks hold, a bit a rank: by round, from 0 before the first, then by rank, then by chunk.
/// Where a rank has several sums of a chunk, it is the one of the most inputs. Rounds are those of the pictures.
/// Preconditions: an allreduce that is proven, of at most 32 ranks.
[[nodiscard]] std::vector<std::vector<std::vector<std::uint32_t>>> holdings_of(const schedule::program& p);

} // namespace tutti::tools
