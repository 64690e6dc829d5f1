// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "refused.hpp"

#include "../../tutti/common/text_output.hpp"
#include "chunks.hpp"
#include "compressor_choice.hpp"
#include "make_pass.hpp"
#include "model.hpp"
#include "period_choice.hpp"
#include "pictures.hpp"
#include "sandblaster/rank.hpp"
#include "server_mode.hpp"

#include <base/error.hpp>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

/// Options that a condition makes useful, and what it is.
struct use {
    bool is_met;
    std::vector<const char*> options;
    const char* condition;
};

std::vector<use> uses_of(const train_settings& s) {
    const bool is_text = s.model == "transformer", is_virtual = s.virtual_ranks > 0,
               has_stages = s.mode == "pipeline" || s.mode == "3d", is_batch = s.mode == "sandblaster",
               is_hogwild = s.mode == "hogwild", is_apart = s.mode == "local" || s.mode == "gossip",
               has_shards = has_servers(s) || is_batch, is_summed = !has_shards && !is_hogwild;
    return {
        {is_virtual, {"--compute", "--stragglers", "--cluster"}, "for --virtual"},
        {!is_virtual, {"--transport"}, "not for --virtual, whose transport is simulated"},
        {!is_virtual, {"--progress"}, "not for --virtual, where calls take no time of a processor"},
        {!is_virtual, {"--ranks"}, "not for --virtual, which says how many ranks there are"},
        {!is_hogwild, {"--virtual"}, "not for mode hogwild, since no two ranks run at once in virtual time"},
        {!is_text, {"--hidden", "--pictures"}, "for --model mlp"},
        {s.data.empty() || s.data == drawn_data, {"--pictures"}, "for --data drawn"},
        {is_text, {"--sequences", "--width", "--layers", "--heads", "--context"}, "for --model transformer"},
        {is_summed, {"--wire", "--algorithm", "--bucket-bytes"}, "for modes whose ranks average by allreduce"},
        {s.compress.empty(), {"--algorithm"}, "not for --compress, which has its own"},
        {is_summed && !is_apart && s.compress.empty(),
         {"--skip-bad-steps", "--wire"},
         "for modes whose ranks average gradients by allreduce"},
        {s.mode == "local", {"--period", "--slow-momentum"}, "for mode local"},
        {s.mode == "gossip", {"--graph"}, "for mode gossip"},
        {s.mode == "ddp", {"--compress"}, "for mode ddp"},
        {!is_apart, {"--resume"}, "not for local and gossip, which save an average of weights: see --evaluate"},
        {s.mode == "ssp", {"--staleness"}, "for mode ssp"},
        {s.mode == "downpour", {"--fetch", "--push"}, "for mode downpour"},
        {s.mode == "downpour" || s.mode == "asynchronous", {"--warm-start"}, "for modes asynchronous and downpour"},
        {has_shards, {"--servers"}, "for the modes bsp, ssp, asynchronous, downpour and sandblaster"},
        {has_shards, {"--silence"}, "for modes whose ranks may be lost: those with servers"},
        {is_summed, {"--checkpoint"}, "for modes whose ranks are in step"},
        {!has_shards, {"--trace"}, "not for modes with servers"},
        {is_batch, {"--portions"}, "for mode sandblaster"},
        {!is_batch,
         {"--optimizer", "--learning-rate", "--reference-batch", "--warm-up", "--schedule", "--clip", "--microbatches"},
         "not for mode sandblaster, whose steps are L-BFGS's, and whose batches are in --portions"},
        {has_stages, {"--pipeline"}, "for the modes pipeline and 3d"},
        {has_stages && s.pipeline == "interleaved", {"--chunks"}, "for --pipeline interleaved"}};
}

/// Files of all parts of a model.
std::vector<std::string> files_of(const train_settings& s, const grid_shape& of) {
    std::vector<std::string> all;
    for (int stage = 0; stage < of.stages; ++stage)
        for (int tensor = 0; tensor < of.tensor; ++tensor) all.push_back(file_of_part(s.checkpoint, of, stage, tensor));
    return all;
}

bool is_there(const std::string& file) {
    std::error_code none;
    return std::filesystem::exists(file, none);
}

void require_parts(const train_settings& s, const grid_shape& of) {
    const grid_shape cut{1, 2, 1}; // any cut one
    const bool in_one = is_there(s.checkpoint), in_parts = is_there(file_of_part(s.checkpoint, cut, 0, 0));
    for (const std::string& file : files_of(s, of)) {
        if (is_there(file)) continue;
        throw std::runtime_error(
            file + " is not there" +
            (in_one || in_parts ? ", but another part is: a model goes on with as many stages and tensor ranks" : ""));
    }
    for (const auto& [stage, tensor] : std::array{std::array{of.stages, 0}, std::array{0, of.tensor}})
        if (const std::string more = file_of_part(s.checkpoint, cut, stage, tensor);
            of.stages * of.tensor > 1 && is_there(more))
            throw std::runtime_error(more + " is there too: a model goes on with as many stages and tensor ranks");
}

void require_savable(const std::string& file) {
    if (std::filesystem::is_directory(file))
        throw std::system_error(std::make_error_code(std::errc::is_a_directory), "cannot write " + file);
    try {
        const auto place = tutti::detail::place_of_plain_file(file);
        require_writable(place ? *place + ".new" : file); // where a save writes before it renames
    } catch (const std::system_error& e) {
        throw std::system_error(e.code(), "cannot write " + file);
    }
}

} // namespace

void require_sense(const CLI::App& command, const train_settings& s) {
    for (const use& one : uses_of(s))
        for (const char* option : one.options)
            if (!one.is_met && command.count(option) > 0)
                throw std::invalid_argument(fmt::format("{} is {}", option, one.condition));
    const auto refuse_if = [&s](bool is_so, const char* why) {
        if (is_so) throw std::invalid_argument("mode " + s.mode + ": " + why);
    };
    refuse_if(s.mode == "hogwild" && s.transport != "memory", "ranks share their memory, so say --transport memory");
    refuse_if(s.mode == "hogwild" && s.optimizer != "sgd",
              "threads add to weights as --optimizer sgd does, and no other");
    refuse_if(s.wire == "bfloat16" && (s.mode == "zero2" || s.mode == "zero3"),
              "gradients go as float32: take ddp or zero1 for --wire bfloat16");
    refuse_if(s.optimizer == "lars" && (s.mode == "tensor" || s.mode == "3d" || has_servers(s)),
              "lars needs the norms of whole layers, which no rank has");
    static_cast<void>(averaging_period_of(s.period)); // throws where it is none
    if (!s.compress.empty()) static_cast<void>(compressor_of(s.compress, s.seed));
    if (s.model == "transformer" && s.data == drawn_data)
        throw std::invalid_argument("a transformer learns a text, --data FILE, and none is drawn");
    if (s.model == "mlp" && s.data == "kjv")
        throw std::invalid_argument("kjv is a text, which --model transformer learns");
    if (s.warm_up_epochs > static_cast<double>(s.epochs))
        throw std::invalid_argument(fmt::format("--warm-up {} is longer than the {} epoch{} of the training",
                                                s.warm_up_epochs, s.epochs, s.epochs == 1 ? "" : "s"));
    const std::size_t all = s.model == "transformer" ? s.sequences : s.pictures, // 0: files say how many
        batch = s.batch > 0 && all > 0 ? std::min(s.batch, all) : std::max(s.batch, all);
    if (batch > 0 && s.portions > batch)
        throw std::invalid_argument(
            fmt::format("--portions {} are more than the {} examples of a batch", s.portions, batch));
}

void require_fit(const train_settings& s, int ranks) {
    const grid_shape of = grid_of(s, ranks);
    if (has_servers(s)) static_cast<void>(store_layout_of(s, 1, ranks));
    if (s.mode == "sandblaster") static_cast<void>(crew_of(s, 1, ranks));
    static_cast<void>(microbatches_of(s, of));
    try {
        const neural::network net = whole_network(s, 1, 10); // layers are as many, of any pictures and text
        static_cast<void>(chunks_of_layers(net, static_cast<std::size_t>(of.stages * chunks_a_stage(s, of))));
    } catch (const error& e) {
        throw std::invalid_argument(e.facts().detail);
    }
}

void require_checkpoint(const train_settings& s, const grid_shape& of) {
    if (s.checkpoint.empty()) return;
    if (s.resume || s.evaluate) require_parts(s, of);
    if (s.evaluate) return;
    for (const std::string& file : files_of(s, of)) require_savable(file);
}

} // namespace tutti::tools
