// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "train.hpp"

#include "../../tutti/common/threads.hpp"
#include "../../tutti/run/launched.hpp"
#include "../../tutti/run/local_ranks.hpp"
#include "../commands.hpp"
#include "options.hpp"
#include "refused.hpp"
#include "report.hpp"
#include "sandblaster/rank.hpp"
#include "server_trainer.hpp"
#include "trainer.hpp"
#include "usual_settings.hpp"
#include "virtual_cluster.hpp"

#include <collectives/any_communicator.hpp>
#include <transport/memory.hpp>
#include <transport/routed.hpp>
#include <transport/shared_memory.hpp>
#include <transport/tcp.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutti::tools {
namespace {

/// The exit status of a training that SIGINT has ended: 128 and its number, as of a shell.
constexpr int was_interrupted = 128 + SIGINT;

int status_of(bool is_well) { return is_well ? 0 : result_is_wrong; }

/// Where a loss is not a number, the weights are none either, and training on cannot mend them.
bool is_finite(const epoch_result& e) { return std::isfinite(e.loss) && std::isfinite(e.test_loss); }

/// Tests what a checkpoint has. Returns whether the weights agree.
bool evaluate_as_rank(trainer<any_communicator>& one, std::optional<train_report>& report) {
    const epoch_result result = one.evaluate();
    if (report) {
        report->evaluated(result);
        report->finish();
    }
    return result.weights_agree;
}

/// Ranks that the others have gone on without.
void tell_lost(const std::vector<int>& lost, const char* what) {
    if (!lost.empty())
        fmt::print(stderr,
                   "lost: the {}{} on rank{} {}, dead or silent for too long; the others have gone on without\n", what,
                   lost.size() == 1 ? "" : "s", lost.size() == 1 ? "" : "s", fmt::join(lost, ", "));
}

/// The report is told what a training out of step tells.
void tell(train_report& report, run_hooks& by, std::size_t steps_an_epoch) {
    by.told = [&report, steps_an_epoch](std::size_t steps, double loss) {
        report.step(steps / steps_an_epoch + 1, steps % steps_an_epoch, loss);
    };
    by.tested = [&report](const epoch_result& e) { report.add(e); };
    by.interrupted = [&report](std::size_t steps) { report.interrupted(steps); };
}

/// One rank of a training with servers. Nothing in it can disagree.
int train_with_servers(const any_communicator& world, const train_settings& s, const step_compute& by) {
    server_trainer one{world, s};
    worker_hooks hooks;
    hooks.computes = by;
    std::optional<train_report> report;
    bool is_well = true;
    hooks.diverged = [&] { is_well = false; };
    if (one.is_first_worker()) {
        report.emplace(s, world.size(), one.parameters(), one.data(), 0, training::clock_of(world));
        tell(*report, hooks, one.data().steps());
        hooks.ended = [&](const auto& read) { report->read(read.counts()); };
    }
    const std::vector<int> lost = one.run(hooks);
    if (world.rank() == 0) tell_lost(lost, "worker");
    is_well = is_well && lost.empty();
    if (report) report->finish();
    return interrupt_note::noted() ? was_interrupted : status_of(is_well);
}

/// One rank of a training by Sandblaster.
int sandblast_as_rank(const any_communicator& world, train_settings s, portion_maths& maths, const step_compute& by) {
    s.batch = maths.batch();
    sandblaster_hooks hooks;
    hooks.computes = by;
    std::optional<train_report> report;
    if (world.rank() == 0) {
        report.emplace(s, world.size(), maths.parameters(), maths.data(), 0, training::clock_of(world));
        tell(*report, hooks, maths.data().steps());
        hooks.ended = [](const std::vector<int>& lost) { tell_lost(lost, "replica"); };
        hooks.stuck = [&](std::size_t steps) { report->stuck(steps); };
    }
    const bool is_well = train_by_sandblaster(world, s, maths, hooks) && !(report && report->has_diverged());
    if (report) report->finish();
    return interrupt_note::noted() ? was_interrupted : status_of(is_well);
}

/// One rank's training. Its exit status: the weights must always agree, and the loss be a number.
int train_as_rank(const any_communicator& world, const train_settings& s, const step_compute& by = {}) {
    if (has_servers(s)) return train_with_servers(world, s, by);
    if (s.mode == "sandblaster") {
        portion_maths maths(s);
        return sandblast_as_rank(world, s, maths, by);
    }
    trainer one{world, s, by};
    if (s.resume || s.evaluate) one.restore();
    std::optional<train_report> report;
    if (world.rank() == 0)
        report.emplace(s, world.size(), one.parameters(), one.data(), one.steps(), training::clock_of(world));
    if (s.evaluate) return status_of(evaluate_as_rank(one, report));
    int status = 0;
    while (one.steps() < s.epochs * one.data().steps()) {
        const std::size_t epoch = one.steps() / one.data().steps() + 1;
        const auto result = one.run([&](std::size_t steps, double loss) {
            if (report) report->step(epoch, steps, loss);
        });
        const bool goes_on = !result || is_finite(*result);
        if (!s.checkpoint.empty() && goes_on) one.save();
        if (!result) {
            if (report) report->interrupted(one.steps());
            status = was_interrupted;
            break;
        }
        if (!result->weights_agree || !goes_on) status = result_is_wrong;
        if (report) report->add(*result);
        if (!goes_on) break;
    }
    one.finish_trace();
    if (report) report->finish();
    return status;
}

/// The rank that reports: the first worker, where there are servers.
int reporter_of(const train_settings& s) { return has_servers(s) ? s.servers : 0; }

progress progress_of(const train_settings& s) {
    return s.progress == "by_waiters" ? progress::by_waiters : progress::in_calls;
}

int train_in_memory(const train_settings& s) {
    const auto fabric = transport::memory_world::create(s.ranks);
    const interrupt_note interrupts;
    int status = 1;
    const bool well = run_as_threads(s.ranks, [&](int rank) {
        const any_communicator world = type_erased(communicator{transport::memory{fabric, rank}, progress_of(s)});
        const int mine = train_as_rank(world, s);
        if (rank == reporter_of(s)) status = mine == result_is_wrong ? 1 : mine;
    });
    return well ? status : 1;
}

int train_in_virtual_time(const train_settings& s) {
    const virtual_cluster cluster = virtual_cluster_of(s);
    const interrupt_note interrupts;
    int status = 1;
    std::optional<portion_maths> shared;
    if (s.mode == "sandblaster") shared.emplace(s);
    cluster.world->run([&](transport::simulated end) {
        const any_communicator all = type_erased(communicator{std::move(end)});
        const step_compute by = cluster.computing(all.rank());
        const int mine = shared ? sandblast_as_rank(all, s, *shared, by) : train_as_rank(all, s, by);
        if (all.rank() == reporter_of(s)) status = mine == result_is_wrong ? 1 : mine;
    });
    const bool quiet = s.json == "-" || s.log == "-";
    // So a worker that is always slow takes the same time in all of these modes, however far ahead the others may be.
    const char* const why = has_servers(s) && !shared ? ", until the slowest worker has made its own steps" : "";
    fmt::print(quiet ? stderr : stdout, "virtual time {:.6f} s{}\n",
               std::chrono::duration<double>(cluster.world->now()).count(), why);
    return status;
}

template <class Transport>
int train_as_process(const train_settings& s) {
    const interrupt_note interrupts;
    const any_communicator world = type_erased(communicator{Transport::from_environment(), progress_of(s)});
    if (s.ranks != 0 && s.ranks != world.size())
        throw std::invalid_argument(
            fmt::format("--ranks {} was asked for, but the launcher started {}", s.ranks, world.size()));
    // A failure is told at once: leaving the world may take time, while other ranks find out too.
    return as_rank([&] { return train_as_rank(world, s); });
}

/// All that is wrong with a command line by itself. Of the ranks of a launcher, which have the same one, the first
/// tells it: the others do not. Returns whether all is well.
bool is_sensible(const CLI::App& command, train_settings& s) {
    const auto place = launched_place();
    try {
        require_sense(command, s);
        if (s.virtual_ranks > 0) {
            require_no_launcher("the ranks of --virtual are in one process");
            s.ranks = s.virtual_ranks;
            s.transport = "simulated";
        }
        if (s.transport == "memory") require_no_launcher("the ranks of --transport memory are threads of one process");
        if (place && s.transport != "memory" && s.transport != "simulated")
            require_fit(s, place->size);
        else {
            if (s.ranks == 0) s.ranks = usual_ranks(s);
            require_fit(s, s.ranks);
        }
    } catch (const std::invalid_argument&) {
        if (!place || place->rank == 0) throw;
        return false;
    }
    return true;
}

/// Gradients are summed by it over the ranks that have the same weights.
void require_algorithm(const train_settings& s) {
    const int ranks = has_servers(s) || s.mode == "sandblaster" ? s.ranks : grid_of(s, s.ranks).data;
    const std::vector<choice> found = choices(s.algorithm, operation::allreduce, ranks, true);
    if (found.empty()) throw std::invalid_argument(s.algorithm + " has no allreduce, with which gradients are summed");
    if (found.front().algorithm) require_proven(*found.front().algorithm, operation::allreduce, ranks);
}

int train(const CLI::App& options, const train_settings& said, const std::vector<std::string>& command) {
    train_settings s = with_usual(said);
    if (!is_sensible(options, s)) return usage_is_wrong;
    if (s.transport != "memory" && s.transport != "simulated" && launched_place())
        return as_rank([&] {
            if (s.transport == "tcp") return train_as_process<transport::tcp>(s);
            if (s.transport == "routed")
                return train_as_process<transport::routed<transport::shared_memory, transport::tcp>>(s);
            return train_as_process<transport::shared_memory>(s);
        });
    require_reports(s);
    require_checkpoint(s, grid_of(s, s.ranks));
    require_algorithm(s);
    if (s.transport == "simulated") return train_in_virtual_time(s);
    if (s.transport == "memory") return train_in_memory(s);
    launch_options ranks = local_ranks(command, s.ranks);
    ranks.plain_rank = reporter_of(s);
    if (has_servers(s) || s.mode == "sandblaster") {
        ranks.patience = std::chrono::hours(24); // a rank that dies is not waited for, and ends no other
        ranks.last_rank = 0;                     // whom it has not heard of is stopped
        ranks.last_patience =
            std::max(ranks.last_patience, std::chrono::duration_cast<std::chrono::milliseconds>(silence_of(s)));
    }
    const launch_result result = launch(ranks);
    return result.status == was_interrupted ? was_interrupted : report_launch("train", result);
}

} // namespace

void add_train(CLI::App& app, action& chosen, std::vector<std::string> command_line) {
    auto s = std::make_shared<train_settings>();
    CLI::App& command = add_train_options(app, *s);
    command.callback([s, &command, &chosen, command_line = std::move(command_line)] {
        chosen = [s, &command, command_line] { return train(command, *s, command_line); };
    });
}

} // namespace tutti::tools
