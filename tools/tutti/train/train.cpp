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
bit, which is checked after each epoch. Equal settings give equal weights, run after run, on
machines of one kind.

The pictures are Fashion-MNIST, 70,000 of clothes, where all hosts have Debian's package
dataset-fashion-mnist. Else, with --data drawn and with --pictures, they are drawn digits: strokes with random
slant, size, place, wobble, pen and dirt. With --data DIR they are read from there, in MNIST's format:
train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, or the
same with .gz behind the name. The first line of the output says which it is.

Modes: in ddp each rank has all, and buckets of gradients are averaged while the backward pass computes.
zero1 spreads the optimizer's state, zero2 the gradients as well, zero3 the weights too. With the same
--algorithm (ring, halving_doubling, direct, parameter_server or circulant) all modes give equal weights.

Columns: mean loss over the training pictures, in nats; accuracy on both sets; seconds of the epoch; how much
of them rank 0 spent in calls that move gradients, waiting for slower ranks included; bounds of the share of
the gradients' time under way in which it did not wait; bytes that it held of weights, gradients and state; a
hash of the weights.

Ctrl-C ends all ranks after the same step, with a checkpoint where --checkpoint names a file. --resume goes
on from there. The result has the same bits as without the break where the ranks are as many.

Without a launcher, P ranks are started here: processes, or threads over memory. Under a launcher
(tutti run, mpirun, mpiexec, srun, torchrun --no_python) each process is one rank. 'tutti env' says
which one is found.

Examples:
  tutti train --ranks 4
  tutti train --ranks 2 --transport memory --algorithm ring --hidden 256,64
  tutti train --mode zero3 --optimizer adam --checkpoint job.tutti
  tutti run -n 4 -- tutti train --data mnist --epochs 10 --batch 128

Exit status:
  0  trained, or ended by Ctrl-C, and the weights were the same on all ranks after each epoch
  1  they were not, or something failed
  2  the command line is wrong)";

/// One rank's training. Returns whether the weights always agreed.
template <class Communicator>
bool train_as_rank(const Communicator& world, const train_settings& s) {
    trainer<Communicator> one{world, s};
    if (s.resume) one.restore();
    std::optional<train_report> report;
    if (world.rank() == 0) report.emplace(s, world.size(), one.parameters(), one.data());
    bool agreed = true;
    while (one.steps() < s.epochs * one.data().steps()) {
        const std::size_t epoch = one.steps() / one.data().steps() + 1;
        const auto result = one.run([&](std::size_t step) {
            if (report) report->show(epoch, step);
        });
        if (!s.checkpoint.empty()) one.save();
        if (!result) {
            if (report) report->interrupted(one.steps());
            break;
        }
        agreed = agreed && result->weights_agree;
        if (report) report->add(*result);
    }
    if (report) report->finish();
    return agreed;
}

progress progress_of(const train_settings& s) {
    return s.progress == "in_thread" ? progress::in_thread : progress::in_calls;
}

int train_in_memory(const train_settings& s) {
    const auto fabric = transport::memory_world::create(s.ranks);
    const interrupt_note interrupts;
    bool agreed = false;
    const bool well = run_as_threads(s.ranks, [&](int rank) {
        const communicator world{transport::memory{fabric, rank}, progress_of(s)};
        const bool mine = train_as_rank(world, s);
        if (rank == 0) agreed = mine;
    });
    return well && agreed ? 0 : 1;
}

template <class Transport>
int train_as_process(const train_settings& s) {
    const interrupt_note interrupts;
    const communicator world{Transport::from_environment(), progress_of(s)};
    if (s.ranks != 0 && s.ranks != world.size())
        throw std::invalid_argument(
            fmt::format("--ranks {} was asked for, but the launcher started {}", s.ranks, world.size()));
    // A failure is told at once: leaving the world may take time, while other ranks find out too.
    return as_rank([&] { return train_as_rank(world, s) ? 0 : result_is_wrong; });
}

int train(train_settings s, const std::vector<std::string>& command) {
    if (s.wire == "bfloat16" && (s.mode == "zero2" || s.mode == "zero3"))
        throw std::invalid_argument(s.mode + " sends gradients as float32: take ddp or zero1 for --wire bfloat16");
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

void add_mode_options(CLI::App& c, train_settings& s) {
    c.add_option("--mode", s.mode, "What is spread over the ranks: nothing, or as ZeRO 1 to 3 do [default: ddp]")
        ->check(one_of({"ddp", "zero1", "zero2", "zero3"}));
    c.add_option("--optimizer", s.optimizer, "The rule of a step [default: sgd]")
        ->check(one_of({"sgd", "momentum", "adam", "lars"}));
    c.add_option("--bucket-bytes", s.bucket_bytes, "Gradients that travel together, at most [default: 26214400]")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40))
        ->type_name("BYTES");
    c.add_option("--microbatches", s.microbatches, "Parts of a batch whose gradients are added first [default: 1]")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    c.add_option("--wire", s.wire, "As what gradients travel; bfloat16 in ddp and zero1 [default: float32]")
        ->check(one_of({"float32", "bfloat16"}));
    c.add_option("--clip", s.clip, "The largest norm of all gradients together [default: none]")
        ->check(CLI::Range(1e-9, 1e9))
        ->type_name("NORM");
    c.add_option("--warm-up", s.warm_up_epochs,
                 "Epochs in which the rate rises, from that of the reference batch, else from a tenth [default: 0]")
        ->check(CLI::Range(0., 1e6))
        ->type_name("EPOCHS");
    c.add_option("--schedule", s.schedule, "How the rate goes on [default: constant]")
        ->check(one_of({"constant", "cosine"}));
    c.add_option("--reference-batch", s.reference_batch,
                 "The batch that the learning rate is for: it is scaled in proportion [default: not scaled]")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    c.add_option("--progress", s.progress, "Where buckets move: within calls, or in a thread [default: in_calls]")
        ->check(one_of({"in_calls", "in_thread"}));
    auto* const file = c.add_option("--checkpoint", s.checkpoint, "Save the job to FILE after each epoch, on rank 0")
                           ->type_name("FILE");
    c.add_flag("--resume", s.resume, "Go on from that file, on any number of ranks")->needs(file);
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
    c.add_option("--learning-rate", s->learning_rate,
                 "How far a step goes along the gradient [default: sgd 0.2, momentum 0.05, adam 0.001, lars 2]")
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
    add_mode_options(c, *s);
    c.callback([s, &chosen, command_line = std::move(command_line)] {
        chosen = [s, command_line] { return train(*s, command_line); };
    });
}

} // namespace tutti::tools
