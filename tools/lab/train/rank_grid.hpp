// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "train.hpp"

#include <collectives/collectives.hpp>

#include <stdexcept>
#include <string>

namespace tutti::tools {

/// How ranks share a model and its data: `data` replicas of the model, each of `stages` stages of a pipeline, each of
/// which is cut over `tensor` ranks.
struct grid_shape {
    int data = 1;
    int stages = 1;
    int tensor = 1;
};

[[nodiscard]] constexpr long long ranks_of(const grid_shape& of) noexcept {
    return static_cast<long long>(of.data) * of.stages * of.tensor;
}

/// The shape that settings ask of so many ranks. What they leave open follows from the mode. Throws
/// std::invalid_argument where there is none.
[[nodiscard]] inline grid_shape grid_of(const train_settings& s, int ranks) {
    const bool cuts_stages = s.mode == "pipeline" || s.mode == "3d",
               cuts_tensors = s.mode == "tensor" || s.mode == "3d";
    if (s.stages > 1 && !cuts_stages) throw std::invalid_argument("--stages is for the modes pipeline and 3d");
    if (s.tensor > 1 && !cuts_tensors) throw std::invalid_argument("--tensor is for the modes tensor and 3d");
    const int rest = s.data_parallel > 0 ? ranks / s.data_parallel : ranks;
    const auto usual = [&](bool cuts) { return !cuts ? 1 : s.mode == "3d" ? 2 : rest; };
    grid_shape of{1, s.stages > 0 ? s.stages : usual(cuts_stages), s.tensor > 0 ? s.tensor : usual(cuts_tensors)};
    of.data = s.data_parallel > 0 ? s.data_parallel : ranks / (of.stages * of.tensor);
    if (ranks_of(of) != ranks)
        throw std::invalid_argument(std::to_string(ranks) + " ranks are not D times " + std::to_string(of.stages) +
                                    " stages times " + std::to_string(of.tensor) + " ranks of a stage" +
                                    (s.data_parallel > 0 ? " with a D of " + std::to_string(of.data) : ""));
    return of;
}

/// Where a checkpoint keeps the part of a model that is on this stage and tensor rank: a whole one in the file itself.
[[nodiscard]] inline std::string file_of_part(const std::string& checkpoint, const grid_shape& of, int stage,
                                              int tensor) {
    if (of.stages * of.tensor == 1) return checkpoint;
    return checkpoint + ".stage" + std::to_string(stage) + ".part" + std::to_string(tensor);
}

/// The communicators of a rank in that grid. Ranks of a stage are neighbours, then come the replicas, then the stages,
/// as Megatron-LM lays them out: who sends most is nearest.
template <class Communicator>
struct rank_grid {
    /// Collective.
    rank_grid(const Communicator& all, const grid_shape& shape)
        : of(shape), world(all), data(world.split(stage_of(all) * of.tensor + tensor_of(all))),
          stages(world.split(data.rank() * of.tensor + tensor_of(all))),
          tensor(world.split(stages.rank() * of.data + data.rank())) {}

    const grid_shape of;
    const Communicator world;
    const Communicator data;   ///< the ranks with the same part of the model, by replica
    const Communicator stages; ///< of one replica, by stage
    const Communicator tensor; ///< of one stage of one replica

private:
    [[nodiscard]] int stage_of(const Communicator& all) const { return all.rank() / (of.tensor * of.data); }
    [[nodiscard]] int tensor_of(const Communicator& all) const { return all.rank() % of.tensor; }
};

} // namespace tutti::tools
