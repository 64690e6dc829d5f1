// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "report.hpp"

#include "../../tutti/common/quantities.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace tutti::tools::planner {
namespace {

std::string by_text(const group_price& call) {
    const std::string name(call.by->how.name());
    const std::string cut = call.by->segments > 1 ? fmt::format(" in {} segments", call.by->segments) : "";
    return fmt::format("{}{}, {}", name, cut, short_time(call.seconds));
}

std::string bubble_reason(const plan& p, const question& q) {
    const int microbatches = p.how.microbatches(q.batch);
    return fmt::format("{} stages fill and drain for {} microbatch{}{}", p.how.pipeline, microbatches,
                       microbatches == 1 ? "" : "es",
                       p.how.chunks > 1 ? fmt::format(", in {} pieces each", p.how.chunks) : "");
}

std::string compute_reason(const plan& p, const plan& best) {
    if (p.how.tensor > best.how.tensor)
        return fmt::format("what tensor ranks do not share, layer norms and dropouts, each of {} does", p.how.tensor);
    if (p.how.samples < best.how.samples) return "more and smaller microbatches add up their gradients more often";
    return "the slowest stage has more to compute";
}

std::string tensor_reason(const plan& p, const question& q) {
    return fmt::format("{} tensor ranks{} sum activations four times a layer or more", p.how.tensor,
                       p.how.tensor > q.on.gpus_per_node ? ", over several nodes," : "");
}

std::string cause_of(part what, const plan& p, const plan& best, const question& q) {
    switch (what) {
    case part::compute: return compute_reason(p, best);
    case part::again: return "activations do not fit unless they are computed again";
    case part::tensor: return tensor_reason(p, q);
    case part::hand_over:
        return fmt::format("{} stages in {} piece{} each hand over activations", p.how.pipeline, p.how.chunks,
                           p.how.chunks == 1 ? "" : "s");
    case part::bubble: return bubble_reason(p, q);
    case part::gradients:
        return fmt::format("{} replicas average {} a GPU{}", p.how.data, bytes_text(p.gradient_bytes),
                           p.how.zero >= 2 ? ", with each microbatch" : "");
    case part::weights:
        return p.how.zero == 3 ? "sharded weights are gathered with each microbatch" : "updated weights are gathered";
    case part::optimizer: break;
    }
    return "a GPU updates more parameters";
}

} // namespace

std::string short_time(double seconds) { return time_text(std::stod(fmt::format("{:.3g}", seconds))); }

std::string title_of(const question& q) {
    return fmt::format("{} ({:.4g} x 10^9 parameters) on {} GPUs of {} ({}), batch {}", q.net.name,
                       q.net.parameters() / 1e9, q.on.gpus(), q.on.name, q.on.gpu.name, q.batch);
}

std::string words_of(const layout& how, int batch) {
    std::string text = fmt::format("data {} x tensor {} x stages {}", how.data, how.tensor, how.pipeline);
    if (how.chunks > 1) text += fmt::format(" in {} pieces each", how.chunks);
    if (how.zero > 0) text += fmt::format(", ZeRO {}", how.zero);
    const int microbatches = how.microbatches(batch);
    text += fmt::format(", {} microbatch{} of {}", microbatches, microbatches == 1 ? "" : "es", how.samples);
    if (how.again != recompute::nothing) text += fmt::format(", {} recomputed", name_of(how.again));
    return text;
}

std::string calls_of(const plan& p) {
    std::string text;
    if (p.tensor_call.by) text = fmt::format("tensor allreduces by {} each", by_text(p.tensor_call));
    if (p.gradient_call.by)
        text += fmt::format("{}{} of gradients, {}, by {}", text.empty() ? "" : "; ",
                            p.how.zero == 0 ? "allreduce" : "reduce_scatter", bytes_text(p.gradient_call_bytes),
                            by_text(p.gradient_call));
    return text;
}

std::string reason_of_none(const question& q, const searched& s) {
    if (s.layouts == 0)
        return fmt::format("No layout of {} GPUs can be. Replicas divide the batch of {}, tensor ranks divide {}, and "
                           "there are at most {} stages. Take another batch or shape, or fewer nodes.",
                           q.on.gpus(), q.batch, q.net.tensor_divides, q.net.layers.size());
    if (s.least_bytes <= usable_bytes(q)) return "Nothing fits: no cut into stages has the memory. Take more nodes.";
    return fmt::format("Nothing fits: a GPU would need {} at least, and {} of its {} can be used. Take more nodes, or "
                       "smaller layers.",
                       bytes_text(s.least_bytes), bytes_text(usable_bytes(q)), bytes_text(q.on.gpu.memory_bytes));
}

std::string caution_of(const searched& s, std::size_t most) {
    for (std::size_t k = 0; k < std::min(most, s.plans.size()); ++k)
        if (s.plans[k].how.zero == 3)
            return "Plans with ZeRO 3 are as fast as predicted only where a library hides the gathering of weights, as "
                   "PyTorch FSDP does. Published runs of 2021 took several times as long: docs/planner.md compares "
                   "them.";
    return {};
}

std::string reason_of(const plan& p, const plan& best, const question& q) {
    const auto more = [&](part what) { return p.time[what] - best.time[what]; };
    const part worst = *std::max_element(parts.begin(), parts.end(), [&](part a, part b) { return more(a) < more(b); });
    return fmt::format("{:.1f} % slower: {} takes {} more, since {}", 100 * (p.step_s() / best.step_s() - 1),
                       name_of(worst), short_time(more(worst)), cause_of(worst, p, best, q));
}

} // namespace tutti::tools::planner
