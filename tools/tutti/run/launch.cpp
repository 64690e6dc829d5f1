// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "launch.hpp"

#include "kept_port.hpp"
#include "local_crew.hpp"
#include "signals.hpp"
#include "supervisor.hpp"
#include "told_output.hpp"

#include <transport/control/coordinator.hpp>
#include <transport/sockets/secret.hpp>

#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {

launch_result launch(const launch_options& options) {
    const signal_source signals;
    std::optional<kept_port> port;
    if (options.address.empty()) port.emplace(kept_port::on::loopback);
    told_output told{options.output, options.error, options.ranks, transport::bootstrap::mismatch_at_the_end};
    std::vector<int> all(static_cast<std::size_t>(options.ranks));
    std::iota(all.begin(), all.end(), 0);
    const std::string address = port ? fmt::format("127.0.0.1:{}", port->number()) : options.address;
    local_crew ranks{options, all, {address, transport::bootstrap::drawn_key()}, told};
    return supervisor{options, signals, told, ranks}.run();
}

} // namespace tutti::tools
