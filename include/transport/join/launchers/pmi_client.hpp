// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "environment.hpp"
#include "mpi_beside.hpp"
#include "pmi_wire.hpp"
#include "slurm.hpp"

#include <mutex>
#include <string>

#include <unistd.h>

namespace tutti::transport::bootstrap::detail::pmi {

/// This process's use of its launcher's key-value space by PMI-1. MPI may use the same connection, before and after:
/// - where MPI has begun, it has introduced this process to the launcher;
/// - where it begins later, it does so again, which Hydra allows as long as nobody has said `finalize`. Slurm does not,
///   and leaves MPI_Init waiting: so a process that has an MPI must have begun it before;
/// - so `finalize` is said when the process exits, and only if MPI has not said it. Without it Hydra takes the process
///   for one that broke down, and ends the others.
/// Any thread, but not while another one is inside a call of MPI.
class client {
public:
    /// By PMI_FD. Throws a bootstrap error that names it where it is no number.
    [[nodiscard]] static client& of_this_process() {
        static client one(whole_number("PMI_FD", 0, 1 << 20));
        return one;
    }

    explicit client(int fd) noexcept : wire_(fd) {}

    /// Rank 0 passes its offer and the others nothing; all get it. All ranks must make as many calls, in one order.
    TUTTI_COLD std::string exchange(int rank, const std::string& offered, wire::moment until) {
        const std::lock_guard lock(mutex_);
        begin(until);
        const auto key = "tutti-" + std::to_string(++calls_);
        if (rank == 0)
            wire_.ask("cmd=put kvsname=" + space_ + " key=" + key + " value=" + offered, "put_result", until);
        wire_.ask("cmd=barrier_in", "barrier_out", until);
        if (rank == 0) return offered;
        const auto heard = wire_.ask("cmd=get kvsname=" + space_ + " key=" + key, "get_result", until);
        return value_of(heard, "value").value_or("");
    }

    client(const client&) = delete;
    client& operator=(const client&) = delete;
    TUTTI_COLD ~client() {
        // A child that exits is not the rank: it shares the connection with its parent.
        const bool mine = begun_ && ::getpid() == process_ && wire_.open();
        if (!mine || (mpi_has_begun() && !mpi_has_ended())) return; // the launcher is to see that MPI was not ended
        try {
            wire_.ask("cmd=finalize", "finalize_ack", std::chrono::steady_clock::now() + std::chrono::seconds(2));
        } catch (const error&) { // it is gone
        }
    }

private:
    TUTTI_COLD void begin(wire::moment until) {
        // After MPI_Finalize the number of the descriptor may be another socket's: one never seen before is not asked.
        if (!wire_.open() || (space_.empty() && mpi_has_ended()))
            bootstrap_failed("the connection to the launcher (PMI_FD) has ended, as after MPI_Finalize",
                             "make the communicator before MPI_Finalize, or use tutti::invitation");
        if (!space_.empty()) return;
        if (!mpi_has_begun()) {
            if (slurm::present() && !is_set("MPI_LOCALNRANKS") && mpi_is_there()) // not Hydra within a step
                bootstrap_failed("under srun --mpi=pmi2 a process that has an MPI cannot use PMI before MPI_Init",
                                 "call MPI_Init before you make the communicator, or use tutti::invitation");
            wire_.ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init", until);
            begun_ = true;
            process_ = ::getpid();
        }
        space_ = value_of(wire_.ask("cmd=get_my_kvsname", "my_kvsname", until), "kvsname").value_or("");
        if (space_.empty()) bootstrap_failed("the launcher behind PMI_FD names no key-value space", say_it_yourself);
    }

    std::mutex mutex_;
    wire wire_;
    std::string space_;
    long calls_ = 0;
    bool begun_ = false; // by this class
    pid_t process_ = -1;
};

} // namespace tutti::transport::bootstrap::detail::pmi
