// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "clip_parts.hpp"
#include "interrupt.hpp"
#include "learning_rates.hpp"
#include "make_job.hpp"
#include "make_pass.hpp"
#include "make_task.hpp"
#include "step_compute.hpp"
#include "weights_hash.hpp"
#include "write_trace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace tutti::tools {

/// One rank of a training: its place in the grid, its part of the model, and its part of a job. All
/// replicas start from one seed and descend along the same averaged gradients, so their weights stay equal, bit by bit.
/// In the modes local and gossip each descends along its own, and what is tested is the average of all.
template <class Communicator>
class trainer {
public:
    /// Collective. Throws std::invalid_argument, std::runtime_error or tutti::error for settings that do not fit.
    trainer(const Communicator& world, const train_settings& settings, const step_compute& by = {})
        : settings_(settings), is_virtual_(by.of_step), made_(world.now()),
          grid_(world, grid_of(settings, world.size())), task_(make_task(grid_, settings)),
          part_(make_model(settings, *task_, grid_.tensor), grid_, chunks_a_stage(settings, grid_.of)),
          computing_(by, part_.of().whole.parameters(), microbatches_of(settings, grid_.of),
                     grid_.of.stages * grid_.of.tensor, grid_.of.tensor > 1),
          trace_(settings.trace.empty() ? 0 : settings.trace_steps, training::clock_of(world)),
          job_(make_job(grid_.data, settings, part_.parameters(), part_.first_weights(settings.seed))),
          layers_(part_.passes(*job_, computing_, &trace_)),
          pass_(make_pass(grid_, settings, part_, std::span(layers_), *task_, *job_, &trace_)),
          rates_(learning_rates(settings, task_->steps())) {}

    [[nodiscard]] const task& data() const noexcept { return *task_; }
    /// Of the whole model.
    [[nodiscard]] std::size_t parameters() const noexcept { return part_.of().whole.parameters(); }
    /// Steps that the weights have seen.
    [[nodiscard]] std::size_t steps() { return job_->steps(); }

    /// Goes through the rest of the epoch, then tests. Nothing where SIGINT came to one of the ranks: it ends after the
    /// step in which all know of it. told(steps, loss) hears of the steps so far whenever all ranks meet: how many of
    /// the epoch are done, and the mean loss over all ranks of those that were not told of before. Collective.
    [[nodiscard]] std::optional<epoch_result> run(const auto& told) {
        const auto start = grid_.world.now();
        const std::chrono::nanoseconds exposed_before = job_->exposed();
        const std::size_t epoch = job_->steps() / task_->steps() + 1;
        task_->begin(epoch);
        const std::uint64_t sent_before = sent_bytes();
        neural::score trained, untold;
        const std::size_t left_out_before = left_out_, steps = task_->steps() - job_->steps() % task_->steps();
        for (std::size_t step = job_->steps() % task_->steps(); step < task_->steps(); ++step) {
            const known_by_all known = train_step(step, trained, untold);
            if (known.stops) return {};
            if (known.rows > 0) told(step, known.loss / known.rows);
        }
        epoch_result result = tested(trained);
        result.epoch = epoch;
        if (left_out_ - left_out_before == steps)
            result.loss = std::numeric_limits<double>::quiet_NaN(); // nothing learnt
        if (!std::isfinite(result.loss) || !std::isfinite(result.test_loss)) tell_first_bad();
        result.seconds = seconds_since(start);
        if (is_virtual_) result.virtual_seconds = seconds_since(made_);
        result.exposed_seconds = std::chrono::duration<double>(job_->exposed() - exposed_before).count();
        const training::bytes_held held = job_->bytes();
        result.bytes = {held.parameters, held.gradients, held.states};
        if (job_->sent()) result.sent_bytes = sent_bytes() - sent_before;
        return result;
    }

    /// What the weights are worth now, on the examples to test with. Collective.
    [[nodiscard]] epoch_result evaluate() { return tested({}); }

    /// Writes the trace, if the settings ask for one. Collective.
    void finish_trace() const {
        if (!settings_.trace.empty()) write_trace(grid_.world, trace_, settings_.virtual_ranks > 0, settings_.trace);
    }

    /// To one file for each part of the model. Where one cannot be written, all ranks throw. Collective.
    void save() {
        with_all_files([this] { job_->save(own_file(), settings_.seed); });
    }
    /// Where a file cannot be read, all ranks throw. Throws std::invalid_argument where a file has another seed, and
    /// std::runtime_error where the files of a model in parts are of different steps. Collective.
    void restore() {
        std::uint64_t seed = 0;
        with_all_files([&] { seed = job_->restore(own_file()); });
        std::array<std::uint64_t, 2> least{seed, job_->steps()}, most = least;
        grid_.world.allreduce(least, minimum);
        grid_.world.allreduce(most, maximum);
        if (least[0] != settings_.seed || most[0] != settings_.seed)
            throw std::invalid_argument(settings_.checkpoint + " was made with --seed " +
                                        std::to_string(least[0] != settings_.seed ? least[0] : most[0]));
        if (least[1] != most[1])
            throw std::runtime_error("the files of " + settings_.checkpoint + " are of different steps, " +
                                     std::to_string(least[1]) + " to " + std::to_string(most[1]));
    }

private:
    [[nodiscard]] bool is_cut() const noexcept { return grid_.of.stages * grid_.of.tensor > 1; }
    [[nodiscard]] std::string own_file() const {
        return file_of_part(settings_.checkpoint, grid_.of, grid_.stages.rank(), grid_.tensor.rank());
    }
    /// Does something with the files of all parts, each of which fails on the ranks of its part alone.
    void with_all_files(const auto& act) {
        std::exception_ptr failure;
        try {
            act();
        } catch (const training::checkpoint_error&) {
            failure = std::current_exception();
        }
        std::array<int, 1> fails{failure ? 1 : 0};
        grid_.world.allreduce(fails, maximum);
        if (failure) std::rethrow_exception(failure);
        if (fails[0] == 1) throw std::runtime_error("the file of another part of " + settings_.checkpoint + " failed");
    }

    [[nodiscard]] double seconds_since(std::chrono::steady_clock::time_point begin) const {
        return std::chrono::duration<double>(grid_.world.now() - begin).count();
    }

    /// What all ranks know after a step.
    struct known_by_all {
        bool stops = false;        ///< SIGINT came to one of them
        double loss = 0, rows = 0; ///< of the steps before it that were not told of
    };
    /// Adds the score of the step to both. Ranks tell each other what is untold where they wait for each other anyway.
    [[nodiscard]] known_by_all train_step(std::size_t step, neural::score& trained, neural::score& untold) {
        std::array<double, 3> notes{};
        std::optional<decltype(grid_.world.async().allreduce(notes, sum))> agreement;
        if (++since_meeting_ >= meeting_interval_ && job_->meets()) {
            since_meeting_ = 0;
            notes = {interrupt_note::noted() ? 1. : 0., untold.loss, static_cast<double>(untold.count)};
            agreement.emplace(grid_.world.async().allreduce(notes, sum));
            untold = {};
        }
        const neural::score own = passed(step);
        trained += own;
        untold += own;
        if (agreement) agreement->wait();
        return {notes[0] > 0, notes[1], notes[2]};
    }
    [[nodiscard]] neural::score passed(std::size_t step) {
        trace_.begin_step(job_->steps());
        job_->clear();
        computing_.begin_step(job_->steps());
        const neural::score own = pass_->train(step);
        computing_.end_step();
        const bool is_left_out = has_bad();
        if (is_left_out) {
            ++left_out_;
            job_->leave_out();
        } else {
            if (settings_.clip > 0) clip();
            const step_trace::slice timed(&trace_, "update");
            job_->step(rates_(job_->steps()), own.loss / static_cast<double>(std::max<std::size_t>(own.count, 1)));
        }
        trace_.end_step();
        return is_left_out ? neural::score{} : own;
    }
    /// Whether all ranks leave out this step. Of those that have met a bad gradient, the first replica tells it, once
    /// and then ever more rarely.
    [[nodiscard]] bool has_bad() {
        const std::optional<training::bad_gradient> bad = job_->bad();
        std::array<int, 1> any{bad ? 1 : 0};
        if (settings_.leave_out_bad && is_cut()) grid_.world.allreduce(any, maximum);
        if (bad && grid_.data.rank() == 0 && std::has_single_bit(++bad_steps_))
            fmt::print(stderr, "step {}: the gradient of \"{}\" {} is NaN or infinite{}{}\n", job_->steps() + 1,
                       part_.parameters()[bad->parameter].name,
                       bad->rank < 0 ? std::string("on average") : fmt::format("on rank {}", bad->rank),
                       settings_.leave_out_bad ? "; the step is left out" : "",
                       bad_steps_ > 1 ? fmt::format(", as {} before it", bad_steps_ - 1) : "");
        return settings_.leave_out_bad && any[0] == 1;
    }
    /// After a training that diverged where each rank looks at its own gradients: rank 0 tells who was first.
    /// Collective.
    void tell_first_bad() {
        constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
        const auto own = job_->first_bad();
        const auto rank = static_cast<std::uint64_t>(grid_.world.rank());
        std::array<std::uint64_t, 1> first{own ? own->step << 32U | rank << 16U | own->parameter : none};
        grid_.world.allreduce(first, minimum);
        if (first[0] != none && rank == 0)
            fmt::print(stderr, "step {}: the gradient of \"{}\" on rank {} is the first that is NaN or infinite\n",
                       first[0] >> 32U, part_.parameters()[first[0] & 0xffffU].name, first[0] >> 16U & 0xffffU);
    }
    [[nodiscard]] std::uint64_t sent_bytes() { return job_->sent().value_or(training::compressed::traffic{}).bytes; }
    void clip() {
        const step_trace::slice timed(&trace_, "clip");
        if (is_cut())
            clip_parts(grid_, part_, *job_, settings_.clip);
        else
            job_->clip(settings_.clip);
    }

    [[nodiscard]] epoch_result tested(const neural::score& trained) {
        const std::optional<double> apart = job_->show_average();
        epoch_result result = judged(trained, pass_->test());
        result.consensus_distance = apart;
        result.weights_hash = hash_of_weights(grid_, std::span(layers_), part_.all_chunks().size());
        result.weights_agree = copies_agree(result.weights_hash);
        job_->show_own();
        return result;
    }
    [[nodiscard]] epoch_result judged(const neural::score& trained, const neural::score& tested) const {
        const auto number = [](std::size_t n) { return static_cast<double>(n); };
        std::array<double, 6> totals{trained.loss, number(trained.right), number(trained.count),
                                     tested.loss,  number(tested.right),  number(tested.count)};
        grid_.world.allreduce(totals, sum);
        epoch_result result;
        if (totals[2] > 0) {
            result.loss = totals[0] / totals[2];
            result.train_accuracy = totals[1] / totals[2];
        }
        result.test_loss = totals[3] / totals[5];
        result.test_accuracy = totals[4] / totals[5];
        return result;
    }
    // Of the replicas, and of what all ranks of a stage have.
    [[nodiscard]] bool copies_agree(std::uint64_t hash) {
        const bool replicas = is_same(grid_.world, hash);
        if (grid_.of.tensor == 1) return replicas;
        std::array<int, 1> stage{is_same(grid_.tensor, hash_of_common(part_, layers_))};
        grid_.world.allreduce(stage, minimum);
        return replicas && stage[0] == 1;
    }
    [[nodiscard]] static bool is_same(const Communicator& among, std::uint64_t mine) {
        std::array<std::uint64_t, 1> least{mine}, most{mine};
        among.allreduce(least, minimum);
        among.allreduce(most, maximum);
        return least == most;
    }

    const train_settings& settings_;
    const bool is_virtual_;
    const std::chrono::steady_clock::time_point made_; ///< when this trainer was
    const rank_grid<Communicator> grid_;
    const std::unique_ptr<task> task_;
    const model_part part_;
    simulated_computing computing_;
    /// Steps from one meeting to the next, at least: a meeting of many ranks takes as long as a small network's step.
    const std::size_t meeting_interval_ = std::clamp(static_cast<std::size_t>(grid_.world.size()) / 16, 1UL, 16UL);
    std::size_t since_meeting_ = 0;
    std::size_t bad_steps_ = 0; ///< in which this rank's replicas met a gradient that is not finite
    std::size_t left_out_ = 0;  ///< steps, by all ranks
    step_trace trace_;
    const std::unique_ptr<joint_job> job_;
    std::vector<layer_pass> layers_; // by own chunk
    const std::unique_ptr<pass> pass_;
    const std::function<double(std::size_t)> rates_;
};

} // namespace tutti::tools
