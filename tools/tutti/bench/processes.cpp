// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "processes.hpp"

#include "../common/meeting.hpp"
#include "../run/local_ranks.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

/// Ranks that somebody else started, perhaps on several hosts: they meet through the library itself.
class library_meeting final : public meeting {
public:
    explicit library_meeting(const any_communicator& world) : world_(world) {}

    void barrier() override { world_.barrier(); }
    void maximum(std::span<double> values) override { world_.allreduce(values, tutti::maximum); }
    [[nodiscard]] bool one_clock() const noexcept override { return false; }

private:
    const any_communicator& world_;
};

std::unique_ptr<meeting> meet(const any_communicator& world, const bench_settings& settings, int room) {
    if (room < 0) return std::make_unique<library_meeting>(world);
    return std::make_unique<shared_meeting>(shared_room::open(world.size(), room), world.rank(), settings.deadline(),
                                            [&world] { world.barrier(); });
}

/// Where ranks may reach each other by several fabrics or devices: which rank 0 takes to whom.
void print_ways(const any_communicator& world, const bench_settings& settings) {
    if (settings.csv == "-" || settings.json == "-" || settings.trace == "-") return; // nothing else is printed there
    if (settings.transport != "routed" && settings.transport.find("verbs") == std::string::npos) return;
    const auto fabric_to = [&](int rank) { return world.way_to(rank).substr(0, world.way_to(rank).find(',')); };
    for (int first = 1, next = 1; first < world.size(); first = next) {
        while (next < world.size() && fabric_to(next) == fabric_to(first)) ++next;
        const auto ranks =
            next - first == 1 ? fmt::format("rank {}", first) : fmt::format("ranks {}-{}", first, next - 1);
        fmt::print("# from rank 0 to {}: {}{}\n", ranks, world.way_to(first), next - first == 1 ? "" : ", ...");
    }
}

} // namespace

int bench_in_world(const any_communicator& world, measured_calls calls, const bench_settings& settings, int room) {
    const int ranks = world.size();
    if (settings.ranks != 0 && settings.ranks != ranks)
        throw std::invalid_argument(
            fmt::format("--ranks {} was asked for, but the launcher started {}", settings.ranks, ranks));
    const auto others = meet(world, settings, room);
    if (world.rank() == 0) print_ways(world, settings);
    const participant self{world.rank(),
                           ranks,
                           *others,
                           std::move(calls.bind),
                           std::move(calls.allocate),
                           recorder_of(world),
                           CLOCK_PROCESS_CPUTIME_ID,
                           calls.timed ? std::nullopt : std::optional(world.choice()),
                           std::move(calls.start),
                           std::move(calls.copy),
                           std::move(calls.device),
                           std::move(calls.timed),
                           calls.crowded};
    // A failure is told at once: leaving the world may take time, while other ranks find out too.
    return as_rank([&] {
        bench_result found;
        try {
            found = take_part(self, settings);
        } catch (const error& e) {
            if (e.facts().peer >= 0) others->blame(e.facts().peer);
            throw;
        }
        world.barrier(); // nobody leaves while somebody may still call the library
        return found.status();
    });
}

int bench_as_process(transport::any fabric, const bench_settings& settings, int room) {
    const bool crowded = fabric.crowded();
    any_communicator world = make_world(std::move(fabric), settings);
    world.default_deadline(settings.deadline());
    return bench_in_world(world, {crowded, binder_of(world), starter_of(world), allocator_of(world, settings)},
                          settings, room);
}

} // namespace tutti::tools
