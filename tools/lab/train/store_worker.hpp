// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "interrupt.hpp"
#include "make_task.hpp"
#include "model_part.hpp"
#include "pass.hpp"
#include "replica_job.hpp"
#include "server_mode.hpp"
#include "weights_hash.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {

/// Of a training with servers. All but `stepped`, `diverged` and `ended` is told by the first worker alone.
struct worker_hooks : run_hooks {
    std::function<bool(std::size_t steps)> goes_on{}; ///< after so many steps; empty: it makes those of all epochs
    std::function<void(std::size_t steps)> stepped = [](std::size_t) {}; ///< a worker has made so many
    std::function<void()> diverged = [] {}; ///< a worker ends since its losses are no numbers
    /// A worker: how old what it read was.
    std::function<void(const training::server::staleness_histogram&)> ended = [](const auto&) {};
    std::size_t test_every = 0; ///< steps of the first worker from one test to the next; 0: those of an epoch
};

/// A worker of a store: a whole replica of the model, its part of the pictures or the text, and of the first worker the
/// whole test set.
template <class Communicator>
class store_worker {
public:
    /// Of all workers. Collective. Throws as a task does.
    store_worker(const Communicator& workers, const train_settings& s, const picture_sets* pictures)
        : settings_(s), grid_(workers, {workers.size(), 1, 1}),
          task_(make_task(grid_, s, {is_first() ? std::optional(share{}) : std::nullopt, pictures})),
          part_(make_model(s, *task_, grid_.tensor), grid_, 1), rates_(learning_rates(s, task_->steps())) {}

    [[nodiscard]] const task& data() const noexcept { return *task_; }
    [[nodiscard]] std::size_t parameters() const noexcept { return part_.of().whole.parameters(); }
    /// The one that puts the first weights, tests, and reports.
    [[nodiscard]] bool is_first() const noexcept { return grid_.world.rank() == 0; }

    /// Trains until the epochs are over. No worker waits for another one but by what the servers do. A worker that is
    /// lost after the start, which is collective, is not waited for.
    void train(const training::server::links<Communicator>& by, training::warm_start<Communicator>& begins,
               const worker_hooks& hooks) {
        training::server::client<Communicator> store(
            by, {.deadline = silence_of(settings_), .sign_every = silence_of(settings_) / 3});
        if (is_first()) {
            store.put(0, part_.first_weights(settings_.seed));
            store.flush();
        }
        grid_.world.barrier();
        begins.wait();
        const auto job = make_job(store);
        make_steps(store, *job, begins, hooks);
        begins.tell();
        job->end();
        store.close();
        hooks.ended(store.staleness());
    }

private:
    using client = training::server::client<Communicator>;

    [[nodiscard]] std::unique_ptr<replica_job> make_job(client& store) const {
        const auto parameters = part_.parameters();
        if (settings_.mode != "downpour") return std::make_unique<store_job<Communicator>>(store, parameters, now_);
        return std::make_unique<downpour_job<Communicator>>(store, parameters, settings_, rates_, now_);
    }
    /// Gradients of a worker are terms of a sum, which is the mean over a batch.
    [[nodiscard]] whole_pass pass_of(replica_job& job, std::vector<layer_pass>& layers) const {
        return {*task_, job, layers.front(), std::max<std::size_t>(1, settings_.microbatches), 1};
    }

    void make_steps(client& store, replica_job& job, training::warm_start<Communicator>& begins,
                    const worker_hooks& hooks) {
        std::vector<layer_pass> layers = part_.passes(job, computing_, nullptr);
        whole_pass pass = pass_of(job, layers);
        const std::size_t an_epoch = task_->steps(), every = hooks.test_every > 0 ? hooks.test_every : an_epoch;
        since_test trained{now_(), std::chrono::duration<double>(job.exposed()).count(), {}};
        while (hooks.goes_on ? hooks.goes_on(job.steps()) : job.steps() < settings_.epochs * an_epoch) {
            if (interrupt_note::noted()) {
                if (is_first()) hooks.interrupted(job.steps());
                break;
            }
            const neural::score last = make_step(job, pass, hooks);
            trained.score += last;
            if (job.steps() == settings_.warm_start) begins.tell();
            if (is_first() && job.steps() % an_epoch != 0) hooks.told(job.steps(), mean_loss(last));
            if (job.steps() % every != 0) continue;
            bool is_well = std::isfinite(trained.score.loss);
            if (is_first()) {
                const epoch_result result = tested(store, job, trained);
                hooks.tested(result);
                is_well = is_well && std::isfinite(result.test_loss);
            }
            if (!is_well && !hooks.goes_on) { // each worker finds out by itself
                hooks.diverged();
                break;
            }
            trained = {now_(), std::chrono::duration<double>(job.exposed()).count(), {}};
        }
    }
    [[nodiscard]] neural::score make_step(replica_job& job, whole_pass& pass, const worker_hooks& hooks) {
        const std::size_t step = job.steps(), of_epoch = step % task_->steps();
        if (of_epoch == 0) task_->begin(step / task_->steps() + 1);
        job.clear();
        neural::score made;
        hooks.computes(step, [&] { made = pass.train(of_epoch); });
        if (settings_.clip > 0) job.clip(settings_.clip);
        const bool was_well = !job.first_bad() || job.first_bad()->step <= step;
        job.step(rates_(step), mean_loss(made));
        if (!was_well) {
            made.loss = std::numeric_limits<double>::quiet_NaN();
            fmt::print(stderr, "step {}: the gradient of \"{}\" on rank {} is NaN or infinite, and counts as zero\n",
                       step + 1, part_.parameters()[job.first_bad()->parameter].name,
                       grid_.world.world_rank(grid_.world.rank()));
        }
        hooks.stepped(job.steps());
        return made;
    }

    struct since_test {
        std::chrono::steady_clock::time_point began;
        double waited_s;
        neural::score score; ///< of this worker's pictures
    };
    [[nodiscard]] static double mean_loss(const neural::score& s) {
        return s.loss / static_cast<double>(std::max<std::size_t>(1, s.count));
    }
    [[nodiscard]] static double part_right(const neural::score& s) {
        return static_cast<double>(s.right) / static_cast<double>(std::max<std::size_t>(1, s.count));
    }
    /// Of the weights that the store has.
    [[nodiscard]] epoch_result tested(client& store, replica_job& job, const since_test& trained) const {
        store_job<Communicator> read(store, part_.parameters(), now_);
        std::vector<layer_pass> layers = part_.passes(read, computing_, nullptr);
        whole_pass pass = pass_of(read, layers);
        read.clear();
        const neural::score right = pass.test();
        epoch_result result;
        result.epoch = job.steps() / task_->steps();
        result.loss = mean_loss(trained.score);
        result.train_accuracy = part_right(trained.score);
        result.test_loss = mean_loss(right);
        result.test_accuracy = part_right(right);
        result.seconds = std::chrono::duration<double>(now_() - trained.began).count();
        result.exposed_seconds = std::chrono::duration<double>(job.exposed()).count() - trained.waited_s;
        const training::bytes_held held = job.bytes();
        result.bytes = {held.parameters, held.gradients, held.states};
        result.weights_hash = detail::no_weights;
        detail::add(result.weights_hash, read.all_weights());
        result.weights_agree = true; // the store has each of them once
        return result;
    }

    const train_settings& settings_;
    const rank_grid<Communicator> grid_;
    const std::unique_ptr<task> task_;
    const model_part part_;
    const training::time_source now_ = training::clock_of(grid_.world);
    const simulated_computing computing_; ///< none: the hooks take the time of a whole step
    const std::function<double(std::size_t)> rates_;
};

} // namespace tutti::tools
