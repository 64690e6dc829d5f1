// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stream_collectives.hpp"
#include "stream_faults.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace tutti::gpu_check {

/// The program of the section `streams`: without a seat it leads ranks, with one it is a rank. "little": for the tests.
template <class Runtime, class Kernels>
int check_stream_collectives(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const bool little = !words.empty() && words[0] == "little";
    if (const auto where = seat_in(words))
        return run([&] {
            const std::string& part = words[words.size() - 4];
            if (part == "exporter") return static_cast<void>(exported_memory<Runtime>(*where));
            communicator world{process_transport<transport::cuda_ipc_fabric<Runtime>>(*where, {})};
            part == "killed" ? check_killed<Runtime, Kernels>(world, 1)
                             : check_streams_of<Runtime, Kernels>(world, little);
        });
    int failed = 0; // processes first: a process that has used CUDA does not fork
    const auto lead = [&](const char* part, int ranks, int victim = -1) {
        auto of_ranks = words;
        of_ranks.emplace_back(part);
        return lead_ranks(argv[0], ranks, of_ranks, std::chrono::seconds{little ? 60 : 40}, victim);
    };
    for (const int ranks : little ? std::vector{2} : std::vector{2, 4, 8}) failed += lead("calls", ranks);
    failed += lead("killed", 3, 1);
    if (lead("exporter", 2) > 0) fact("mapped memory that its process lets go", "ends who looks at it");
    if (failed > 0) check("all ranks that are processes end well and in time", false);
    return run([&] {
               for (const int ranks : little ? std::vector{2} : std::vector{2, 4, 8})
                   check_streams_of_threads<Runtime, Kernels>(ranks, little);
           }) +
           failed;
}

} // namespace tutti::gpu_check
