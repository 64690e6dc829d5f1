// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "launcher.hpp"
#include "pmix_client.hpp"

#include <array>

/// mpirun of Open MPI. Rank 0's address and secret go through the key-value space of PMIx.
namespace tutti::transport::bootstrap::detail::open_mpi {

inline constexpr std::array marks{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"};
inline constexpr std::array variables{"OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE", "PMIX_RANK"};

TUTTI_COLD inline bool present() { return all_set(marks); }

TUTTI_COLD inline identity read() {
    auto me = ranked("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "Open MPI");
    me.one_host = me.size == 1 || variable("OMPI_COMM_WORLD_LOCAL_SIZE") == std::to_string(me.size);
    me.exchange = pmix::exchange_of(me.rank);
    return me;
}

inline constexpr launcher itself{"Open MPI", "OMPI_COMM_WORLD_SIZE", present, read, marks, variables, pmix::look};

} // namespace tutti::transport::bootstrap::detail::open_mpi
