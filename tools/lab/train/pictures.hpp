// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "digits.hpp"
#include "rank_grid.hpp"
#include "task.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

namespace tutti::tools {

inline constexpr auto drawn_data = "drawn"; ///< in place of a directory: see digits.hpp

/// All pictures of a training, for replicas in one process.
struct picture_sets {
    dataset training;
    dataset testing;
};

/// Where a task comes from, if not from what the settings name and the replica's place alone.
struct task_source {
    std::optional<share> tested{};          ///< the part of the examples to test with
    const picture_sets* pictures = nullptr; ///< in place of files, or of what is drawn
};

/// One replica's share of the pictures, in an order that is new in each epoch. All pictures are taken once in an epoch.
/// Position j of the epoch is the share's of replica j modulo replicas, so shares and batches are even together.
class pictures final : public task {
public:
    /// Collective. Throws std::runtime_error if there are too few, or what files are wrong with.
    template <class Communicator>
    pictures(const rank_grid<Communicator>& grid, const train_settings& settings, const task_source& from = {})
        : own_{static_cast<std::size_t>(grid.data.rank()), static_cast<std::size_t>(grid.data.size())},
          seed_(settings.seed), data_(agreed(grid.world, settings)),
          training_(load(settings, from.pictures, true, own_)),
          testing_(load(settings, from.pictures, false, from.tested.value_or(own_))), order_(training_.size()) {
        require_equal_pixels(training_, testing_);
        std::array<std::size_t, 2> totals{training_.size(), testing_.size()};
        grid.data.allreduce(totals, sum);
        epoch_ = {totals[0], settings.batch, grid.of.stages > 1};
        tests_ = from.tested ? testing_.size() : size_of({0, own_.parts}, totals[1]);
        if (steps() == 0) throw std::runtime_error("there are fewer training pictures than a batch has");
        if (totals[1] == 0) throw std::runtime_error("there are no test pictures");
    }

    [[nodiscard]] std::string words() const override {
        return std::to_string(epoch_.all) + " training pictures (" + data_ + ")";
    }
    [[nodiscard]] std::size_t most_tests() const override { return tests_; }
    [[nodiscard]] std::size_t rows() const override { return 1; }
    [[nodiscard]] std::size_t columns() const override { return training_.pixels; }
    [[nodiscard]] std::size_t kinds() const override { return 10; }

    void begin(std::size_t epoch) override {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        random_source random{mix(mix(seed_, epoch), own_.part)};
        for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
    }
    void take_microbatch(std::size_t step, std::size_t m, std::size_t parts) override {
        const std::size_t batch = step * epoch_.batch, own = size_of(own_, batch),
                          end_of_own = size_of(own_, batch + epoch_.examples(step));
        const auto [begin, end] = microbatch(end_of_own - own, m, parts);
        take(training_, end - begin, [&, first = own + begin](std::size_t i) { return order_[first + i]; });
    }
    void take_tests(std::size_t first, std::size_t most) override {
        const std::size_t begin = std::min(first, testing_.size());
        take(testing_, std::min(most, testing_.size() - begin), [&](std::size_t i) { return begin + i; });
    }

private:
    // Unless the command line says: Fashion-MNIST where the hosts of all ranks have it, else drawn digits.
    template <class Communicator>
    [[nodiscard]] static std::string agreed(const Communicator& world, const train_settings& settings) {
        if (!settings.data.empty()) return settings.data;
        if (settings.pictures != 0) return drawn_data;
        std::array<int, 1> there{has_digits(fashion_mnist)};
        world.allreduce(there, minimum);
        return there[0] == 1 ? fashion_mnist : drawn_data;
    }
    [[nodiscard]] dataset load(const train_settings& settings, const picture_sets* all, bool training,
                               share part) const {
        if (all) return part_of(part, training ? all->training : all->testing);
        if (data_ != drawn_data) return read_digits(data_, training, part);
        const std::size_t count = settings.pictures != 0 ? settings.pictures : 16000;
        return draw_digits(training ? count : count / 8, mix(settings.seed, training ? 1 : 2), part);
    }
    void take(const dataset& from, std::size_t count, const auto& index) {
        take_pictures(from, count, index, inputs_, labels_);
    }

    const share own_;
    const std::uint64_t seed_;
    const std::string data_;
    const dataset training_;
    const dataset testing_;
    std::size_t tests_ = 0;
    std::vector<std::size_t> order_;
};

} // namespace tutti::tools
