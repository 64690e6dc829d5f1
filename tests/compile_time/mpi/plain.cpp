// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What tools/compile-time compares with: the program of one_transport.cpp with plain MPI.
#include <mpi.h>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<float> gradient(1'000'000, static_cast<float>(rank));

    MPI_Allreduce(MPI_IN_PLACE, gradient.data(), static_cast<int>(gradient.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    std::printf("rank %d of %d has %g\n", rank, size, static_cast<double>(gradient[0]));
    MPI_Finalize();
}
