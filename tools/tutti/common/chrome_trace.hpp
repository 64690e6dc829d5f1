// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/schedule/activity.hpp>

#include <span>
#include <string>

namespace tutti::tools {

/// What ranks did, as Chrome trace-event JSON, which opens in Perfetto and in chrome://tracing. A rank is a process;
/// what it does at the same time is on as many threads, named "rank 3, lane 1" and so on. Each message is an arrow from
/// its send to its receive; one of which only an end is there has none. The activities may come in any order; those of
/// one channel begin in the order of its messages. Source: Duca and Sinclair, Trace Event Format, 2016.
[[nodiscard]] std::string chrome_trace(std::span<const schedule::activity> activities);

} // namespace tutti::tools
