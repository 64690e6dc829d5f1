// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "measured.hpp"

#include "../../../tutti/common/random.hpp"

#include <chrono>
#include <numeric>
#include <utility>

namespace tutti::tools::study::hogwild {

std::vector<turn> turns_of(const design& d, std::size_t problems) {
    std::vector<turn> all;
    for (std::uint64_t seed = 1; seed <= d.seeds; ++seed)
        for (std::size_t p = 0; p < problems; ++p) {
            all.push_back({seed, p, 0, 0, false});
            for (std::size_t t = 0; t < d.threads.size(); ++t)
                for (std::size_t w = 0; w < ways.size(); ++w) all.push_back({seed, p, t, w, true});
        }
    return all;
}

descent descended(const design& d, const problem& p, float rate, int threads, training::sharing by,
                  std::uint64_t seed) {
    using clock = std::chrono::steady_clock;
    training::shared_weights weights(p.features);
    std::vector<std::size_t> order(p.training());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto stride = static_cast<std::size_t>(threads);
    descent found;
    for (std::size_t pass = 0; pass < d.passes; ++pass) {
        random_source random{mix(seed, pass)};
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
        const auto start = clock::now();
        training::hogwild(
            weights, {.threads = threads, .steps = order.size() / stride, .rate = rate, .by = by},
            [&](int thread, std::size_t step, const training::shared_weights& now, training::sparse_step& to) {
                p.gradient(order[step * stride + static_cast<std::size_t>(thread)], now, to);
            });
        found.seconds += std::chrono::duration<double>(clock::now() - start).count();
        found.losses.push_back(p.loss(weights));
        rate *= static_cast<float>(d.kept);
    }
    found.error = p.error(weights);
    return found;
}

} // namespace tutti::tools::study::hogwild
