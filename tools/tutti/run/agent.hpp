// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

namespace tutti::tools {

/// The agent of a host, which `tutti run --hosts` starts there over ssh: starts the ranks that it is told to on
/// standard input, hands on their output and how they end on standard output, and passes signals on. When its standard
/// input ends, or a signal comes, it kills all ranks. See agent_frames.hpp. Returns the exit status.
[[nodiscard]] int run_agent();

} // namespace tutti::tools
