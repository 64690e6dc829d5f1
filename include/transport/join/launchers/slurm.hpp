// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "host_list.hpp"
#include "launcher.hpp"
#include "pmix_client.hpp"

#include <array>

/// Slurm's srun without a PMI. It has no place for an address and a secret: ranks meet on the first host of the step,
/// at port_of("SLURM_JOB_ID.SLURM_STEP_ID"), or at loopback where the step has one node.
///
/// The variables of the step count, since SLURM_NODELIST and SLURM_NTASKS may stay the job's. A batch script has
/// SLURM_PROCID as well, without a step of tasks, and is no rank.
namespace tutti::transport::bootstrap::detail::slurm {

inline constexpr std::array marks{"SLURM_PROCID", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS"};
inline constexpr std::array variables{"SLURM_JOB_ID",        "SLURM_STEP_NUM_NODES",
                                      "SLURM_STEP_NODELIST", "SLURM_STEP_TASKS_PER_NODE",
                                      "SLURM_LOCALID",       "SLURMD_NODENAME"};

/// Steps that Slurm makes for scripts and shells have numbers from this one on.
inline constexpr long long first_special_step = 0xfffffff0;

TUTTI_COLD inline bool present() {
    return all_set(marks) && number_in(variable("SLURM_STEP_ID")).value_or(first_special_step) < first_special_step;
}

/// The rank is a task of a step itself, not a process that something else started within it.
TUTTI_COLD inline bool is_task(const identity& me) {
    return present() && variable("SLURM_PROCID") == std::to_string(me.rank) &&
           variable("SLURM_STEP_NUM_TASKS") == std::to_string(me.size);
}

inline bool on_one_node() { return variable("SLURM_STEP_NUM_NODES") == "1"; }

TUTTI_COLD inline identity read() {
    auto me = ranked("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "Slurm");
    me.one_host = me.size == 1 || on_one_node();
    if (pmix::present()) {
        me.exchange = pmix::exchange_of(me.rank);
        return me;
    }
    const auto list = variable("SLURM_STEP_NODELIST");
    if (list.empty() && !me.one_host) bootstrap_failed("SLURM_STEP_NODELIST is not set", say_it_yourself);
    const bool names_none = list == "None" || list == "(none)"; // as scripts print what they do not know
    const std::string first = me.one_host ? "127.0.0.1" : names_none ? "" : first_host(list);
    if (first.empty())
        bootstrap_failed("SLURM_STEP_NODELIST is \"" + list + "\": it names no first host", say_it_yourself);
    me.rendezvous = {first, port_of(variable("SLURM_JOB_ID") + "." + variable("SLURM_STEP_ID"))};
    return me;
}

inline constexpr launcher itself{"Slurm", "SLURM_STEP_NUM_TASKS", present, read, marks, variables, pmix::look};

} // namespace tutti::transport::bootstrap::detail::slurm
