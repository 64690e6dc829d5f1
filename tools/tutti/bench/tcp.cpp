// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "processes.hpp"

#include <transport/tcp.hpp>

namespace tutti::tools {

int bench_over_tcp(const bench_settings& settings, int room) {
    transport::tcp_limits limits;
    limits.lanes = settings.lanes;
    return bench_as_process(transport::any(transport::tcp::from_environment(limits)), settings, room);
}

} // namespace tutti::tools
