// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "ranks.hpp"

#include <collectives/collectives.hpp>
#include <transport/shared_memory.hpp>

#include "../../tests/support/identity.hpp"
#include "../../tests/support/shared_bytes.hpp"

#include <cstddef>
#include <vector>

namespace scale {

/// What shared memory takes, of ranks that are threads of one process: all segments together.
struct shared_figures {
    int ranks = 0;
    int duplicates = 0;
    std::size_t bytes = 0; ///< of each vector
    double world_mib = 0;  ///< when the world has called
    double most_mib = 0;   ///< when each duplicate has called too
    double after_mib = 0;  ///< when the duplicates are gone
    double call_s = 0;     ///< of a call, in the mean over all that the duplicates make
};

/// Each communicator calls `calls` times, so that each of its slots has been used.
inline void share(int size, int duplicates, std::size_t bytes, shared_figures& f) {
    constexpr double mib = 1024 * 1024;
    constexpr int calls = 8;
    const tutti::test::reserved_port at;
    ranks all(size);
    span_of_all time;
    all.run([&](int rank) {
        auto me = tutti::test::identity(rank, size, at);
        const tutti::communicator world{tutti::transport::shared_memory{std::move(me)}};
        std::vector<float> data(bytes / sizeof(float));
        const auto call = [&](const auto& on) {
            for (int k = 0; k < calls; ++k)
                on.with_deadline(std::chrono::seconds(120))
                    .allreduce(data, tutti::sum, tutti::algorithm::parameter_server{});
        };
        call(world);
        all.meet([&] { f.world_mib = static_cast<double>(tutti::test::shared_bytes()) / mib; });
        std::vector<std::remove_const_t<decltype(world)>> others;
        all.meet();
        time.begin();
        for (int k = 0; k < duplicates; ++k) call(others.emplace_back(world.duplicate()));
        time.end();
        all.meet([&] { f.most_mib = static_cast<double>(tutti::test::shared_bytes()) / mib; });
        all.meet();
        others.clear();
        all.meet();
        world.barrier(); // who waits looks what has been closed
        world.barrier();
        all.meet([&] { f.after_mib = static_cast<double>(tutti::test::shared_bytes()) / mib; });
        all.meet();
    });
    f.call_s = time.seconds() / calls / std::max(duplicates, 1);
    f.ranks = size, f.duplicates = duplicates, f.bytes = bytes;
}

} // namespace scale
