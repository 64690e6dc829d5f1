// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "search.hpp"

#include <algorithm>
#include <limits>

namespace tutti::tools::planner {
namespace {

constexpr int most_chunks = 8, most_samples = 1024;

std::vector<int> divisors_of(int n) {
    std::vector<int> found;
    for (int k = 1; k <= n; ++k)
        if (n % k == 0) found.push_back(k);
    return found;
}

cell best_of(int tensor, int pipeline, const question& q, group_prices& prices, std::size_t& count) {
    cell c{tensor, pipeline, {}, false};
    double best_s = std::numeric_limits<double>::infinity();
    for (const layout& how : layouts_of(tensor, pipeline, q.on.gpus() / tensor / pipeline, q)) {
        c.possible = true;
        ++count;
        const auto p = plan_of(how, q, prices, best_s);
        if (!p || p->step_s() >= best_s) continue;
        best_s = p->step_s();
        c.best = p;
    }
    return c;
}

} // namespace

namespace {

/// Of all layouts that can be.
double least_bytes_of(const std::vector<cell>& cells, const question& q, group_prices& prices) {
    double least = std::numeric_limits<double>::infinity();
    for (const cell& c : cells)
        for (const layout& how : layouts_of(c.tensor, c.pipeline, q.on.gpus() / c.tensor / c.pipeline, q))
            least = std::min(least, least_memory(how, q, prices).total());
    return least;
}

} // namespace

std::vector<layout> layouts_of(int tensor, int pipeline, int data, const question& q) {
    std::vector<layout> found;
    for (int samples = 1; samples <= most_samples; samples *= 2)
        for (int chunks = 1; chunks <= most_chunks; ++chunks)
            for (const recompute again : recomputes)
                for (int zero = 0; zero <= 3; ++zero) {
                    const layout how{data, tensor, pipeline, zero, samples, chunks, again};
                    if (is_possible(how, q)) found.push_back(how);
                }
    return found;
}

searched search(const question& q) {
    searched s;
    group_prices prices(q.on);
    for (const int tensor : divisors_of(q.on.gpus()))
        for (const int pipeline : divisors_of(q.on.gpus() / tensor)) {
            if (q.net.tensor_divides % tensor != 0 || pipeline > static_cast<int>(q.net.layers.size())) continue;
            s.cells.push_back(best_of(tensor, pipeline, q, prices, s.layouts));
            if (s.cells.back().best) s.plans.push_back(*s.cells.back().best);
        }
    if (s.plans.empty() && s.layouts > 0) s.least_bytes = least_bytes_of(s.cells, q, prices);
    std::stable_sort(s.plans.begin(), s.plans.end(),
                     [](const plan& a, const plan& b) { return a.step_s() < b.step_s(); });
    return s;
}

} // namespace tutti::tools::planner
