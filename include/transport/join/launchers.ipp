// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "identity.hpp"
#include "launchers.hpp"

namespace tutti::transport::bootstrap {

TUTTI_COLD TUTTI_APART identity identity_from_environment() {
    const launcher* from = present_launcher();
    // Half of what a rank needs is a mistake in it, not another way of starting.
    if (!from && (detail::is_set("TUTTI_SIZE") || detail::is_set("TUTTI_ADDRESS"))) from = &launchers.front();
    if (!from)
        bootstrap_failed("TUTTI_RANK, TUTTI_SIZE and TUTTI_ADDRESS are not set: no launcher started this program, at "
                         "least none that is known (torchrun, Open MPI, PMI, Slurm, Kubernetes)",
                         "start it with tutti run -n 4 -- PROGRAM, or set them for every rank");
    identity me = from->read();
    detail::refuse_contradiction(me, *from);
    detail::read_overrides(me, *from);
    detail::read_settings(me);
    me.key = detail::secret_from_environment();
    return me;
}

} // namespace tutti::transport::bootstrap
