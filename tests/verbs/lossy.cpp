// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "across/every_algorithm.hpp"
#include "ranks.hpp"

#include <cstdlib>
#include <string>

using namespace tutti;
using namespace tutti::test;

namespace {

/// The cable between rxe1 and rxe2 loses packets in both directions, as long as this lives. Ranks meet over lo.
class lossy_cable {
public:
    explicit lossy_cable(int percent) {
        for (const std::string end : {"va", "vb"})
            REQUIRE(std::system(
                        ("tc qdisc add dev " + end + " root netem loss " + std::to_string(percent) + "%").c_str()) ==
                    0);
    }
    lossy_cable(const lossy_cable&) = delete;
    lossy_cable& operator=(const lossy_cable&) = delete;
    ~lossy_cable() {
        for (const std::string end : {"va", "vb"})
            CHECK(std::system(("tc qdisc del dev " + end + " root").c_str()) == 0);
    }

    /// Packets that it has lost so far.
    [[nodiscard]] static long dropped() {
        long all = 0;
        for (const std::string end : {"va", "vb"}) {
            std::FILE* const told =
                ::popen(("tc -s qdisc show dev " + end + " | sed -n 's/.*dropped \\([0-9]*\\).*/\\1/p'").c_str(), "r");
            long lost = 0;
            REQUIRE(std::fscanf(told, "%ld", &lost) == 1);
            ::pclose(told);
            all += lost;
        }
        return all;
    }
};

} // namespace

TEST_CASE("what a cable loses of every hundred packets is sent again") {
    const lossy_cable cable(1);
    run_verbs_processes(4, on_either_end, [](const auto& world) {
        for (const std::size_t count : {1000, 100'000}) {
            expect_allreduce(world, algorithm::ring{}, count);
            expect_allreduce(world, algorithm::butterfly{}, count);
            expect_allreduce(world, algorithm::double_binary_tree{}, count);
        }
    });
    CHECK(lossy_cable::dropped() > 0);
}

TEST_CASE("one of twenty lost: short messages, and few in flight") {
    const lossy_cable cable(5);
    const auto few = [](int rank) {
        auto limits = on_either_end(rank);
        limits.slot_count = 4;
        limits.reads = 1;
        limits.piece_bytes = 4096;
        return limits;
    };
    run_verbs_processes(2, few, [](const auto& world) {
        for (const std::size_t count : {10, 1000, 3000})
            for (int i = 0; i < 10; ++i) expect_allreduce(world, algorithm::ring{}, count);
    });
    CHECK(lossy_cable::dropped() > 0);
}
