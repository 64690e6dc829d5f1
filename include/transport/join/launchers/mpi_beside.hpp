// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>

/// Whether this process uses MPI as well. The library does not link it: its functions are looked for among the symbols
/// of the process. An MPI that is linked statically is not seen.
namespace tutti::transport::bootstrap::detail {

[[nodiscard]] inline bool mpi_says(const char* question) {
    using asking = int (*)(int*);
    const auto ask = reinterpret_cast<asking>(::dlsym(RTLD_DEFAULT, question));
    int flag = 0;
    return ask && ask(&flag) == 0 && flag != 0;
}

/// The process has an MPI, whether it uses it or not.
[[nodiscard]] inline bool mpi_is_there() { return ::dlsym(RTLD_DEFAULT, "MPI_Init") != nullptr; }
[[nodiscard]] inline bool mpi_has_begun() { return mpi_says("MPI_Initialized"); }
[[nodiscard]] inline bool mpi_has_ended() { return mpi_says("MPI_Finalized"); }

} // namespace tutti::transport::bootstrap::detail
