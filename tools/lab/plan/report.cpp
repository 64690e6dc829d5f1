// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "report.hpp"

#include "../../tutti/common/lists.hpp"
#include "../../tutti/common/quantities.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutti::tools::planner {
namespace {

using report_json = nlohmann::ordered_json;

/// A GPU's, without what is computed again.
double flop_per_s(const plan& p, const question& q) {
    return sample_flop(q.net, false) * q.batch / q.on.gpus() / p.step_s();
}

std::string shares_of(const plan& p) {
    std::vector<std::string> shares;
    for (const part what : parts)
        if (p.time[what] >= 0.0005 * p.step_s())
            shares.push_back(fmt::format("{} {:.1f} %", name_of(what), 100 * p.time[what] / p.step_s()));
    return join(shares);
}

std::string layers_of(const plan& p) {
    std::vector<std::string> layers;
    int first = 0;
    for (const int end : p.ends) {
        layers.push_back(std::to_string(end - first));
        first = end;
    }
    return join(layers, " ");
}

std::string memory_text(const memory_use& m) {
    return fmt::format("{}: weights {}, gradients {}, optimizer {}, activations {}", bytes_text(m.total()),
                       bytes_text(m.weights), bytes_text(m.gradients), bytes_text(m.optimizer),
                       bytes_text(m.activations));
}

std::string text_of(const plan& p, const plan& best, const question& q, std::size_t rank) {
    const double flop = flop_per_s(p, q);
    std::string text = fmt::format(
        "\n{}. {}\n   step    {}, {:.0f} samples/s, {:.1f} TFLOP/s a GPU, {:.0f} % of the peak\n   time    {}\n"
        "   memory  {}\n",
        rank, words_of(p.how, q.batch), short_time(p.step_s()), q.batch / p.step_s(), flop / 1e12,
        100 * flop / q.on.gpu.flop_per_s, shares_of(p), memory_text(p.memory));
    if (p.how.pipeline > 1) text += fmt::format("   layers  {}\n", layers_of(p));
    if (const std::string calls = calls_of(p); !calls.empty()) text += fmt::format("   calls   {}\n", calls);
    if (rank > 1) text += fmt::format("   why     {}\n", reason_of(p, best, q));
    return text;
}

report_json time_json(const plan& p) {
    report_json j = report_json::object();
    for (const part what : parts) j[std::string(name_of(what)) + "_s"] = p.time[what];
    return j;
}

report_json call_json(const group_price& c) {
    if (!c.by) return nullptr;
    return {{"algorithm", c.by->how.name()}, {"segments", c.by->segments}, {"seconds", c.seconds}};
}

report_json plan_json(const plan& p, const plan& best, const question& q) {
    return {{"data", p.how.data},
            {"tensor", p.how.tensor},
            {"stages", p.how.pipeline},
            {"chunks", p.how.chunks},
            {"zero", p.how.zero},
            {"samples", p.how.samples},
            {"microbatches", p.how.microbatches(q.batch)},
            {"recompute", name_of(p.how.again)},
            {"step_s", p.step_s()},
            {"flop_per_s", flop_per_s(p, q)},
            {"time", time_json(p)},
            {"memory_bytes", p.memory.total()},
            {"memory",
             {{"weights", p.memory.weights},
              {"gradients", p.memory.gradients},
              {"optimizer", p.memory.optimizer},
              {"activations", p.memory.activations}}},
            {"ends", p.ends},
            {"tensor_allreduce", call_json(p.tensor_call)},
            {"gradient_call", call_json(p.gradient_call)},
            {"why", &p == &best ? "" : reason_of(p, best, q)}};
}

} // namespace

std::string text_report(const question& q, const searched& s, std::size_t most) {
    std::string text = fmt::format("# {}\n# {} layouts, matrix products at {:.3g} of {:.4g} TFLOP/s\n", title_of(q),
                                   s.layouts, q.on.gpu.matrix_efficiency, q.on.gpu.flop_per_s / 1e12);
    if (s.plans.empty()) return text + "\n" + reason_of_none(q, s) + "\n";
    for (std::size_t k = 0; k < std::min(most, s.plans.size()); ++k)
        text += text_of(s.plans[k], s.plans.front(), q, k + 1);
    if (const std::string caution = caution_of(s, most); !caution.empty()) text += "\n" + caution + "\n";
    return text;
}

std::string json_report(const question& q, const searched& s, std::size_t most) {
    report_json plans = report_json::array(), cells = report_json::array();
    for (std::size_t k = 0; k < std::min(most, s.plans.size()); ++k)
        plans.push_back(plan_json(s.plans[k], s.plans.front(), q));
    for (const cell& c : s.cells)
        cells.push_back({{"tensor", c.tensor},
                         {"stages", c.pipeline},
                         {"possible", c.possible},
                         {"step_s", c.best ? report_json(c.best->step_s()) : report_json(nullptr)}});
    report_json all{{"network", q.net.name},     {"parameters", q.net.parameters()},
                    {"cluster", q.on.name},      {"gpus", q.on.gpus()},
                    {"batch", q.batch},          {"layouts", s.layouts},
                    {"plans", std::move(plans)}, {"cells", std::move(cells)}};
    if (s.plans.empty()) all["why_none"] = reason_of_none(q, s);
    if (const std::string caution = caution_of(s, most); !caution.empty()) all["caution"] = caution;
    return all.dump(1, ' ', false, report_json::error_handler_t::replace) + "\n";
}

} // namespace tutti::tools::planner
