// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "published.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools::planner {
namespace {

/// One curve of a figure: FLOP/s a GPU by what varies; 0 where it does not fit.
using curve = std::vector<double>;

double teraflop_of(const network& n, cluster nodes, const layout& how, int batch) {
    nodes.nodes = how.gpus() / nodes.gpus_per_node;
    const question q{n, nodes, batch, {.overlap = false}};
    group_prices prices(nodes);
    if (!is_possible(how, q)) return 0;
    const auto p = plan_of(how, q, prices, std::numeric_limits<double>::infinity());
    return p ? sample_flop(n, true) * batch / how.gpus() / p->step_s() / 1e12 : 0;
}

std::string line_of(const std::string& what, const curve& found) {
    std::string text = "| " + what + " |";
    for (const double x : found) text += x > 0 ? fmt::format(" {:.0f} |", x) : " |";
    return text + "\n";
}

std::string head_of(const std::string& figure, const std::vector<std::string>& columns) {
    std::string text = "| " + figure + " |", rule = "|---|";
    for (const std::string& c : columns) {
        text += " " + c + " |";
        rule += "---|";
    }
    return "\n" + text + "\n" + rule + "\n";
}

std::string verdict(const std::string& published, bool agrees) {
    return fmt::format("\nPublished: {}. Predicted: {}.\n", published, agrees ? "the same" : "otherwise");
}

constexpr std::array splits{2, 4, 8, 16, 32}; ///< of 64 GPUs, the other way 64 / split

bool falls(const curve& c) { return std::is_sorted(c.rbegin(), c.rend()); }
std::size_t peak_of(const curve& c) {
    return static_cast<std::size_t>(std::max_element(c.begin(), c.end()) - c.begin());
}

std::string figure_12(const cluster& nodes) {
    const network n = gpt3_175b();
    constexpr std::array batches{12, 24, 36, 48, 60};
    curve plain, interleaved;
    for (const int batch : batches) {
        plain.push_back(teraflop_of(n, nodes, {1, 8, 12, 0, 1, 1, recompute::all}, batch));
        double best = 0;
        for (int chunks = 2; chunks <= 8; ++chunks)
            best = std::max(best, teraflop_of(n, nodes, {1, 8, 12, 0, 1, chunks, recompute::all}, batch));
        interleaved.push_back(best);
    }
    const bool faster = std::equal(plain.begin(), plain.end(), interleaved.begin(), std::less<>{});
    const bool closes = interleaved.front() / plain.front() > interleaved.back() / plain.back();
    return head_of("12, GPT-3 on 96 GPUs, batch", {"12", "24", "36", "48", "60"}) + line_of("1F1B", plain) +
           line_of("interleaved", interleaved) +
           verdict("interleaved is faster, and the gap closes with the batch", faster && closes);
}

std::string figure_13(const cluster& nodes) {
    const network n = gpt({32, 20480, 128, 51200, 2048}, "162.2");
    std::string text =
        head_of("13, 162.2 x 10^9 on 64 GPUs, tensor x stages", {"2 x 32", "4 x 16", "8 x 8", "16 x 4", "32 x 2"});
    bool agrees = true;
    for (const int batch : {32, 128}) {
        curve c;
        for (const int t : splits) c.push_back(teraflop_of(n, nodes, {1, t, 64 / t, 0, 1, 1, recompute::all}, batch));
        agrees = agrees && splits[peak_of(c)] == 8;
        text += line_of(fmt::format("batch {}", batch), c);
    }
    return text + verdict("fastest with as many tensor ranks as a node has GPUs, 8", agrees);
}

/// Data against stages, or against tensor ranks.
std::string figures_14_15(const cluster& nodes, bool stages) {
    const network n = gpt({32, 3840, 32, 51200, 2048}, "5.9");
    std::string text = head_of(stages ? "14, 5.9 x 10^9 on 64 GPUs, stages x data" : "15, the same, tensor x data",
                               {"2 x 32", "4 x 16", "8 x 8", "16 x 4", "32 x 2"});
    bool agrees = true;
    for (const int batch : stages ? std::vector{32, 128, 512} : std::vector{128, 512}) {
        curve c;
        for (const int k : splits)
            c.push_back(
                teraflop_of(n, nodes, {64 / k, stages ? 1 : k, stages ? k : 1, 0, 1, 1, recompute::all}, batch));
        agrees = agrees && falls(c);
        text += line_of(fmt::format("batch {}", batch), c);
    }
    return text + verdict(stages ? "the more stages, the slower, at each batch"
                                 : "the more tensor ranks, the slower, at large batches",
                          agrees);
}

std::string figure_17(const cluster& nodes) {
    const network n = gpt({80, 12288, 96, 51200, 2048}, "145");
    curve with, without;
    std::vector<std::string> columns;
    for (int batch = 1; batch <= 256; batch *= 2) {
        columns.push_back(std::to_string(batch));
        with.push_back(teraflop_of(n, nodes, {1, 8, 16, 0, 1, 1, recompute::all}, batch));
        without.push_back(teraflop_of(n, nodes, {1, 8, 16, 0, 1, 1, recompute::nothing}, batch));
    }
    double lost = 0;
    for (std::size_t k = 0; k < with.size(); ++k)
        if (without[k] > 0) lost = std::max(lost, 1 - with[k] / without[k]);
    const double gain = with.back() / *std::max_element(without.begin(), without.end());
    return head_of("17, 145 x 10^9 on 128 GPUs, batch", columns) + line_of("all recomputed", with) +
           line_of("nothing", without) +
           fmt::format(
               "\nPublished: recomputation takes up to 33 % of the throughput at small batches, and large ones,\n"
               "which fit with it alone, have up to 2 times the best throughput without. Predicted: {:.0f} %, "
               "and {:.1f} times.\n",
               100 * lost, gain);
}

} // namespace

std::string ablation_report(const cluster& nodes) {
    return "Ablations, predicted TFLOP/s a GPU by equation 3, microbatches of one sample:\n" + figure_12(nodes) +
           figure_13(nodes) + figures_14_15(nodes, true) + figures_14_15(nodes, false) + figure_17(nodes);
}

} // namespace tutti::tools::planner
