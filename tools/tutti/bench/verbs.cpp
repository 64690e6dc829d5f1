// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "processes.hpp"

#include <transport/fabrics/verbs/port.hpp>
#include <transport/routed.hpp>
#include <transport/verbs.hpp>

#include <stdexcept>

namespace tutti::tools {

int bench_over_verbs(const bench_settings& settings, int room) {
    if (transport::detail::verbs::all_candidates().empty())
        throw std::invalid_argument(
            "--transport verbs: this host has no active RDMA device; routed_verbs goes over RDMA "
            "where there is one, routed over shared memory and TCP");
    return bench_as_process(transport::any(transport::verbs::from_environment()), settings, room);
}

int bench_over_all(const bench_settings& settings, int room) {
    transport::shared_memory_limits within_host;
    if (settings.lend_bytes != 0) within_host.lend_bytes = settings.lend_bytes;
    transport::tcp_limits without_devices;
    without_devices.lanes = settings.lanes;
    using routed = transport::routed<transport::shared_memory, transport::verbs, transport::tcp>;
    return bench_as_process(transport::any(routed::from_environment(within_host, {}, without_devices)), settings, room);
}

} // namespace tutti::tools
