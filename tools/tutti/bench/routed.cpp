// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "processes.hpp"

#include <transport/routed.hpp>

namespace tutti::tools {

int bench_over_both(const bench_settings& settings, int room) {
    transport::shared_memory_limits within_host;
    if (settings.lend_bytes != 0) within_host.lend_bytes = settings.lend_bytes;
    transport::tcp_limits between_hosts;
    between_hosts.lanes = settings.lanes;
    using routed = transport::routed<transport::shared_memory, transport::tcp>;
    return bench_as_process(transport::any(routed::from_environment(within_host, between_hosts)), settings, room);
}

} // namespace tutti::tools
