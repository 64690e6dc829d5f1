// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "options.hpp"

#include "../../tutti/common/one_of.hpp"

#include <cmath>
#include <cstdlib>

namespace tutti::tools {
namespace {

constexpr auto train_description = "Train a small network on several ranks";

constexpr auto train_footer =
    R"(Synchronous stochastic gradient descent. Each replica of the network works on its part of a batch. The
gradients are averaged by allreduce, and every replica takes the same step. So all copies of a weight stay
equal, bit by bit, which is checked after each epoch. Equal settings give equal weights, run after run, on
machines of one kind.

A multilayer perceptron (--model mlp) learns pictures. They are Fashion-MNIST, 70,000 of clothes, where all
hosts have Debian's package dataset-fashion-mnist. Else, with --data drawn and with --pictures, they are drawn
digits: strokes with random slant, size, place, wobble, pen and dirt. With --data DIR they are read from there,
in MNIST's format: train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
t10k-labels-idx1-ubyte, or the same with .gz behind the name.

A transformer (--model transformer) learns to tell the next character of a text: of --data FILE, which may end in
.gz, else of the King James Bible, for which all hosts need Debian's package bible-kjv-text. A tenth of the text
is kept from training, to test with. The first line of the output says which it is.

Modes: in ddp each rank has all, and buckets of gradients are averaged while the backward pass computes.
zero1 spreads the optimizer's state, zero2 the gradients as well, zero3 the weights too. With the same
--algorithm (ring, halving_doubling, direct, parameter_server or circulant) these four modes give equal weights.

In pipeline mode the layers are cut into stages, and a batch into microbatches that pass them one behind the
other; --pipeline names the schedule ('tutti draw --pipeline one_f_one_b' draws it). In tensor mode --tensor
ranks share each layer. 3d is replicas times stages times tensor ranks, D x S x T. A pipeline gives the
weights of D ranks in ddp with as many microbatches; where T is more than 1, sums are rounded otherwise. A
checkpoint has a file for each part of the model, FILE.stageS.partT.

In bsp, ssp, asynchronous and downpour the first ranks, --servers of them, keep the weights, and the rule of a
step runs there. Each other rank is a worker with its own part of the data. It reads the weights, computes
gradients by its part of a batch, and pushes them. In bsp, bulk synchronous, all workers make each step
together. In ssp a worker may be --staleness steps ahead of the slowest one, and in asynchronous by any number.
In downpour, Downpour SGD, a worker descends by itself; it fetches weights each --fetch steps, and pushes the sum
of its gradients each --push steps. A worker that dies is not waited for. The first worker reports: loss and
train are of its own part, and exposed is its time in calls of the store.
Three ways communicate less. In mode local each rank steps along its own gradients, and weights are averaged
once in --period steps: a number, post-local, or AdaComm's, which shrinks by the loss at each interval of
SECONDS. In mode gossip each rank mixes its weights with those of its neighbours on --graph in each step. With
--compress ddp sends a part of the gradients, or fewer bits. In local and gossip the ranks' weights differ.
Their average is tested, hashed and saved, and each line tells the consensus distance from it.
In mode hogwild the ranks are threads that share weights without locks, so it needs --transport memory.

In sandblaster the first ranks, --servers of them, hold shards of the weights, and the others are replicas. Rank 0
takes steps of L-BFGS by commands to the shards; it sees no weights. A batch, by default all of the data, is cut
into portions for whoever is free. The last ones are given to two replicas, and the first result counts. A replica
that dies changes no bit of the result. --epochs counts passes over the data, of which a step makes one or more.
Seconds are without the tests.

Columns: mean loss over the training data, in nats; of pictures the accuracy on both sets; of text the loss on
what was kept from training, in nats, its perplexity, and bits per character; seconds of the epoch; how much of
them rank 0 spent in calls that move gradients, waiting for slower ranks included (- of a single replica); bytes
that it held of weights, gradients and state; a hash of the weights.

Ctrl-C ends all ranks after the same step, with a checkpoint where --checkpoint names a file. --resume goes
on from there. The result has the same bits as without the break where the ranks are as many.

On a terminal a line shows the step, its loss and the time that is left, and curves come at the end. --log writes
JSON lines: one to begin with, with the settings, one each so many steps with the mean loss over all ranks, and
one an epoch. --trace writes the slices of all ranks: layers forward and backward, buckets under way, waits
and updates. It opens at https://ui.perfetto.dev and in chrome://tracing.

--evaluate tests the weights of a checkpoint, with no step of training. The result is the same on any number
of replicas and in any of the modes ddp and zero1 to zero3. The model, the optimizer and the data are named as
in training.

With --virtual the ranks run in turns in one thread, by a virtual clock; other threads compute layers. Gradients and weights are
real, and have the bits of as many real ranks. Only time is simulated: messages take what the cluster's
network says, a step's computing what --compute says, drawn by --seed. Each layer takes a share by its weights,
a third of it forwards, so buckets overlap with computing, and a pipeline has its bubble. All seconds that are
told are virtual ones. The last line of the output is the time by that clock.

Without a launcher, P ranks are started here: processes, or threads over memory. Under a launcher
(tutti run, mpirun, mpiexec, srun, torchrun --no_python) each process is one rank. 'tutti env' says
which one is found.

Examples:
  tutti train --ranks 4
  tutti train --ranks 2 --transport memory --algorithm ring --hidden 256,64
  tutti train --mode zero3 --optimizer adam --checkpoint job.tutti
  tutti train --evaluate --ranks 1 --optimizer adam --checkpoint job.tutti
  tutti train --trace trace.json --html training.html --log steps.jsonl
  tutti train --mode pipeline --stages 2 --pipeline gpipe
  tutti train --mode local --period 16 --slow-momentum 0.5
  tutti train --compress top-k:0.01
  tutti train --mode hogwild --transport memory
  tutti train --model transformer --mode 3d --data-parallel 2 --stages 2 --tensor 2
  tutti train --mode ssp --staleness 8 --servers 2 --ranks 6
  tutti train --mode downpour --fetch 4 --push 4 --warm-start 100
  tutti train --mode sandblaster --epochs 60 --hidden 64
  tutti train --virtual 16 --compute 'lognormal(100ms,0.3)' --stragglers 'slow(3,10x)' --pictures 2048
  tutti run -n 4 -- tutti train --data mnist --epochs 10 --batch 128

Exit status:
  0  trained, and the weights were the same in all replicas after each epoch
  1  they were not, or the training has diverged, or something failed
  2  the command line is wrong
  130  ended by Ctrl-C)";

const CLI::Validator anything;
const CLI::Range positive{1, 1'000'000};

/// A range of its own lets nan pass.
CLI::Validator number(double least, double most) {
    return CLI::Range(least, most).operation([range = CLI::Range(least, most)](std::string& text) {
        return std::isnan(std::strtod(text.c_str(), nullptr)) ? text + " is no number" : range(text);
    });
}

/// Adds options, one a row: what stands for the value, unless that is one of some words, what it must be, and words.
struct adder {
    CLI::App& to;

    CLI::Option* operator()(const char* name, auto& place, const std::string& type, const CLI::Validator& is,
                            const char* words) const {
        CLI::Option* const one = to.add_option(name, place, words)->check(is);
        return type.empty() ? one : one->type_name(type);
    }
};

void add_data_options(const adder& add, train_settings& s) {
    add("--data", s.data, "DIR|FILE", anything,
        "Read MNIST's files from DIR; or drawn; of text a FILE [default: what is installed, else pictures are drawn]");
    add("--pictures", s.pictures, "N", CLI::Range(8, 10'000'000),
        "How many to draw for training, and an eighth more for testing [default: 16000, where they are drawn]");
    add("--sequences", s.sequences, "N", positive, "Of text, in an epoch [default: 2048]");
    add("--epochs", s.epochs, "N", positive, "Passes over the data [default: 10]");
    add("--batch", s.batch, "N", positive,
        "Pictures or sequences a step, over all ranks [default: 64, of text 16, of sandblaster all]");
}

void add_network_options(const adder& add, train_settings& s) {
    add("--model", s.model, "", one_of({"mlp", "transformer"}),
        "A multilayer perceptron for pictures, or a transformer for text [default: mlp]");
    add("--hidden", s.hidden, "N", positive, "Widths of mlp's hidden layers, separated by commas [default: 128,128]")
        ->delimiter(',');
    add("--width", s.width, "N", positive, "Columns of a transformer [default: 160]");
    add("--layers", s.layers, "N", CLI::Range(1, 1000), "Its blocks of attention and two linear layers [default: 4]");
    add("--heads", s.heads, "N", positive, "Its heads; they divide the width [default: 4]");
    add("--context", s.context, "N", positive, "Characters that it sees, and of a sequence [default: 64]");
}

void add_server_options(const adder& add, train_settings& s) {
    add("--servers", s.servers, "N", CLI::Range(1, most_ranks - 1),
        "The first ranks, which keep the weights that the others train [default: 1]");
    add("--staleness", s.staleness, "S", CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000}),
        "Steps by which a worker may be ahead in ssp [default: 4]");
    add("--fetch", s.fetch, "N", positive, "Steps of downpour from one fetch of the weights to the next [default: 1]");
    add("--push", s.push, "N", positive, "Steps of downpour from one push of gradients to the next [default: 1]");
    add("--silence", s.silence, "S", number(0.1, 1e6),
        "Seconds after which a rank that says nothing, as one that is stopped, is lost [default: 30]");
    add("--warm-start", s.warm_start, "N", CLI::Range(0, 1'000'000),
        "Steps that the first worker makes alone before the others begin [default: 0]");
}

void add_mode_options(const adder& add, train_settings& s) {
    add("--mode", s.mode, "",
        one_of({"ddp", "zero1", "zero2", "zero3", "pipeline", "tensor", "3d", "local", "gossip", "hogwild", "bsp",
                "ssp", "asynchronous", "downpour", "sandblaster"}),
        "What is spread over the ranks [default: ddp]");
    const CLI::Range some_ranks{1, most_ranks};
    add("--data-parallel", s.data_parallel, "D", some_ranks, "Replicas of the model [default: as many as ranks allow]");
    add("--stages", s.stages, "S", some_ranks,
        "Of a pipeline, in the modes pipeline [default: all ranks] and 3d [default: 2]");
    add("--tensor", s.tensor, "T", some_ranks,
        "Ranks that share each layer, in the modes tensor [default: all ranks] and 3d [default: 2]");
    add("--pipeline", s.pipeline, "", one_of({"gpipe", "one_f_one_b", "1f1b", "interleaved"}),
        "The schedule of a pipeline; 1f1b is one_f_one_b [default: one_f_one_b]");
    add("--chunks", s.chunks, "V", CLI::Range(1, 1000),
        "Of the layers, on each stage of an interleaved pipeline [default: 2]");
    add("--microbatches", s.microbatches, "N", positive,
        "Parts of a batch whose gradients are added first [default: 1, in a pipeline twice the stages]");
    add("--portions", s.portions, "N", positive, "Of a batch, in sandblaster [default: 8 for each replica]");
    add("--algorithm", s.algorithm, "NAME", anything, "Of the allreduce; auto: the library's choice [default: auto]");
    add("--bucket-bytes", s.bucket_bytes, "BYTES", CLI::Range(std::size_t{1}, std::size_t{1} << 40),
        "Gradients that travel together, at most [default: 26214400]");
    add("--wire", s.wire, "", one_of({"float32", "bfloat16"}),
        "As what gradients travel; bfloat16 not in zero2 and zero3 [default: float32]");
    add_server_options(add, s);
    add("--progress", s.progress, "", one_of({"in_calls", "by_waiters"}),
        "Where buckets move: within calls, or by any thread that waits [default: in_calls]");
}

void add_less_options(const adder& add, train_settings& s) {
    add("--compress", s.compress, "HOW", anything,
        "In ddp, what averages gradients: top-k:0.01, random-k:0.1, qsgd:8, qsgd:4, sign or power-sgd:4 [default: an "
        "allreduce of all]");
    add("--period", s.period, "TAU", anything,
        "In mode local, steps between averages: 16; post-local:STEPS:TAU; adacomm:TAU:SECONDS [default: 16]");
    add("--slow-momentum", s.slow_momentum, "SHARE", number(0., 0.999),
        "In mode local, of steps of all ranks together [default: 0]");
    add("--graph", s.graph, "", one_of({"ring", "torus", "exponential", "one-peer"}),
        "In mode gossip, whose weights a rank mixes with its own [default: ring]");
}

void add_virtual_options(const adder& add, train_settings& s) {
    add("--virtual", s.virtual_ranks, "P", CLI::Range(1, 65'536),
        "Train in virtual time, on so many ranks of a cluster [default: not]");
    add("--cluster", s.cluster, "NAME|FILE", anything,
        "Whose network: a name of 'tutti plan', or a file [default: dgx-h100]");
    add("--compute", s.compute, "LAW", anything,
        "How long a rank computes in a step: constant(T), lognormal(MEDIAN,SIGMA) or exponential(MEAN) [default: "
        "constant(100ms)]");
    add("--stragglers", s.stragglers, "WHO", anything,
        "A rank that takes longer: slow(RANK,10x); or any one, by chance: random(0.01,5x) [default: none]");
}

void add_step_options(const adder& add, train_settings& s) {
    add("--optimizer", s.optimizer, "", one_of({"sgd", "momentum", "adam", "adagrad", "lars"}),
        "The rule of a step [default: momentum, of a transformer adam, of downpour adagrad]");
    add("--learning-rate", s.learning_rate, "RATE", number(1e-9, 1e3),
        "How far a step goes along the gradient [default: sgd 0.2, momentum 0.03, adam 0.001, adagrad 0.01, lars 2]");
    add("--reference-batch", s.reference_batch, "N", positive,
        "The batch that the learning rate is for: it is scaled in proportion [default: not scaled]");
    add("--warm-up", s.warm_up_epochs, "EPOCHS", number(0., 1e6),
        "Epochs in which the rate rises, from that of the reference batch, else from a tenth [default: 0]");
    add("--schedule", s.schedule, "", one_of({"constant", "cosine"}),
        "How the rate goes on; cosine: to 0 at the end of the last epoch [default: cosine]");
    add("--clip", s.clip, "NORM", number(1e-9, 1e9), "The largest norm of all gradients together [default: none]");
    add.to.add_flag("--skip-bad-steps", s.leave_out_bad,
                    "Leave out a step, on all ranks, in which a gradient is NaN or infinite");
    add("--seed", s.seed, "N", anything, "Of weights, order and what is drawn [default: 1]");
}

void add_file_options(const adder& add, train_settings& s) {
    auto* const file = add("--checkpoint", s.checkpoint, "FILE", anything, "Save the job to FILE after each epoch");
    auto* const resume =
        add.to.add_flag("--resume", s.resume, "Go on from that file, on any number of replicas")->needs(file);
    add.to.add_flag("--evaluate", s.evaluate, "Only test the weights of that file, on any number of replicas")
        ->needs(file)
        ->excludes(resume);
    add("--json", s.json, "FILE", anything,
        "Also write the epochs to FILE: an array, one object an epoch; with - print nothing else");
    auto* const log = add("--log", s.log, "FILE", anything,
                          "Also write steps and epochs to FILE as they end, a JSON object a line; - likewise");
    add("--log-steps", s.log_steps, "N", positive, "Steps from one line of them to the next [default: 16]")->needs(log);
    add("--html", s.html, "FILE", anything, "Write a page with curves to FILE");
    add("--curves", s.curves, "", one_of({"auto", "braille", "ascii", "off"}),
        "Curves in the terminal: auto by locale, if it is one [default: auto]");
    auto* const trace =
        add("--trace", s.trace, "FILE", anything, "Write what all ranks did in the first steps to FILE, for Perfetto");
    add("--trace-steps", s.trace_steps, "N", CLI::Range(1, 10'000), "How many steps [default: 20]")->needs(trace);
}

} // namespace

CLI::App& add_train_options(CLI::App& app, train_settings& s) {
    CLI::App& c = *app.add_subcommand("train", train_description)->footer(train_footer);
    const adder add{c};
    add("--ranks", s.ranks, "P", CLI::Range(1, most_ranks), "How many ranks to start [default: 4, in 3d 8]");
    add("--transport", s.transport, "", one_of({"memory", "shared_memory", "tcp", "routed"}),
        "What carries the messages; routed: shared memory within a host, tcp between hosts [default: tcp]");
    add_network_options(add, s);
    add_data_options(add, s);
    add_mode_options(add, s);
    add_less_options(add, s);
    add_virtual_options(add, s);
    add_step_options(add, s);
    add_file_options(add, s);
    return c;
}

} // namespace tutti::tools
