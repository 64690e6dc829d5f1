// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "published.hpp"

#include "search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace tutti::tools::planner {
namespace {

constexpr int vocabulary = 51200, sequence = 2048;
constexpr gpt_shape shape(int heads, int hidden, int layers) { return {layers, hidden, heads, vocabulary, sequence}; }

constexpr std::array table_1{published_run{"1.7", shape(24, 2304, 24), 1, 1, 32, 512, 0, 0, 137},
                             published_run{"3.6", shape(32, 3072, 30), 2, 1, 64, 512, 0, 0, 138},
                             published_run{"7.5", shape(32, 4096, 36), 4, 1, 128, 512, 0, 0, 142},
                             published_run{"18.4", shape(48, 6144, 40), 8, 1, 256, 1024, 0, 0, 135},
                             published_run{"39.1", shape(64, 8192, 48), 8, 2, 512, 1536, 0, 0, 138},
                             published_run{"76.1", shape(80, 10240, 60), 8, 4, 1024, 1792, 0, 0, 140},
                             published_run{"145.6", shape(96, 12288, 80), 8, 8, 1536, 2304, 0, 0, 148},
                             published_run{"310.1", shape(128, 16384, 96), 8, 16, 1920, 2160, 0, 0, 155},
                             published_run{"529.6", shape(128, 20480, 105), 8, 35, 2520, 2520, 0, 0, 163},
                             published_run{"1008.0", shape(160, 25600, 128), 8, 64, 3072, 3072, 0, 0, 163}};

constexpr auto gpt3 = shape(96, 12288, 96), gpt_530b = shape(128, 20480, 105);
constexpr std::array table_2{published_run{"174.6", gpt3, 8, 12, 384, 1536, 1, 0, 153},
                             published_run{"174.6", gpt3, 8, 12, 768, 1536, 1, 0, 149},
                             published_run{"174.6", gpt3, 8, 12, 1536, 1536, 1, 0, 141},
                             published_run{"529.6", gpt_530b, 8, 35, 560, 2240, 1, 0, 171},
                             published_run{"529.6", gpt_530b, 8, 35, 1120, 2240, 1, 0, 167},
                             published_run{"529.6", gpt_530b, 8, 35, 2240, 2240, 1, 0, 159},
                             published_run{"174.6", gpt3, 1, 1, 384, 1536, 4, 3, 144},
                             published_run{"174.6", gpt3, 1, 1, 768, 1536, 2, 3, 88},
                             published_run{"174.6", gpt3, 1, 1, 1536, 1536, 1, 3, 44},
                             published_run{"529.6", gpt_530b, 1, 1, 640, 2560, 4, 3, 138},
                             published_run{"529.6", gpt_530b, 1, 1, 1120, 2240, 2, 3, 98},
                             published_run{"529.6", gpt_530b, 1, 1, 2240, 2240, 1, 3, 48}};

/// Zhao et al., PyTorch FSDP, VLDB 2023, section 5.4: a vocabulary of 50,000, and more than these figures.
constexpr gpt_shape fsdp_gpt{96, 12288, 96, 50000, 2048};
constexpr std::array fsdp_runs{published_run{"175", fsdp_gpt, 1, 1, 512, 512, 1, 3, 173},
                               published_run{"175", fsdp_gpt, 1, 1, 512, 1024, 2, 3, 186}};

cluster with_gpus(cluster c, int gpus) {
    c.nodes = gpus / c.gpus_per_node;
    return c;
}

double teraflop_per_s(const network& n, const published_run& r, const plan& p) {
    return sample_flop(n, true) * r.batch / r.gpus / p.step_s() / 1e12;
}

/// Of the errors of one table.
struct errors {
    double sum = 0, most = 0;
    int count = 0;
    void add(double error) {
        sum += std::abs(error);
        most = std::max(most, std::abs(error));
        ++count;
    }
};

std::string row_of(const published_run& r, const cluster& nodes, errors& all) {
    const auto p = predicted(r, nodes);
    const std::string start = fmt::format("| {} | {} | {} | {} | {} | {} | ", r.parameters, r.gpus, r.batch, r.tensor,
                                          r.pipeline, r.gpus / r.tensor / r.pipeline);
    if (!p) return start + fmt::format("| | | {} | does not fit | |\n", r.teraflop_per_s);
    const network n = gpt(r.shape, r.parameters);
    const double found = teraflop_per_s(n, r, *p), error = found / r.teraflop_per_s - 1;
    if (&r != &fitted_run()) all.add(error);
    const double published_s = p->step_s() * found / r.teraflop_per_s;
    return start + fmt::format("{} | {} | {:.2f} | {:.2f} | {} | {:.0f} | {} |\n", p->how.samples, p->how.chunks,
                               published_s, p->step_s(), r.teraflop_per_s, found,
                               &r == &fitted_run() ? "fitted" : fmt::format("{:+.1f} %", 100 * error));
}

std::string table_of(std::span<const published_run> runs, const cluster& nodes) {
    std::string text = "| parameters, 10^9 | GPUs | batch | tensor | stages | data | samples | chunks | "
                       "published step, s | predicted step, s | published TFLOP/s | predicted TFLOP/s | error |\n"
                       "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    errors all;
    for (const published_run& r : runs) text += row_of(r, nodes, all);
    return text + fmt::format("\nError in the mean {:.1f} %, at most {:.1f} %, over {} runs.\n",
                              100 * all.sum / all.count, 100 * all.most, all.count);
}

} // namespace

std::span<const published_run> megatron_table_1() { return table_1; }
std::span<const published_run> megatron_table_2() { return table_2; }
std::span<const published_run> fsdp_section_5() { return fsdp_runs; }
const published_run& fitted_run() { return table_1[6]; }

std::optional<plan> predicted(const published_run& r, const cluster& nodes) {
    const network n = gpt(r.shape, r.parameters);
    const cluster on = with_gpus(nodes, r.gpus);
    const question q{n, on, r.batch, {.overlap = r.zero > 0}};
    group_prices prices(on);
    std::optional<plan> best;
    double best_s = std::numeric_limits<double>::infinity();
    for (const layout& how : layouts_of(r.tensor, r.pipeline, r.gpus / r.tensor / r.pipeline, q)) {
        if (how.zero != r.zero || how.again != recompute::all || (r.samples > 0 && how.samples != r.samples)) continue;
        const auto p = plan_of(how, q, prices, best_s);
        if (!p || p->step_s() >= best_s) continue;
        best = p;
        best_s = p->step_s();
    }
    return best;
}

double fitted_efficiency(cluster nodes) {
    const published_run& r = fitted_run();
    const network n = gpt(r.shape, r.parameters);
    double low = 0.1, high = 1;
    for (int k = 0; k < 16; ++k) {
        nodes.gpu.matrix_efficiency = (low + high) / 2;
        const auto p = predicted(r, nodes);
        const bool too_fast = p && teraflop_per_s(n, r, *p) > r.teraflop_per_s;
        (too_fast ? high : low) = nodes.gpu.matrix_efficiency;
    }
    return low;
}

std::string published_report() {
    const cluster nodes = cluster_of("dgx-a100");
    const std::size_t without = 6;
    std::string text = fmt::format("Matrix products reach {:.3f} of the peak, as fitted by the run of {} x 10^9 "
                                   "parameters: {:.3f}.\n\n",
                                   nodes.gpu.matrix_efficiency, fitted_run().parameters, fitted_efficiency(nodes));
    text += "Table 1, pipelines interleaved:\n\n" + table_of(megatron_table_1(), nodes);
    text += "\nTable 2, tensor and pipeline parallel:\n\n" + table_of(megatron_table_2().first(without), nodes);
    text += "\nTable 2, ZeRO level 3 alone:\n\n" + table_of(megatron_table_2().subspan(without), nodes);
    text += "\nPyTorch FSDP, which is ZeRO level 3:\n\n" + table_of(fsdp_section_5(), nodes);
    return text + "\n" + ablation_report(nodes);
}

} // namespace tutti::tools::planner
