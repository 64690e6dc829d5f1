// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "host_launch.hpp"

#include "remote_crew.hpp"
#include "signals.hpp"
#include "supervisor.hpp"
#include "told_output.hpp"

#include <transport/control/coordinator.hpp>

namespace tutti::tools {

launch_result launch_on_hosts(const launch_options& options, const host_options& where) {
    const signal_source signals;
    told_output told{options.output, options.error, options.ranks, transport::bootstrap::mismatch_at_the_end};
    remote_crew ranks{options, where, told};
    return supervisor{options, signals, told, ranks}.run();
}

} // namespace tutti::tools
