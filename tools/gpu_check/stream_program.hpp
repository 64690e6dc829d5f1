// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stream_collectives.hpp"
#include "stream_faults.hpp"

#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>
#include <vector>

namespace tutti::gpu_check {

/// A runtime by which each process says that its GPU is another one. So processes that share one run the kernels of
/// processes with a GPU each. Those wait for each other, and take turns on the GPU.
template <class Runtime>
class said_to_be_alone : public Runtime {
public:
    using Runtime::Runtime;
    [[nodiscard]] transport::device_identity identity() const {
        auto id = Runtime::identity();
        const pid_t mine = ::getpid();
        std::memcpy(id.data(), &mine, sizeof mine);
        return id;
    }
};

/// A rank that is a process: what it does in a part of the program.
template <class Runtime, class Kernels>
void check_streams_as_rank(const seat& where, const std::string& part, bool little) {
    if (part == "exporter") return static_cast<void>(exported_memory<Runtime>(where));
    communicator world{process_transport<transport::cuda_ipc_fabric<Runtime>>(where, {})};
    if (part == "killed")
        check_killed<Runtime, Kernels>(world, 1);
    else if (part == "killed apart")
        check_killed<said_to_be_alone<Runtime>, Kernels>(world, 1);
    else if (part == "apart")
        check_few_streams_of<said_to_be_alone<Runtime>, Kernels>(world, kernels::stream_path::peers, little);
    else if (part == "calls")
        check_streams_of<Runtime, Kernels>(world, kernels::stream_path::leader, little);
    else
        check_few_streams_of<Runtime, Kernels>(world, kernels::stream_path::host, little);
}

/// The program of the section `streams`: without a seat it leads ranks, with one it is a rank. "little": for the tests.
template <class Runtime, class Kernels>
int check_stream_collectives(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const bool little = !words.empty() && words[0] == "little";
    if (const auto where = seat_in(words))
        return run([&] { check_streams_as_rank<Runtime, Kernels>(*where, words[words.size() - 4], little); });
    int failed = 0; // processes first: a process that has used CUDA does not fork
    const auto lead = [&](const char* part, int ranks, int victim = -1) {
        auto of_ranks = words;
        of_ranks.emplace_back(part);
        return lead_ranks(argv[0], ranks, of_ranks, std::chrono::seconds{little ? 60 : 40}, victim);
    };
    for (const int ranks : little ? std::vector{2} : std::vector{2, 4, 8}) failed += lead("calls", ranks);
    for (const int ranks : little ? std::vector{2} : std::vector{2, 4}) failed += lead("apart", ranks);
    failed += lead("host", int{kernels::most_peers} + 1);
    for (const char* const part : {"killed", "killed apart"}) failed += lead(part, 3, 1);
    if (lead("exporter", 2) > 0) fact("mapped memory that its process lets go", "ends who looks at it");
    if (failed > 0) check("all ranks that are processes end well and in time", false);
    return run([&] {
               for (const int ranks : little ? std::vector{2} : std::vector{2, 4, 8})
                   check_streams_of_threads<Runtime, Kernels>(ranks, little);
           }) +
           failed;
}

} // namespace tutti::gpu_check
