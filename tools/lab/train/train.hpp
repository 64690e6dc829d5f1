// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The parts of `tutti train`.
namespace tutti::tools {

inline constexpr int most_ranks = 4096;

struct train_settings {
    int ranks = 0; ///< 0: not said
    std::string transport = "tcp";
    std::string model = "mlp";
    std::string data; ///< directory of the IDX files or "drawn"; of text a file or "kjv"; empty: not said
    std::size_t epochs = 10;
    std::size_t batch = 0;    ///< over all ranks; 0: not said
    double learning_rate = 0; ///< 0: not said
    std::vector<std::size_t> hidden{128, 128};
    std::size_t width = 160; ///< of a transformer, as the three below
    std::size_t layers = 4;  ///< blocks of attention and two linear layers
    std::size_t heads = 4;
    std::size_t context = 64;     ///< characters of a sequence
    std::size_t sequences = 2048; ///< of an epoch
    std::string algorithm = "auto";
    std::uint64_t seed = 1;
    std::size_t pictures = 0; ///< drawn for training; an eighth of that for testing; 0: not said
    std::string json;
    std::string mode = "ddp";
    int data_parallel = 0; ///< replicas of the model; 0: not said, as for the two below
    int stages = 0;
    int tensor = 0;                                   ///< ranks that share each layer
    std::string pipeline = "one_f_one_b";             ///< its schedule
    int chunks = 2;                                   ///< of the layers, on each stage of an interleaved one
    int servers = 1;                                  ///< ranks that keep weights, in the modes that have them
    std::size_t portions = 0;                         ///< of a batch, in sandblaster; 0: not said
    std::uint64_t staleness = 4;                      ///< clocks by which a worker may be ahead, in ssp
    std::size_t fetch = 1;                            ///< of downpour: steps from one fetch to the next
    std::size_t push = 1;                             ///< likewise
    double silence = 30;                              ///< seconds after which a rank that says nothing is lost
    std::size_t warm_start = 0;                       ///< steps of the first worker before the others begin
    std::string optimizer;                            ///< empty: not said
    std::size_t bucket_bytes = std::size_t{25} << 20; ///< at most 1 MiB of them for the first bucket
    std::size_t microbatches = 0;                     ///< 0: not said
    std::string wire = "float32";
    std::string compress;       ///< what averages gradients in place of allreduce; empty: nothing
    std::string period = "16";  ///< of mode local: steps from one average of weights to the next
    double slow_momentum = 0;   ///< of mode local
    std::string graph = "ring"; ///< of mode gossip
    double clip = 0;            ///< 0: not
    bool leave_out_bad = false; ///< steps in which a gradient is not finite
    double warm_up_epochs = 0;
    std::string schedule = "cosine";
    std::size_t reference_batch = 0; ///< 0: the learning rate does not depend on the batch
    std::string progress = "in_calls";
    int virtual_ranks = 0;                   ///< in virtual time; 0: not
    std::string cluster = "dgx-h100";        ///< what their messages cost: a name or a file
    std::string compute = "constant(100ms)"; ///< the law of a step's computing
    std::string stragglers;                  ///< empty: none
    std::string checkpoint;                  ///< empty: none
    bool resume = false;
    bool evaluate = false;
    std::string log;            ///< empty: none, as for the two below
    std::size_t log_steps = 16; ///< a line each so many
    std::string html;
    std::string curves = "auto";
    std::string trace;
    std::size_t trace_steps = 20; ///< of the first ones
};

/// What the clock of a simulated training counts.
[[nodiscard]] inline std::string words_of_virtual_time(const train_settings& s) {
    return "virtual: computing takes " + s.compute + " a step" + (s.stragglers.empty() ? "" : ", but " + s.stragglers) +
           "; messages pass as on " + s.cluster;
}

/// What an epoch came to.
struct epoch_result {
    std::size_t epoch = 0; ///< from 1
    double loss = 0;       ///< mean cross entropy of a training picture or character, in nats
    double train_accuracy = 0;
    double test_loss = 0; ///< of those that are kept from training
    double test_accuracy = 0;
    double seconds = 0;                 ///< of this epoch
    double exposed_seconds = 0;         ///< thereof in calls that move gradients, on rank 0
    std::array<std::size_t, 3> bytes{}; ///< that rank 0 held at most, of parameters, gradients, optimizer states
    std::uint64_t weights_hash = 0;
    bool weights_agree = false; ///< bit by bit, on all ranks; in the modes local and gossip, their averages
    std::optional<double> consensus_distance{}; ///< of all ranks' weights, where they differ
    std::optional<std::uint64_t> sent_bytes{};  ///< by rank 0 in this epoch, where they are counted
    std::optional<double> virtual_seconds{}; ///< from the begin of all to the end of the epoch, where time is simulated
};

} // namespace tutti::tools
