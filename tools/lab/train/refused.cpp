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
               is_summed = !has_servers(s) && !is_batch && s.mode != "hogwild";
    return {{is_virtual, {"--compute", "--stragglers", "--cluster"}, "for --virtual"},
            {!is_virtual, {"--transport"}, "not for --virtual, whose transport is simulated"},
            {!is_text, {"--hidden", "--pictures"}, "for --model mlp"},
            {s.data.empty() || s.data == drawn_data, {"--pictures"}, "for --data drawn"},
            {is_text, {"--sequences", "--width", "--layers", "--heads", "--context"}, "for --model transformer"},
            {is_summed, {"--wire", "--algorithm", "--bucket-bytes"}, "for modes whose ranks average by allreduce"},
            {s.compress.empty(), {"--algorithm"}, "not for --compress, which has its own"},
            {is_summed && s.mode != "local" && s.mode != "gossip" && s.compress.empty(),
             {"--skip-bad-steps"},
             "for modes whose ranks average gradients by allreduce"},
            {s.mode == "ssp", {"--staleness"}, "for mode ssp"},
            {s.mode == "downpour", {"--fetch", "--push"}, "for mode downpour"},
            {s.mode == "downpour" || s.mode == "asynchronous", {"--warm-start"}, "for modes asynchronous and downpour"},
            {has_servers(s) || is_batch, {"--silence"}, "for modes whose ranks may be lost: those with servers"},
            {!is_batch,
             {"--optimizer", "--learning-rate", "--reference-batch", "--warm-up", "--schedule"},
             "not for mode sandblaster, whose steps are L-BFGS's"},
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

void require_sense_of_averages(const train_settings& s) {
    const train_settings usual;
    const auto only_in = [&s](const char* mode, const char* option, bool is_said) {
        if (is_said && s.mode != mode)
            throw std::invalid_argument(fmt::format("{} is for mode {}, not for {}", option, mode, s.mode));
    };
    only_in("local", "--period", s.period != usual.period);
    only_in("local", "--slow-momentum", s.slow_momentum != usual.slow_momentum);
    only_in("gossip", "--graph", s.graph != usual.graph);
    only_in("ddp", "--compress", !s.compress.empty());
    static_cast<void>(averaging_period_of(s.period)); // throws where it is none
    if (!s.compress.empty()) static_cast<void>(compressor_of(s.compress, s.seed));
    const bool is_apart = s.mode == "local" || s.mode == "gossip";
    if (s.wire != usual.wire && (is_apart || !s.compress.empty()))
        throw std::invalid_argument("--wire is for gradients that are averaged by allreduce");
    if (s.resume && is_apart)
        throw std::invalid_argument("a checkpoint of mode " + s.mode +
                                    " has the average of the ranks' weights: --evaluate tests it");
}

void require_sense_of_hogwild(const train_settings& s) {
    const auto refuse = [](const std::string& why) { throw std::invalid_argument("mode hogwild: " + why); };
    if (s.virtual_ranks > 0) refuse("in virtual time no two ranks run at once, so there is no --virtual");
    if (s.transport != "memory") refuse("ranks share their memory, so say --transport memory");
    if (s.optimizer != "sgd") refuse("threads add to weights as sgd does, so there is no --optimizer " + s.optimizer);
    if (!s.checkpoint.empty()) refuse("there is no --checkpoint");
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

void require_used(const CLI::App& command, const train_settings& s) {
    for (const use& one : uses_of(s))
        for (const char* option : one.options)
            if (!one.is_met && command.count(option) > 0)
                throw std::invalid_argument(fmt::format("{} is {}", option, one.condition));
}

void require_sense(const train_settings& s) {
    if (s.mode == "hogwild") require_sense_of_hogwild(s);
    if (s.mode == "sandblaster")
        require_sense_of_sandblaster(s);
    else
        require_sense_of_servers(s);
    if (s.wire == "bfloat16" && (s.mode == "zero2" || s.mode == "zero3"))
        throw std::invalid_argument(s.mode + " sends gradients as float32: take ddp or zero1 for --wire bfloat16");
    if ((s.mode == "tensor" || s.mode == "3d") && s.optimizer == "lars")
        throw std::invalid_argument("lars needs the norms of whole layers, which no rank has in this mode");
    require_sense_of_averages(s);
    if (s.model == "transformer" && s.data == drawn_data)
        throw std::invalid_argument("a transformer learns a text, --data FILE, and none is drawn");
    if (s.model == "mlp" && s.data == "kjv")
        throw std::invalid_argument("kjv is a text, which --model transformer learns");
    if (s.warm_up_epochs > static_cast<double>(s.epochs))
        throw std::invalid_argument(fmt::format("--warm-up {} is longer than the {} epoch{} of the training",
                                                s.warm_up_epochs, s.epochs, s.epochs == 1 ? "" : "s"));
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
