// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "portion_maths.hpp"

#include "../weights_hash.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

using training::sandblaster::portion_result;

/// Rows that are computed at once, about.
constexpr std::size_t rows_at_once = 256;

/// A batch of one example, until it is known how many there are.
train_settings with_a_batch(train_settings s) {
    if (s.batch == 0) s.batch = s.model == "transformer" ? s.sequences : 1;
    return s;
}

portion_result result_of(const neural::score& total, double scale) {
    return {total.loss * scale, static_cast<double>(total.right), static_cast<double>(total.count)};
}

} // namespace

portion_maths::portion_maths(const train_settings& settings, const task_source& from)
    : settings_(with_a_batch(settings)), fabric_(transport::memory_world::create(1)),
      self_(type_erased(communicator{transport::memory{fabric_, 0}})),
      grid_(std::make_unique<rank_grid<any_communicator>>(self_, grid_shape{})),
      task_(make_task(*grid_, settings_, from)) {
    if (settings.batch == 0 && settings_.batch == 1) {
        settings_.batch = task_->steps(); // as many as there are pictures
        task_ = make_task(*grid_, settings_, from);
    }
    model_.emplace(make_model(settings_, *task_, self_));
}

std::vector<std::string> portion_maths::lines() const {
    return {task_->words(), fmt::format("batches of {}", batch()), fmt::format("{} parameters", parameters()),
            fmt::format("seed {}", settings_.seed)};
}

std::optional<portion_result> portion_maths::compute(const training::sandblaster::portion& p,
                                                     std::span<const float> weights, std::span<float> gradient,
                                                     const std::function<bool(std::size_t)>& begins) {
    if (p.batch == batch_of_tests) return test(p, weights);
    const std::size_t steps = task_->steps(), slices = slices_of(p.of),
                      rows = task_->epoch().examples(p.batch % steps) * task_->rows();
    neural::score total;
    for (std::size_t i = 0; i < slices; ++i) {
        if (!begins(slices)) return {};
        begin(p.batch / steps + 1);
        task_->take_microbatch(p.batch % steps, p.number * slices + i, p.of * slices);
        total += forward(weights, gradient, rows);
    }
    return result_of(total, 1 / static_cast<double>(rows));
}

std::size_t portion_maths::slices_of(std::size_t portions) const {
    const std::size_t rows = batch() * task_->rows() / portions;
    return std::max<std::size_t>(1, (rows + rows_at_once / 2) / rows_at_once);
}

/// The order depends on the seed and the epoch alone, so replicas may be in different ones.
void portion_maths::begin(std::size_t epoch) {
    if (std::exchange(epoch_, epoch) != epoch) task_->begin(epoch);
}

neural::score portion_maths::forward(std::span<const float> weights, std::span<float> gradient,
                                     std::size_t rows_of_batch) {
    const neural::network& network = model_->whole;
    const std::size_t rows = task_->labels().size();
    if (rows == 0) return {};
    outputs_.resize(rows * task_->kinds());
    const neural::matrix outputs{outputs_.data(), rows, task_->kinds()};
    network.forward(network.all(), weights, task_->inputs(), outputs, kept_);
    if (gradient.empty()) return neural::judge(outputs, task_->labels());
    const auto scale = 1 / static_cast<float>(rows_of_batch);
    const neural::score found = neural::judge_and_slope(outputs, task_->labels(), scale);
    network.backward(network.all(), weights, task_->inputs(), kept_, outputs, {}, gradient);
    return found;
}

portion_result portion_maths::test(const training::sandblaster::portion& p, std::span<const float> weights) {
    const auto [first, end] = microbatch(task_->most_tests(), p.number, p.of);
    const std::size_t at_once = std::max<std::size_t>(1, rows_at_once / task_->rows());
    neural::score total;
    for (std::size_t i = first; i < end; i += at_once) {
        task_->take_tests(i, std::min(at_once, end - i));
        total += forward(weights, {}, 0);
    }
    portion_result found = result_of(total, 1);
    found.remark = detail::no_weights;
    detail::add(found.remark, weights);
    return found;
}

} // namespace tutti::tools
