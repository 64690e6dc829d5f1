// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/plan/memory.hpp"
#include "../../tools/lab/plan/stages.hpp"

#include "support/catch.hpp"

#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace tutti::tools::planner {
namespace {

/// Random layers: what a stage takes, and the memory that each stage has.
struct random_chain {
    std::vector<double> seconds, cuts, bytes, room;

    random_chain(int layers, int stages, std::mt19937& random) {
        std::uniform_real_distribution<double> any(0.1, 1);
        for (int k = 0; k < layers; ++k) {
            seconds.push_back(any(random));
            bytes.push_back(any(random));
        }
        cuts.assign(static_cast<std::size_t>(layers) + 1, 0);
        for (int k = 1; k < layers; ++k) cuts[static_cast<std::size_t>(k)] = any(random);
        for (int s = 0; s < stages; ++s) room.push_back(1 + 2 * any(random));
    }
    [[nodiscard]] double cost(int first, int last) const {
        double sum = cuts[static_cast<std::size_t>(first)] + cuts[static_cast<std::size_t>(last)];
        for (int k = first; k < last; ++k) sum += seconds[static_cast<std::size_t>(k)];
        return sum;
    }
    [[nodiscard]] bool fits(int stage, int first, int last) const {
        double sum = 0;
        for (int k = first; k < last; ++k) sum += bytes[static_cast<std::size_t>(k)];
        return sum <= room[static_cast<std::size_t>(stage)];
    }
};

double step_of(const random_chain& c, const std::vector<int>& ends, double microbatches, double chunks) {
    double sum = 0, slowest = 0;
    int first = 0;
    for (const int end : ends) {
        sum += c.cost(first, end);
        slowest = std::max(slowest, c.cost(first, end));
        first = end;
    }
    return microbatches * slowest + (sum - slowest) / chunks;
}

/// The least step of all ways to cut, and infinity where none fits.
double least_step(const random_chain& c, int layers, int stages, double microbatches, double chunks) {
    double least = std::numeric_limits<double>::infinity();
    std::vector<int> ends;
    const std::function<void(int)> go_on = [&](int first) {
        const int stage = static_cast<int>(ends.size());
        if (stage == stages) {
            if (first == layers) least = std::min(least, step_of(c, ends, microbatches, chunks));
            return;
        }
        for (int last = first + 1; last <= layers; ++last) {
            if (!c.fits(stage, first, last)) continue;
            ends.push_back(last);
            go_on(last);
            ends.pop_back();
        }
    };
    go_on(0);
    return least;
}

} // namespace

TEST_CASE("stages are the best of all ways to cut, and none where no way fits") {
    std::mt19937 random(17);
    int none = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const int layers = 2 + trial % 8, stages = 1 + trial % std::min(layers, 4);
        const double microbatches = 1 + trial % 9, chunks = 1 + trial % 3;
        const random_chain c(layers, stages, random);
        const auto found = stage_cutter(
                               layers, stages, [&](int first, int last) { return c.cost(first, last); },
                               [&](int stage, int first, int last) { return c.fits(stage, first, last); })
                               .best(microbatches, chunks);
        const double least = least_step(c, layers, stages, microbatches, chunks);
        none += !found;
        REQUIRE(found.has_value() == (least < std::numeric_limits<double>::infinity()));
        if (!found) continue;
        REQUIRE(found->size() == static_cast<std::size_t>(stages));
        CHECK(step_of(c, *found, microbatches, chunks) == Approx(least).epsilon(1e-9));
    }
    CHECK((none > 20 && none < 280)); // both happen
}

TEST_CASE("sharding divides memory as the ZeRO paper's example says") {
    const auto gigabytes = [](int zero) { return state_bytes(7.5e9, zero, 64).total() / 1e9; };
    CHECK(gigabytes(0) == Approx(120));
    CHECK(gigabytes(1) == Approx(31.4).epsilon(0.001));
    CHECK(gigabytes(2) == Approx(16.6).epsilon(0.003));
    CHECK(gigabytes(3) == Approx(1.88).epsilon(0.003));
}

TEST_CASE("a layer of shards has its gradients whole at work, at level 3 its weights and the next layer's too") {
    CHECK(whole_bytes(10, 1) == 0);
    CHECK(whole_bytes(10, 2) == 20);
    CHECK(whole_bytes(10, 3) == 60);
}

TEST_CASE("a stage holds the microbatches that 1F1B has in flight, and interleaved more") {
    CHECK(in_flight(0, 4, 8, 1) == 4);
    CHECK(in_flight(3, 4, 8, 1) == 1);
    CHECK(in_flight(0, 4, 2, 1) == 2);
    CHECK(in_flight(0, 1, 8, 1) == 1);
    for (const int chunks : {2, 3, 5}) // Korthikanti et al.: 1 + (p - 1) / (p m) times as much on the first stage
        CHECK(in_flight(0, 8, 64, chunks) == Approx(8 * (1 + 7. / (8 * chunks))));
    CHECK(in_flight(0, 4, 4, 2) <= 4);
}

TEST_CASE("recomputation keeps less and needs work space for what it drops") {
    layer l;
    l.kept_bytes = 10;
    l.shared_kept_bytes = 24;
    l.core_kept_bytes = 80;
    l.output_bytes = 2;
    CHECK(kept_bytes(l, 1, recompute::nothing) == 114);
    CHECK(kept_bytes(l, 8, recompute::nothing) == 23);
    CHECK(kept_bytes(l, 8, recompute::core) == 13);
    CHECK(kept_bytes(l, 8, recompute::all) == 2);
    CHECK(work_bytes(l, 8, recompute::all) == 21);
    CHECK(work_bytes(l, 8, recompute::nothing) == 0);
    l.recomputed = false;
    CHECK(kept_bytes(l, 1, recompute::all) == 34);
}

} // namespace tutti::tools::planner
