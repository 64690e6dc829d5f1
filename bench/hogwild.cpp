// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Threads that share weights without locks, with a lock, and in turn: logistic regression where a sample has 20 of
// 20,000 features, and where it has all of 50. Steps a second in millions, the best of several runs in turn, and the
// loss that the last one reached.
//
// usage: hogwild [MOST_THREADS [STEPS [RUNS]]]    2 threads, 100,000 steps of all together and 5 runs if not given

#include <training/compressed/random.hpp>
#include <training/hogwild.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

namespace {

using namespace tutti;
using training::shared_weights;
using training::sharing;
using training::sparse_step;
using training::compressed::draws;

struct problem {
    std::size_t features, given, samples = 4000;
    std::vector<std::uint32_t> indices;
    std::vector<float> values; ///< times the class of the sample

    problem(std::size_t of, std::size_t each) : features(of), given(each) {
        const draws hidden(1), random(2);
        for (std::size_t s = 0; s < samples; ++s) {
            float truth = 0;
            for (std::size_t k = 0; k < given; ++k) {
                const std::size_t n = s * given + k;
                const std::size_t i = given == features ? k : random.below(features / given, n) * given + k;
                indices.push_back(static_cast<std::uint32_t>(i));
                values.push_back(2 * random.unit(n + samples * given) - 1);
                truth += values.back() * (2 * hidden.unit(i) - 1);
            }
            if (truth < 0)
                for (std::size_t k = s * given; k < (s + 1) * given; ++k) values[k] = -values[k];
        }
    }
    [[nodiscard]] float margin(std::size_t s, const shared_weights& w) const {
        float sum = 0;
        for (std::size_t k = s * given; k < (s + 1) * given; ++k) sum += values[k] * w[indices[k]];
        return sum;
    }
    void gradient(std::size_t s, const shared_weights& w, sparse_step& to) const {
        const float slope = -1 / (1 + std::exp(margin(s, w)));
        for (std::size_t k = s * given; k < (s + 1) * given; ++k) to.put(indices[k], slope * values[k]);
    }
    [[nodiscard]] double loss(const shared_weights& w) const {
        double sum = 0;
        for (std::size_t s = 0; s < samples; ++s) sum += std::log1p(std::exp(-static_cast<double>(margin(s, w))));
        return sum / static_cast<double>(samples);
    }
};

struct result {
    double millions = 0, loss = 0;
};

result run(const problem& p, int threads, sharing by, std::size_t steps) {
    shared_weights w(p.features);
    const auto stride = static_cast<std::size_t>(threads);
    const auto start = std::chrono::steady_clock::now();
    training::hogwild(w, {.threads = threads, .steps = steps / stride, .rate = 0.1F, .by = by},
                      [&](int thread, std::size_t step, const shared_weights& now, sparse_step& to) {
                          p.gradient((step * stride + static_cast<std::size_t>(thread)) % p.samples, now, to);
                      });
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    return {static_cast<double>(steps) / passed.count() / 1e6, p.loss(w)};
}

void print(const char* name, const problem& p, int most_threads, std::size_t steps, int runs) {
    constexpr std::array ways{sharing::without_locks, sharing::locked, sharing::round_robin};
    for (int threads = 1; threads <= most_threads; threads *= 2) {
        std::array<result, 3> best;
        for (int r = 0; r < runs; ++r)
            for (std::size_t i = 0; i < ways.size(); ++i) {
                const result now = run(p, threads, ways[i], steps);
                best[i] = {std::max(best[i].millions, now.millions), now.loss};
            }
        std::printf("| %s | %d |", name, threads);
        for (const result& b : best) std::printf(" %.2f, %.4f |", b.millions, b.loss);
        std::puts("");
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        const auto given = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
        const auto steps = static_cast<std::size_t>(given(2, 100'000));
        std::puts("| features | threads | without locks | locked | round robin |\n|---|---:|---:|---:|---:|");
        print("20 of 20,000", problem(20'000, 20), given(1, 2), steps, given(3, 5));
        print("all of 50", problem(50, 50), given(1, 2), steps, given(3, 5));
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "hogwild: %s\n", e.what());
        return 1;
    }
}
