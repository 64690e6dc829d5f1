// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dataset.hpp"
#include "digits.hpp"
#include "network/matrix_view.hpp"
#include "train.hpp"

#include <collectives/collectives.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutti::tools {

inline constexpr auto drawn_digits = "drawn"; ///< in place of a directory: see digits.hpp

/// One rank's share of the pictures, in an order that is new in each epoch.
class pictures {
public:
    /// Collective.
    template <class Communicator>
    pictures(const Communicator& world, const train_settings& settings)
        : own_{static_cast<std::size_t>(world.rank()), static_cast<std::size_t>(world.size())}, seed_(settings.seed),
          batch_(settings.batch), data_(agreed(world, settings)), training_(load(settings, true)),
          testing_(load(settings, false)), order_(training_.size()) {
        std::array<std::size_t, 2> totals{training_.size(), testing_.size()};
        world.allreduce(totals, sum);
        all_ = totals[0];
        tests_ = size_of({0, own_.parts}, totals[1]);
        if (steps() == 0) throw std::runtime_error("there are fewer training pictures than a batch has");
        if (totals[1] == 0) throw std::runtime_error("there are no test pictures");
    }

    /// Training pictures over all ranks.
    [[nodiscard]] std::size_t size() const noexcept { return all_; }
    /// The directory that they come from, or "drawn".
    [[nodiscard]] const std::string& data() const noexcept { return data_; }
    /// The steps of an epoch. The smallest share decides, so that every rank takes part in every step.
    [[nodiscard]] std::size_t steps() const noexcept {
        return all_ / own_.parts / size_of(share{0, own_.parts}, batch_);
    }
    /// Test pictures of the rank that has most.
    [[nodiscard]] std::size_t most_tests() const noexcept { return tests_; }

    void shuffle(std::size_t epoch) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        random_source random{mix(mix(seed_, epoch), own_.part)};
        for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
    }

    /// Takes part number m of so many equal parts of this rank's part of a batch. A batch is spread over the ranks as
    /// evenly as can be, the first ones taking one picture more.
    void take_microbatch(std::size_t step, std::size_t m, std::size_t parts) {
        const std::size_t count = size_of(own_, batch_), begin = count * m / parts, end = count * (m + 1) / parts;
        take(training_, end - begin, [&](std::size_t i) { return order_[step * count + begin + i]; });
    }
    /// Takes up to `most` test pictures from number `first` on.
    void take_tests(std::size_t first, std::size_t most) {
        const std::size_t begin = std::min(first, testing_.size());
        take(testing_, std::min(most, testing_.size() - begin), [&](std::size_t i) { return begin + i; });
    }

    /// Of what was taken last.
    /// @{
    [[nodiscard]] std::size_t pixels() const noexcept { return training_.pixels; }
    [[nodiscard]] neural::const_matrix inputs() const noexcept { return {inputs_.data(), labels_.size(), pixels()}; }
    [[nodiscard]] std::span<const std::uint8_t> labels() const noexcept { return labels_; }
    /// @}

private:
    // Unless the command line says: Fashion-MNIST where the hosts of all ranks have it, else drawn digits.
    template <class Communicator>
    [[nodiscard]] static std::string agreed(const Communicator& world, const train_settings& settings) {
        if (!settings.data.empty()) return settings.data;
        if (settings.pictures != 0) return drawn_digits;
        std::array<int, 1> there{has_digits(fashion_mnist)};
        world.allreduce(there, minimum);
        return there[0] == 1 ? fashion_mnist : drawn_digits;
    }
    [[nodiscard]] dataset load(const train_settings& settings, bool training) const {
        if (data_ != drawn_digits) return read_digits(data_, training, own_);
        const std::size_t count = settings.pictures != 0 ? settings.pictures : 16000;
        return draw_digits(training ? count : count / 8, mix(settings.seed, training ? 1 : 2), own_);
    }
    void take(const dataset& from, std::size_t count, const auto& index) {
        inputs_.resize(count * from.pixels);
        labels_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::span<const std::uint8_t> image = from.image(index(i));
            std::transform(image.begin(), image.end(), inputs_.begin() + static_cast<std::ptrdiff_t>(i * from.pixels),
                           [](std::uint8_t grey) { return static_cast<float>(grey) / 255; });
            labels_[i] = from.labels[index(i)];
        }
    }

    const share own_;
    const std::uint64_t seed_;
    const std::size_t batch_;
    const std::string data_;
    const dataset training_;
    const dataset testing_;
    std::size_t all_ = 0, tests_ = 0;
    std::vector<std::size_t> order_;
    std::vector<float> inputs_;
    std::vector<std::uint8_t> labels_;
};

} // namespace tutti::tools
