// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "stage_bench.hpp"

#include "../../train/network/mlp.hpp"
#include "../../train/staged_network.hpp"
#include "even_chunks.hpp"
#include "four.hpp"
#include "middles.hpp"
#include "timed_work.hpp"

#include <training/pipeline/all.hpp>
#include <training/pipeline/timeline.hpp>

#include <algorithm>
#include <array>

namespace tutti::tools::study::pipeline {
namespace {

namespace pipes = training::pipeline;
using world_of_stages = communicator<transport::shared_memory>;

constexpr int microbatches = middles::microbatches;
constexpr int steps_in_round = 4;
constexpr std::size_t width = middles::pixels;

/// How much is computed.
struct amount {
    explicit amount(bool quick) : layers(quick ? 16 : 32), rows(quick ? 15 : 60), rounds(quick ? 1 : 7) {}

    std::size_t layers;
    std::size_t rows; // of a microbatch: at most 64, so that an activation fits into a message that needs no handshake
    int rounds;
};

/// One activation from rank 0 to rank 1, as half the time there and back: the median of several.
double measured_message(const world_of_stages& world, std::size_t rows) {
    std::vector<float> data(rows * width);
    std::vector<double> times;
    for (int i = 0; i < 21 && world.rank() < 2; ++i) {
        const auto begin = clock::now();
        if (world.rank() == 0) world.send(std::span(data), 1, 0);
        world.receive(std::span(data), 1 - world.rank(), 0);
        if (world.rank() == 1) world.send(std::span(data), 0, 0);
        times.push_back(seconds_since(begin) / 2);
    }
    std::array<double, 1> median{0};
    if (world.rank() == 0) {
        std::ranges::nth_element(times, times.begin() + 10);
        median[0] = times[10];
    }
    world.broadcast(median, 0);
    return median[0];
}

/// All schedules on the ranks of a communicator.
class bench_of_stages {
public:
    bench_of_stages(const world_of_stages& world, const settings& s)
        : world_(world), amount_(s.quick), pictures_(s, amount_.rows), sleeps_(s.sleeps),
          network_(neural::mlp(std::vector<std::size_t>(amount_.layers + 1, width))),
          message_s_(measured_message(world, amount_.rows)) {}

    [[nodiscard]] measurement all() {
        measurement m{world_.size(), microbatches,     amount_.rows, amount_.layers,
                      width,         !sleeps_.empty(), message_s_,   {}};
        for (const shown_schedule& s : four) m.schedules.push_back(one(std::string(s.schedule), s.chunks));
        return m;
    }

private:
    /// PipeDream never waits for a step's end: what others do in some steps it does in one run.
    [[nodiscard]] measured_schedule one(const std::string& name, int chunks) {
        const bool goes_on = name == "pipedream";
        const int runs = goes_on ? 1 : steps_in_round;
        const pipes::program steps =
            pipes::by_name(name).write({world_.size(), goes_on ? steps_in_round * microbatches : microbatches, chunks});
        const std::size_t rows = amount_.rows;
        const float scale = 1.F / static_cast<float>(goes_on ? rows : rows * microbatches);
        const auto cut = even_chunks(network_, static_cast<std::size_t>(chunks_of(steps.of)));
        staged_network<world_of_stages, training::sgd> network(world_, steps, network_, cut, rows, scale, {}, 1);
        timed_work work(sleeps_of(steps.of));
        const auto run = [&] {
            for (int i = 0; i < runs; ++i)
                static_cast<void>(network.run([&](int m) { return pictures_.batch(m); }, 0.001, std::ref(work)));
        };
        run(); // touches all memory
        std::vector<double> times;
        double busy = 0, total = 0;
        std::array<double, 6> sums{};
        for (int r = 0; r < amount_.rounds; ++r) {
            work.clear();
            world_.barrier();
            const auto begin = clock::now();
            run();
            std::array<double, 1> longest{seconds_since(begin)};
            world_.allreduce(longest, maximum);
            times.push_back(longest[0]);
            total += longest[0];
            for (std::size_t k = 0; k < 6; ++k) sums[k] += work.sums()[k];
        }
        world_.allreduce(sums, sum);
        for (std::size_t k = 0; k < 3; ++k) busy += sums[k];
        std::ranges::nth_element(times, times.begin() + amount_.rounds / 2);
        return found({name,
                      chunks,
                      times[static_cast<std::size_t>(amount_.rounds / 2)] / steps_in_round,
                      0,
                      1 - busy / (total * world_.size()),
                      0,
                      {}},
                     steps, sums, runs);
    }
    /// With what the timeline of the same steps says.
    [[nodiscard]] measured_schedule found(measured_schedule m, const pipes::program& steps,
                                          const std::array<double, 6>& sums, int runs) const {
        const pipes::costs c{sums[0] / sums[3], sums[1] / sums[4], sums[2] / sums[5], message_s_, 0, 0, true};
        const pipes::timeline t = pipes::timeline_of(steps, c);
        for (int worker = 0; worker < world_.size(); ++worker) m.predicted_idle += t.bubble(worker) / world_.size();
        m.predicted_s = t.makespan_s * runs / steps_in_round;
        m.work = {c.forward_s * chunks_of(steps.of), c.backward_s * chunks_of(steps.of), c.update_s * world_.size()};
        return m;
    }
    [[nodiscard]] std::vector<double> sleeps_of(const pipes::shape& of) const {
        if (sleeps_.empty()) return {};
        return {sleeps_[0] / chunks_of(of), sleeps_[1] / chunks_of(of), sleeps_[2] / of.stages};
    }

    const world_of_stages& world_;
    const amount amount_;
    const middles pictures_;
    const std::vector<double> sleeps_; // of the whole network
    const neural::network network_;
    const double message_s_;
};

} // namespace

measurement measured_by(const world_of_stages& world, const settings& s) { return bench_of_stages(world, s).all(); }

} // namespace tutti::tools::study::pipeline
