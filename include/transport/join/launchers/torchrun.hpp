// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "launcher.hpp"

#include <array>

/// torchrun, and whatever sets its variables (a Kubeflow PyTorchJob with a process a pod).
///
/// It has no place for an address and a secret. Ranks meet on the host of MASTER_ADDR, or at loopback where all are on
/// one host. MASTER_PORT itself belongs to torch: to the agent where TORCHELASTIC_USE_AGENT_STORE is True, else to
/// init_process_group. So they meet at port_of("MASTER_PORT/TORCHELASTIC_RUN_ID/TORCHELASTIC_RESTART_COUNT"): workers
/// that are started again do not meet those of before.
namespace tutti::transport::bootstrap::detail::torchrun {

inline constexpr std::array marks{"RANK", "WORLD_SIZE", "MASTER_ADDR"};
inline constexpr std::array variables{"MASTER_PORT",       "LOCAL_RANK",          "LOCAL_WORLD_SIZE",
                                      "GROUP_RANK",        "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT",
                                      "PET_NPROC_PER_NODE"};

TUTTI_COLD inline bool present() { return all_set(marks) || is_set("TORCHELASTIC_RUN_ID"); }

TUTTI_COLD inline identity read() {
    auto me = ranked("RANK", "WORLD_SIZE", "torchrun");
    const auto each = variable("PET_NPROC_PER_NODE");
    if (!is_set("TORCHELASTIC_RUN_ID") && !each.empty() && each != "1")
        bootstrap_failed("RANK and WORLD_SIZE may count pods here, not processes: PET_NPROC_PER_NODE is \"" + each +
                             "\", and torchrun did not start this process",
                         "start it with torchrun in each pod");
    me.one_host = me.size == 1 || variable("LOCAL_WORLD_SIZE") == std::to_string(me.size);
    const auto master = me.one_host ? "127.0.0.1" : variable("MASTER_ADDR");
    if (master.empty())
        bootstrap_failed("MASTER_ADDR is not set, though torchrun started this process", say_it_yourself);
    me.rendezvous = {master, port_of(variable("MASTER_PORT") + "/" + variable("TORCHELASTIC_RUN_ID") + "/" +
                                     variable("TORCHELASTIC_RESTART_COUNT"))};
    return me;
}

inline constexpr launcher itself{"torchrun", "WORLD_SIZE", present, read, marks, variables};

} // namespace tutti::transport::bootstrap::detail::torchrun
