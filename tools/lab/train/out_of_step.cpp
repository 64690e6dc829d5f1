// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "out_of_step.hpp"

#include "sandblaster/rank.hpp"
#include "server_trainer.hpp"
#include "usual_settings.hpp"
#include "virtual_cluster.hpp"

#include <collectives/any_communicator.hpp>

#include <chrono>
#include <optional>

namespace tutti::tools {
namespace {

/// Follows the workers of a world, which are fibers of one thread.
class follower {
public:
    explicit follower(const virtual_cluster& on) : on_(on) {}

    /// Of one worker. All steps together are `most`.
    [[nodiscard]] worker_hooks hooks_of(int rank, std::size_t most, std::size_t test_every) {
        worker_hooks h;
        h.computes = on_.computing(rank);
        h.computes.of_step = [this, takes = h.computes.of_step](std::size_t step) {
            if (!began_) began_ = on_.world->now();
            return takes(step);
        };
        h.goes_on = [this, most](std::size_t) { return made_ < most; };
        h.stepped = [this, most](std::size_t) {
            if (++made_ != most) return;
            found_.seconds = seconds();
            found_.steps = made_;
        };
        h.tested = [this](const epoch_result& e) {
            found_.tests.push_back({seconds(), made_, e.test_loss, e.test_accuracy});
        };
        h.ended = [this](const training::server::staleness_histogram& read) { add(read.counts()); };
        h.test_every = test_every;
        return h;
    }
    [[nodiscard]] out_of_step_result found() && { return std::move(found_); }

private:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(on_.world->now() - began_.value_or(on_.world->now())).count();
    }
    void add(const std::vector<std::uint64_t>& counts) {
        if (found_.staleness.size() < counts.size()) found_.staleness.resize(counts.size());
        for (std::size_t i = 0; i < counts.size(); ++i) found_.staleness[i] += counts[i];
    }

    const virtual_cluster& on_;
    std::optional<std::chrono::nanoseconds> began_; ///< the first step
    std::size_t made_ = 0;                          ///< steps of all workers
    out_of_step_result found_;
};

} // namespace

out_of_step_result train_out_of_step(const train_settings& settings, std::size_t test_every,
                                     const picture_sets* pictures) {
    const train_settings s = with_usual(settings);
    const virtual_cluster cluster = virtual_cluster_of(s, 0); // studies run several trainings at a time
    follower all(cluster);
    cluster.world->run([&](transport::simulated end) {
        const any_communicator ranks = type_erased(communicator{std::move(end)});
        server_trainer one{ranks, s, pictures};
        const auto workers = static_cast<std::size_t>(ranks.size() - s.servers);
        const std::size_t most = one.is_worker() ? s.epochs * one.data().steps() * workers : 0;
        one.run(all.hooks_of(ranks.rank(), most, test_every));
    });
    return std::move(all).found();
}

std::vector<tested_store> sandblaster_in_virtual_time(const train_settings& s, portion_maths& maths) {
    const virtual_cluster cluster = virtual_cluster_of(s, 0);
    std::vector<tested_store> tests;
    double seconds = 0;
    cluster.world->run([&](transport::simulated end) {
        const any_communicator all = type_erased(communicator{std::move(end)});
        sandblaster_hooks hooks;
        hooks.computes = cluster.computing(all.rank());
        hooks.tested = [&](const epoch_result& e) {
            tests.push_back({seconds += e.seconds, 0, e.test_loss, e.test_accuracy});
        };
        static_cast<void>(train_by_sandblaster(all, s, maths, hooks));
    });
    return tests;
}

} // namespace tutti::tools
