// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "out_of_step.hpp"

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
    follower(transport::simulated_world& world, const transport::compute_time& takes) : world_(world), takes_(takes) {}

    /// Of one worker. All steps together are `most`.
    [[nodiscard]] worker_hooks hooks_of(int rank, std::size_t most, std::size_t test_every) {
        worker_hooks h;
        h.computes = [this, rank](std::size_t step, const auto& work) {
            if (!began_) began_ = world_.now();
            world_.compute(takes_.of(rank, step), work);
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
        return std::chrono::duration<double>(world_.now() - began_.value_or(world_.now())).count();
    }
    void add(const std::vector<std::uint64_t>& counts) {
        if (found_.staleness.size() < counts.size()) found_.staleness.resize(counts.size());
        for (std::size_t i = 0; i < counts.size(); ++i) found_.staleness[i] += counts[i];
    }

    transport::simulated_world& world_;
    const transport::compute_time& takes_;
    std::optional<std::chrono::nanoseconds> began_; ///< the first step
    std::size_t made_ = 0;                          ///< steps of all workers
    out_of_step_result found_;
};

} // namespace

out_of_step_result train_out_of_step(const train_settings& settings, std::size_t test_every,
                                     const picture_sets* pictures) {
    const train_settings s = with_usual(settings);
    const auto [takes, world] = virtual_cluster_of(s, 0); // studies run several trainings at a time
    follower all(*world, takes);
    world->run([&](transport::simulated end) {
        const any_communicator ranks = type_erased(communicator{std::move(end)});
        server_trainer one{ranks, s, pictures};
        const auto workers = static_cast<std::size_t>(ranks.size() - s.servers);
        const std::size_t most = one.is_worker() ? s.epochs * one.data().steps() * workers : 0;
        one.run(all.hooks_of(ranks.rank(), most, test_every));
    });
    return std::move(all).found();
}

} // namespace tutti::tools
