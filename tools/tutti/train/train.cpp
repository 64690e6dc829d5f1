// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "train.hpp"

#include "../common/one_of.hpp"
#include "../common/threads.hpp"
#include "../run/launched.hpp"
#include "../run/local_ranks.hpp"
#include "commands.hpp"
#include "report.hpp"
#include "trainer.hpp"

#include <transport/memory.hpp>
#include <transport/routed.hpp>
#include <transport/shared_memory.hpp>
#include <transport/tcp.hpp>

#include <memory>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr auto train_description = "Train a small network on several ranks, gradients averaged by allreduce";

constexpr auto train_footer =
    R"(Synchronous data-parallel stochastic gradient descent on a multilayer perceptron that knows pictures. Each
rank holds its share of the pictures; in each step it works on its part of the batch, the gradients are
averaged by allreduce, and every rank takes the same step. So all copies of the network stay equal, bit by
bit, which is checked after each epoch. Equal settings give equal weights, run after run.

The pictures are Fashion-MNIST, 70,000 of clothes, where all hosts have Debian's package
dataset-fashion-mnist. Else, with --data drawn and with --pictures, they are drawn digits: strokes with random
slant, size, place, wobble, pen and dirt. With --data DIR they are read from there, in MNIST's format:
train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, or the
same with .gz behind the name. The first line of the output says which it is.

Columns: mean loss over the training pictures, in nats; accuracy on both sets; seconds of the epoch; how much
of them rank 0 spent in allreduce, waiting for slower ranks included; a hash of the weights.

Without a launcher, P ranks are started here: processes, or threads over memory. Under a launcher
(tutti run, mpirun, mpiexec, srun, torchrun --no_python) each process is one rank. 'tutti env' says
which one is found.

Examples:
  tutti train --ranks 4
  tutti train --ranks 2 --transport memory --algorithm ring --hidden 256,64
  tutti run -n 4 -- tutti train --data mnist --epochs 10 --batch 128

Exit status:
  0  trained, and the weights were the same on all ranks after each epoch
  1  they were not, or something failed
  2  the command line is wrong)";

/// One rank's training. Returns whether the weights always agreed.
template <class Communicator>
bool train_as_rank(const Communicator& world, const train_settings& s) {
    trainer<Communicator> one{world, s};
    std::optional<train_report> report;
    if (world.rank() == 0) report.emplace(s, world.size(), one.parameters(), one.pictures(), one.steps(), one.data());
    bool agreed = true;
    for (std::size_t epoch = 1; epoch <= s.epochs; ++epoch) {
        const epoch_result result = one.run(epoch);
        agreed = agreed && result.weights_agree;
        if (report) report->add(result);
    }
    if (report) report->finish();
    return agreed;
}

int train_in_memory(const train_settings& s) {
    const auto fabric = transport::memory_world::create(s.ranks);
    bool agreed = false;
    const bool well = run_as_threads(s.ranks, [&](int rank) {
        const communicator world{transport::memory{fabric, rank}};
        const bool mine = train_as_rank(world, s);
        if (rank == 0) agreed = mine;
    });
    return well && agreed ? 0 : 1;
}

template <class Transport>
int train_as_process(const train_settings& s) {
    const communicator world{Transport::from_environment()};
    if (s.ranks != 0 && s.ranks != world.size())
        throw std::invalid_argument(
            fmt::format("--ranks {} was asked for, but the launcher started {}", s.ranks, world.size()));
    // A failure is told at once: leaving the world may take time, while other ranks find out too.
    return as_rank([&] { return train_as_rank(world, s) ? 0 : result_is_wrong; });
}

int train(train_settings s, const std::vector<std::string>& command) {
    if (s.transport == "memory") require_no_launcher("the ranks of --transport memory are threads of one process");
    if (s.transport != "memory" && launched_place())
        return as_rank([&] {
            if (s.transport == "tcp") return train_as_process<transport::tcp>(s);
            if (s.transport == "routed")
                return train_as_process<transport::routed<transport::shared_memory, transport::tcp>>(s);
            return train_as_process<transport::shared_memory>(s);
        });
    if (s.ranks == 0) s.ranks = 4;
    if (choices(s.algorithm, operation::allreduce, s.ranks, true).empty()) // throws where there is no such algorithm
        throw std::invalid_argument(s.algorithm + " has no allreduce, with which gradients are summed");
    if (s.transport == "memory") return train_in_memory(s);
    return report_launch("train", launch(local_ranks(command, s.ranks)));
}

} // namespace

void add_train(CLI::App& app, action& chosen, std::vector<std::string> command_line) {
    auto s = std::make_shared<train_settings>();
    CLI::App& c = *app.add_subcommand("train", train_description);
    c.footer(train_footer);
    const CLI::Range positive{1, 1'000'000};
    c.add_option("--ranks", s->ranks, "How many ranks to start [default: 4]")
        ->check(CLI::Range(1, 4096))
        ->type_name("P");
    c.add_option("--transport", s->transport,
                 "What carries the messages; routed: shared memory within a host, tcp between hosts [default: tcp]")
        ->check(one_of({"memory", "shared_memory", "tcp", "routed"}));
    c.add_option("--data", s->data,
                 "Read MNIST's files from DIR, or draw digits: drawn [default: Fashion-MNIST if installed, else drawn]")
        ->type_name("DIR");
    c.add_option("--epochs", s->epochs, "Passes over the pictures [default: 6]")->check(positive)->type_name("N");
    c.add_option("--batch", s->batch, "Pictures a step, over all ranks [default: 64]")->check(positive)->type_name("N");
    c.add_option("--learning-rate", s->learning_rate, "How far a step goes along the gradient [default: 0.2]")
        ->check(CLI::Range(1e-9, 1e3))
        ->type_name("RATE");
    c.add_option("--hidden", s->hidden, "Widths of the hidden layers, separated by commas [default: 128]")
        ->delimiter(',')
        ->check(positive)
        ->type_name("N");
    c.add_option("--algorithm", s->algorithm, "Of the allreduce; auto: the library's choice [default: auto]")
        ->type_name("NAME");
    c.add_option("--pictures", s->pictures,
                 "How many to draw for training, and an eighth more for testing [default: 16000, where they are drawn]")
        ->check(CLI::Range(8, 10'000'000))
        ->type_name("N");
    c.add_option("--seed", s->seed, "Of weights, order and drawn pictures [default: 1]")->type_name("N");
    c.add_option("--json", s->json,
                 "Also write the epochs to FILE: an array, one object an epoch; with - print nothing else")
        ->type_name("FILE");
    c.callback([s, &chosen, command_line = std::move(command_line)] {
        chosen = [s, command_line] { return train(*s, command_line); };
    });
}

} // namespace tutti::tools
