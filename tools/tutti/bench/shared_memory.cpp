// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "processes.hpp"

#include <transport/shared_memory.hpp>

namespace tutti::tools {

int bench_over_shared_memory(const bench_settings& settings, int room) {
    transport::shared_memory_limits limits;
    if (settings.lend_bytes != 0) limits.lend_bytes = settings.lend_bytes;
    return bench_as_process(transport::any(transport::shared_memory::from_environment(limits)), settings, room);
}

} // namespace tutti::tools
