// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../make_task.hpp"
#include "../model.hpp"
#include "../network/cross_entropy.hpp"

#include <training/sandblaster/messages.hpp>
#include <training/sandblaster/replica.hpp>

#include <collectives/any_communicator.hpp>
#include <transport/memory.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti::tools {

/// The batch that a coordinator asks for to test: portions of what is kept from training, and no gradient.
inline constexpr std::uint64_t batch_of_tests = ~std::uint64_t{0};

/// What a replica of Sandblaster computes: the loss of a portion of a batch, and its gradient. It has all data, since
/// any portion may come. The same bits on each replica. Replicas in one thread may share it, since it keeps nothing
/// from one call to the next.
class portion_maths {
public:
    /// A batch has settings.batch examples; 0: all. Throws as make_task and make_model do.
    explicit portion_maths(const train_settings& settings, const task_source& from = {});

    /// Of the data; its batches are those of batch().
    [[nodiscard]] const task& data() const noexcept { return *task_; }
    /// Examples of a batch.
    [[nodiscard]] std::size_t batch() const noexcept { return settings_.batch; }
    [[nodiscard]] std::size_t parameters() const noexcept { return model_->whole.parameters(); }
    [[nodiscard]] std::vector<float> first_weights() const { return model_->first_weights(settings_.seed); }
    /// The model and the data in words, which replicas must have in common.
    [[nodiscard]] std::vector<std::string> lines() const;

    /// Computes a portion in slices of some hundred rows. `begins(slices)` is called before each of them; where it says
    /// false the portion is given up. A test's remark is a hash of the weights.
    [[nodiscard]] std::optional<training::sandblaster::portion_result>
    compute(const training::sandblaster::portion& p, std::span<const float> weights, std::span<float> gradient,
            const std::function<bool(std::size_t slices)>& begins);

private:
    [[nodiscard]] std::size_t slices_of(std::size_t portions) const;
    /// Of the examples that the task has taken.
    [[nodiscard]] neural::score forward(std::span<const float> weights, std::span<float> gradient,
                                        std::size_t rows_of_batch);
    [[nodiscard]] training::sandblaster::portion_result test(const training::sandblaster::portion& p,
                                                             std::span<const float> weights);
    void begin(std::size_t epoch);

    train_settings settings_;
    std::shared_ptr<transport::memory_world> fabric_;
    any_communicator self_;
    std::unique_ptr<rank_grid<any_communicator>> grid_;
    std::unique_ptr<task> task_;
    std::optional<model> model_;
    std::size_t epoch_ = 0; ///< whose order of examples the task has
    std::vector<float> outputs_;
    neural::saved kept_;
};

} // namespace tutti::tools
