// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bench_processes.hpp"

#include <transport/shared_memory.hpp>

namespace tutti::tools {

int bench_over_shared_memory(const bench_settings& settings, int room) {
    return bench_as_process<transport::shared_memory>(settings, room);
}

} // namespace tutti::tools
