// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bind.hpp"

#include <string>

namespace tutti::tools {

/// How a rank makes the measured calls, and where their data are.
struct measured_calls {
    bool crowded; ///< this rank's host
    binder bind;
    start_binder start;
    allocator allocate;
    copier copy{};        ///< none where the host may touch what `allocate` gives
    std::string device{}; ///< what the GPU is called that has them
    stream_timer timed{}; ///< of calls on a stream; else none
};

/// A rank's part in a world. `room` is the descriptor of the room in which all ranks meet, or -1 where they share none.
int bench_in_world(const any_communicator& world, measured_calls calls, const bench_settings& settings, int room);

/// The part of a rank that is a process of its own.
int bench_as_process(transport::any fabric, const bench_settings& settings, int room);

} // namespace tutti::tools
