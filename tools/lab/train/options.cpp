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
--algorithm (ring, halving_doubling, direct, parameter_server or circulant) these four give equal weights.

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

const CLI::Range positive{1, 1'000'000};

/// A range lets nan pass.
std::string is_number(const std::string& text) {
    return std::isnan(std::strtod(text.c_str(), nullptr)) ? text + " is no number" : "";
}

void add_data_options(CLI::App& c, train_settings& s) {
    c.add_option(
         "--data", s.data,
         "Read MNIST's files from DIR; or drawn; of text a FILE [default: what is installed, else pictures are drawn]")
        ->type_name("DIR|FILE");
    c.add_option("--pictures", s.pictures,
                 "How many to draw for training, and an eighth more for testing [default: 16000, where they are drawn]")
        ->check(CLI::Range(8, 10'000'000))
        ->type_name("N");
    c.add_option("--sequences", s.sequences, "Of text, in an epoch [default: 2048]")->check(positive)->type_name("N");
    c.add_option("--epochs", s.epochs, "Passes over the data [default: 10]")->check(positive)->type_name("N");
    c.add_option("--batch", s.batch,
                 "Pictures or sequences a step, over all ranks [default: 64, of text 16, of sandblaster all]")
        ->check(positive)
        ->type_name("N");
}

void add_network_options(CLI::App& c, train_settings& s) {
    c.add_option("--model", s.model, "A multilayer perceptron for pictures, or a transformer for text [default: mlp]")
        ->check(one_of({"mlp", "transformer"}));
    c.add_option("--hidden", s.hidden, "Widths of mlp's hidden layers, separated by commas [default: 128,128]")
        ->delimiter(',')
        ->check(positive)
        ->type_name("N");
    c.add_option("--width", s.width, "Columns of a transformer [default: 160]")->check(positive)->type_name("N");
    c.add_option("--layers", s.layers, "Its blocks of attention and two linear layers [default: 4]")
        ->check(CLI::Range(1, 1000))
        ->type_name("N");
    c.add_option("--heads", s.heads, "Its heads; they divide the width [default: 4]")->check(positive)->type_name("N");
    c.add_option("--context", s.context, "Characters that it sees, and of a sequence [default: 64]")
        ->check(positive)
        ->type_name("N");
}

void add_server_options(CLI::App& c, train_settings& s) {
    c.add_option("--servers", s.servers, "The first ranks, which keep the weights that the others train [default: 1]")
        ->check(CLI::Range(1, most_ranks - 1))
        ->type_name("N");
    c.add_option("--staleness", s.staleness, "Steps by which a worker may be ahead in ssp [default: 4]")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000}))
        ->type_name("S");
    c.add_option("--fetch", s.fetch, "Steps of downpour from one fetch of the weights to the next [default: 1]")
        ->check(positive)
        ->type_name("N");
    c.add_option("--push", s.push, "Steps of downpour from one push of gradients to the next [default: 1]")
        ->check(positive)
        ->type_name("N");
    c.add_option("--silence", s.silence,
                 "Seconds after which a rank that says nothing, as one that is stopped, is lost [default: 30]")
        ->check(CLI::Range(0.1, 1e6))
        ->check(is_number)
        ->type_name("S");
    c.add_option("--warm-start", s.warm_start,
                 "Steps that the first worker makes alone before the others begin [default: 0]")
        ->check(CLI::Range(0, 1'000'000))
        ->type_name("N");
}

void add_mode_options(CLI::App& c, train_settings& s) {
    c.add_option("--mode", s.mode, "What is spread over the ranks [default: ddp]")
        ->check(one_of({"ddp", "zero1", "zero2", "zero3", "pipeline", "tensor", "3d", "local", "gossip", "hogwild",
                        "bsp", "ssp", "asynchronous", "downpour", "sandblaster"}));
    const CLI::Range some_ranks{1, most_ranks};
    c.add_option("--data-parallel", s.data_parallel, "Replicas of the model [default: as many as ranks allow]")
        ->check(some_ranks)
        ->type_name("D");
    c.add_option("--stages", s.stages, "Of a pipeline, in the modes pipeline [default: all ranks] and 3d [default: 2]")
        ->check(some_ranks)
        ->type_name("S");
    c.add_option("--tensor", s.tensor,
                 "Ranks that share each layer, in the modes tensor [default: all ranks] and 3d [default: 2]")
        ->check(some_ranks)
        ->type_name("T");
    c.add_option("--pipeline", s.pipeline, "The schedule of a pipeline; 1f1b is one_f_one_b [default: one_f_one_b]")
        ->check(one_of({"gpipe", "one_f_one_b", "1f1b", "interleaved"}));
    c.add_option("--chunks", s.chunks, "Of the layers, on each stage of an interleaved pipeline [default: 2]")
        ->check(CLI::Range(1, 1000))
        ->type_name("V");
    c.add_option("--microbatches", s.microbatches,
                 "Parts of a batch whose gradients are added first [default: 1, in a pipeline twice the stages]")
        ->check(positive)
        ->type_name("N");
    c.add_option("--portions", s.portions, "Of a batch, in sandblaster [default: 8 for each replica]")
        ->check(positive)
        ->type_name("N");
    c.add_option("--algorithm", s.algorithm, "Of the allreduce; auto: the library's choice [default: auto]")
        ->type_name("NAME");
    c.add_option("--bucket-bytes", s.bucket_bytes, "Gradients that travel together, at most [default: 26214400]")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40))
        ->type_name("BYTES");
    c.add_option("--wire", s.wire, "As what gradients travel; bfloat16 not in zero2 and zero3 [default: float32]")
        ->check(one_of({"float32", "bfloat16"}));
    add_server_options(c, s);
    c.add_option("--progress", s.progress, "Where buckets move: within calls, or in a thread [default: in_calls]")
        ->check(one_of({"in_calls", "in_thread"}));
}

void add_less_options(CLI::App& c, train_settings& s) {
    c.add_option("--compress", s.compress,
                 "In ddp, what averages gradients: top-k:0.01, random-k:0.1, qsgd:8, qsgd:4, sign or power-sgd:4 "
                 "[default: an allreduce of all]")
        ->type_name("HOW");
    c.add_option("--period", s.period,
                 "In mode local, steps between averages: 16; post-local:STEPS:TAU; adacomm:TAU:SECONDS [default: 16]")
        ->type_name("TAU");
    c.add_option("--slow-momentum", s.slow_momentum, "In mode local, of steps of all ranks together [default: 0]")
        ->check(CLI::Range(0., 0.999))
        ->check(is_number)
        ->type_name("SHARE");
    c.add_option("--graph", s.graph, "In mode gossip, whose weights a rank mixes with its own [default: ring]")
        ->check(one_of({"ring", "torus", "exponential", "one-peer"}));
}

void add_virtual_options(CLI::App& c, train_settings& s) {
    c.add_option("--virtual", s.virtual_ranks, "Train in virtual time, on so many ranks of a cluster [default: not]")
        ->check(CLI::Range(1, 65'536))
        ->type_name("P");
    c.add_option("--cluster", s.cluster, "Whose network: a name of 'tutti plan', or a file [default: dgx-h100]")
        ->type_name("NAME|FILE");
    c.add_option("--compute", s.compute,
                 "How long a rank computes in a step: constant(T), lognormal(MEDIAN,SIGMA) or exponential(MEAN) "
                 "[default: constant(100ms)]")
        ->type_name("LAW");
    c.add_option("--stragglers", s.stragglers,
                 "A rank that takes longer: slow(RANK,10x); or any one, by chance: random(0.01,5x) [default: none]")
        ->type_name("WHO");
}

void add_step_options(CLI::App& c, train_settings& s) {
    c.add_option("--optimizer", s.optimizer,
                 "The rule of a step [default: momentum, of a transformer adam, of downpour adagrad]")
        ->check(one_of({"sgd", "momentum", "adam", "adagrad", "lars"}));
    c.add_option("--learning-rate", s.learning_rate,
                 "How far a step goes along the gradient "
                 "[default: sgd 0.2, momentum 0.03, adam 0.001, adagrad 0.01, lars 2]")
        ->check(CLI::Range(1e-9, 1e3))
        ->check(is_number)
        ->type_name("RATE");
    c.add_option("--reference-batch", s.reference_batch,
                 "The batch that the learning rate is for: it is scaled in proportion [default: not scaled]")
        ->check(positive)
        ->type_name("N");
    c.add_option("--warm-up", s.warm_up_epochs,
                 "Epochs in which the rate rises, from that of the reference batch, else from a tenth [default: 0]")
        ->check(CLI::Range(0., 1e6))
        ->check(is_number)
        ->type_name("EPOCHS");
    c.add_option("--schedule", s.schedule,
                 "How the rate goes on; cosine: to 0 at the end of the last epoch [default: cosine]")
        ->check(one_of({"constant", "cosine"}));
    c.add_option("--clip", s.clip, "The largest norm of all gradients together [default: none]")
        ->check(CLI::Range(1e-9, 1e9))
        ->check(is_number)
        ->type_name("NORM");
    c.add_flag("--skip-bad-steps", s.leave_out_bad,
               "Leave out a step, on all ranks, in which a gradient is NaN or infinite");
    c.add_option("--seed", s.seed, "Of weights, order and what is drawn [default: 1]")->type_name("N");
}

void add_file_options(CLI::App& c, train_settings& s) {
    auto* const file =
        c.add_option("--checkpoint", s.checkpoint, "Save the job to FILE after each epoch")->type_name("FILE");
    auto* const resume =
        c.add_flag("--resume", s.resume, "Go on from that file, on any number of replicas")->needs(file);
    c.add_flag("--evaluate", s.evaluate, "Only test the weights of that file, on any number of replicas")
        ->needs(file)
        ->excludes(resume);
    c.add_option("--json", s.json,
                 "Also write the epochs to FILE: an array, one object an epoch; with - print nothing else")
        ->type_name("FILE");
    auto* const log = c.add_option("--log", s.log,
                                   "Also write steps and epochs to FILE as they end, a JSON object a line; - likewise")
                          ->type_name("FILE");
    c.add_option("--log-steps", s.log_steps, "Steps from one line of them to the next [default: 16]")
        ->check(positive)
        ->needs(log)
        ->type_name("N");
    c.add_option("--html", s.html, "Write a page with curves to FILE")->type_name("FILE");
    c.add_option("--curves", s.curves, "Curves in the terminal: auto by locale, if it is one [default: auto]")
        ->check(one_of({"auto", "braille", "ascii", "off"}));
    auto* const trace =
        c.add_option("--trace", s.trace, "Write what all ranks did in the first steps to FILE, for Perfetto")
            ->type_name("FILE");
    c.add_option("--trace-steps", s.trace_steps, "How many steps [default: 20]")
        ->check(CLI::Range(1, 10'000))
        ->needs(trace)
        ->type_name("N");
}

} // namespace

CLI::App& add_train_options(CLI::App& app, train_settings& s) {
    CLI::App& c = *app.add_subcommand("train", train_description);
    c.footer(train_footer);
    c.add_option("--ranks", s.ranks, "How many ranks to start [default: 4, in 3d 8]")
        ->check(CLI::Range(1, most_ranks))
        ->type_name("P");
    c.add_option("--transport", s.transport,
                 "What carries the messages; routed: shared memory within a host, tcp between hosts [default: tcp]")
        ->check(one_of({"memory", "shared_memory", "tcp", "routed"}));
    add_network_options(c, s);
    add_data_options(c, s);
    add_mode_options(c, s);
    add_less_options(c, s);
    add_virtual_options(c, s);
    add_step_options(c, s);
    add_file_options(c, s);
    return c;
}

} // namespace tutti::tools
