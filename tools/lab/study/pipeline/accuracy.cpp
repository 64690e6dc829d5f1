// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "accuracy.hpp"

#include "../../train/network/mlp.hpp"
#include "../../train/stale_network.hpp"
#include "../picture_rows.hpp"
#include "../processes.hpp"
#include "even_chunks.hpp"

#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools::study::pipeline {
namespace {

constexpr std::size_t stages = 4;
constexpr std::size_t batch = 32;
constexpr double kept = 0.9;
constexpr std::array rates{0.002, 0.02};

struct rule_of_age {
    std::string name;
    weight_ages ages;
};

std::vector<rule_of_age> rules_of_age() {
    std::vector<rule_of_age> all{{"serial", weight_ages::none()},
                                 {"PipeDream, stashing", weight_ages::pipedream(stages)},
                                 {"PipeDream, no stashing", weight_ages::without_stashing(stages)}};
    for (int age = 1; age <= 4; ++age)
        all.push_back({fmt::format("{} update{} old", age, age == 1 ? "" : "s"), weight_ages::same(age)});
    return all;
}

/// One run: a network that is trained, with the accuracy after each epoch.
class run {
public:
    run(const neural::network& network, const weight_ages& ages, const dataset& training, const dataset& testing,
        std::uint64_t seed)
        : one_(network, even_chunks(network, stages), ages, 1.F / batch, {.kept = kept}, seed), training_(training),
          testing_(testing), seed_(seed), order_(training.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    }
    [[nodiscard]] double epoch(std::size_t number, double rate) {
        random_source random{mix(seed_, number)};
        for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
        for (std::size_t first = 0; first + batch <= order_.size(); first += batch) {
            rows_.take(training_, batch, [&](std::size_t i) { return order_[first + i]; });
            static_cast<void>(one_.train(rows_.matrix(), rows_.labels, rate));
        }
        return accuracy();
    }

private:
    [[nodiscard]] double accuracy() {
        constexpr std::size_t at_once = 500;
        std::size_t right = 0;
        for (std::size_t first = 0; first < testing_.size(); first += at_once) {
            rows_.take(testing_, std::min(at_once, testing_.size() - first), [&](std::size_t i) { return first + i; });
            right += one_.test(rows_.matrix(), rows_.labels).right;
        }
        return static_cast<double>(right) / static_cast<double>(testing_.size());
    }

    stale_network<training::momentum> one_;
    const dataset &training_, &testing_;
    const std::uint64_t seed_;
    std::vector<std::size_t> order_;
    picture_rows rows_;
};

} // namespace

spread spread_of(const curve& c, std::size_t epoch) {
    return study::spread_of(c.accuracy, [epoch](const auto& seed) { return seed[epoch]; });
}

learning learn(const settings& s, progress_line& line) {
    const dataset training = pictures_of(s, true), testing = pictures_of(s, false);
    require_equal_pixels(training, testing);
    const std::size_t epochs = s.epochs > 0 ? s.epochs : s.quick ? 2 : 5, seeds = s.seeds > 0 ? s.seeds : 3;
    learning all{
        training.size(), testing.size(), batch, epochs, seeds, stages, {training.pixels, 128, 128, 128, 10}, kept, {}};
    const neural::network network = neural::mlp(all.widths);
    const std::vector<rule_of_age> rules = rules_of_age();
    for (const double rate : rates)
        for (const rule_of_age& rule : rules) all.curves.push_back({rule.name, rate, {}});
    const std::size_t tasks = all.curves.size() * seeds;
    const auto work = [&](std::size_t task) {
        const std::size_t curve = task / seeds;
        run one(network, rules[curve % rules.size()].ages, training, testing, task % seeds + 1);
        numbers accuracy;
        for (std::size_t e = 1; e <= epochs; ++e) accuracy.push_back(one.epoch(e, all.curves[curve].rate));
        return accuracy;
    };
    auto found = trainings(s, line, tasks, work);
    for (std::size_t task = 0; task < tasks; ++task)
        all.curves[task / seeds].accuracy.push_back(std::move(found[task]));
    return all;
}

} // namespace tutti::tools::study::pipeline
