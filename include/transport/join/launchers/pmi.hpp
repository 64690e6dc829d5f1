// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "launcher.hpp"
#include "pmi_client.hpp"
#include "slurm.hpp"

#include <array>

/// What speaks PMI-1: Hydra (mpiexec of MPICH and of Intel MPI), and Slurm's srun --mpi=pmi2. Rank 0's address and
/// secret go through its key-value space.
namespace tutti::transport::bootstrap::detail::pmi {

inline constexpr std::array marks{"PMI_RANK", "PMI_SIZE"};
inline constexpr std::array variables{"PMI_FD", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_NODES"};

TUTTI_COLD inline bool present() { return all_set(marks); }

TUTTI_COLD inline identity read() {
    auto me = ranked("PMI_RANK", "PMI_SIZE", "a launcher of PMI");
    me.one_host = me.size == 1 || variable("MPI_LOCALNRANKS") == std::to_string(me.size) ||
                  (slurm::is_task(me) && slurm::on_one_node());
    if (me.size > 1 && !is_set("TUTTI_ADDRESS"))
        static_cast<void>(whole_number(
            "PMI_FD", 0, 1 << 20, std::string("this launcher of PMI gives no key-value space; ") + say_it_yourself));
    me.exchange = [rank = me.rank](const std::string& offered, wire::moment until) {
        return client::of_this_process().exchange(rank, offered, until);
    };
    return me;
}

TUTTI_COLD inline void look() {
    if (!wire(whole_number("PMI_FD", 0, 1 << 20)).open())
        bootstrap_failed("PMI_FD is no open connection",
                         "start the program by the launcher itself, not from a script that closes its descriptors");
}

inline constexpr launcher itself{
    "PMI (mpiexec of MPICH or Intel MPI, srun --mpi=pmi2)", "PMI_SIZE", present, read, marks, variables, look};

} // namespace tutti::transport::bootstrap::detail::pmi
