// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

namespace tutti::tools {

/// Where the processes that `tutti bench` starts find the descriptors of their room and of the rows, and the number of
/// the round.
inline constexpr auto bench_launch_variable = "TUTTI_BENCH_ROOM";

} // namespace tutti::tools
