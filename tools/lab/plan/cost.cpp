// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "cost.hpp"

#include "layer_costs.hpp"
#include "stages.hpp"

#include <algorithm>
#include <numeric>

namespace tutti::tools::planner {
namespace {

using schedule::operation;
/// The update reads the gradient (2), and reads and writes master weight and both moments (24), and writes the weight.
constexpr double update_access_bytes = 28;

bool divides_nodes(int ranks, const cluster& on) {
    return on.gpus_per_node % ranks == 0 || ranks % on.gpus_per_node == 0;
}

/// Of one GPU of a stage.
struct stage_sum {
    layer_cost cost;
    int layers = 0;
};

class planning {
public:
    planning(const layout& how, const question& q, group_prices& prices)
        : how_(how), q_(q), prices_(prices), costs_(how, q, prices), microbatches_(how.microbatches(q.batch)) {}

    [[nodiscard]] std::optional<plan> best(double at_most_s) const {
        const double bubbles = (how_.pipeline - 1.) / how_.chunks;
        const layer_cost all = costs_.of(0, costs_.layers());
        if ((microbatches_ + bubbles) * all.busy_s() / how_.pipeline >= at_most_s) return std::nullopt;
        if (least_memory().total() > room()) return std::nullopt;
        const auto ends = cut();
        if (!ends) return std::nullopt;
        plan p{how_, {}, {}, *ends, 0, 0, {}, {}};
        const std::vector<stage_sum> stages = stages_of(*ends);
        for (int s = 0; s < how_.pipeline; ++s) {
            const memory_use m = memory_of(stages[static_cast<std::size_t>(s)].cost, s, 1);
            if (m.total() > p.memory.total()) p.memory = m;
        }
        if (p.memory.total() > room()) return std::nullopt;
        add_times(p, stages);
        return p;
    }

    /// In equal stages, which there may not be.
    [[nodiscard]] memory_use least_memory() const { return memory_of(costs_.of(0, costs_.layers()), 0, how_.pipeline); }

private:
    [[nodiscard]] double room() const { return usable_bytes(q_); }

    /// Of a stage, or of one of `equal` parts of it.
    [[nodiscard]] memory_use memory_of(const layer_cost& c, int stage, int equal) const {
        memory_use m = state_bytes(c.parameters / equal, how_.zero, how_.data);
        const int last = equal > 1 ? how_.pipeline - 1 : stage; // at least what the last stage has in flight
        m.activations =
            c.kept / equal * in_flight(last, how_.pipeline, microbatches_, how_.chunks) + costs_.work_bytes();
        return m;
    }

    /// Interleaved, pieces are as equal as can be; whether stages of several fit is seen afterwards.
    [[nodiscard]] std::optional<std::vector<int>> cut() const {
        const auto cost = [&](int first, int last) { return costs_.stage_s(first, last); };
        if (how_.chunks > 1) {
            const auto any = [](int, int, int) { return true; };
            return stage_cutter(costs_.layers(), how_.pipeline * how_.chunks, cost, any).best(microbatches_);
        }
        const auto fits = [&](int stage, int first, int last) {
            return memory_of(costs_.of(first, last), stage, 1).total() <= room();
        };
        return stage_cutter(costs_.layers(), how_.pipeline, cost, fits).best(microbatches_);
    }

    [[nodiscard]] std::vector<stage_sum> stages_of(const std::vector<int>& ends) const {
        std::vector<stage_sum> stages(static_cast<std::size_t>(how_.pipeline));
        int first = 0;
        for (std::size_t piece = 0; piece < ends.size(); ++piece) {
            const layer_cost c = costs_.of(first, ends[piece]);
            stage_sum& s = stages[piece % stages.size()];
            s.cost = {s.cost.compute_s + c.compute_s, s.cost.again_s + c.again_s,       s.cost.tensor_s + c.tensor_s,
                      s.cost.cut_s + c.cut_s,         s.cost.parameters + c.parameters, s.cost.kept + c.kept};
            s.layers += ends[piece] - first;
            first = ends[piece];
        }
        return stages;
    }

    /// What computing does not hide of calls. Those of one layer, the first or the last, hide behind nothing.
    [[nodiscard]] double exposed_s(double call_s, double hidden_by_s, int layers) const {
        return q_.given.overlap ? std::max(call_s - hidden_by_s, call_s / layers) : call_s;
    }
    [[nodiscard]] double shards_s(operation what, const stage_sum& s) const { // layer by layer
        const double each = element_bytes * s.cost.parameters / s.layers;
        return s.layers * prices_.of(what, each, data_group(how_, q_.on)).seconds;
    }
    [[nodiscard]] operation averaging() const {
        return how_.zero == 0 ? operation::allreduce : operation::reduce_scatter;
    }
    /// From the second level of sharding on no rank keeps whole gradients from one microbatch to the next.
    [[nodiscard]] double gradients_s(const stage_sum& s) const {
        if (how_.data == 1) return 0;
        const double backward_s = s.cost.backward_s();
        if (how_.zero >= 2) {
            // Gathering weights again has taken a part of the network's time in the backward pass.
            const double taken_s = how_.zero == 3 ? shards_s(operation::allgather, s) : 0;
            return microbatches_ *
                   exposed_s(shards_s(operation::reduce_scatter, s), std::max(0., backward_s - taken_s), s.layers);
        }
        const double bytes = element_bytes * s.cost.parameters;
        return exposed_s(prices_.of(averaging(), bytes, data_group(how_, q_.on)).seconds, backward_s, s.layers);
    }
    /// Updated shards are gathered once; those of level 3 before each forward and backward pass of a microbatch.
    [[nodiscard]] double weights_s(const stage_sum& s) const {
        if (how_.data == 1 || how_.zero == 0) return 0;
        if (how_.zero == 3) {
            const double gather_s = shards_s(operation::allgather, s), backward_s = s.cost.backward_s();
            return microbatches_ * (exposed_s(gather_s, s.cost.busy_s() - backward_s, s.layers) +
                                    exposed_s(gather_s, backward_s, s.layers));
        }
        const double bytes = element_bytes * s.cost.parameters;
        return prices_.of(operation::allgather, bytes, data_group(how_, q_.on)).seconds;
    }

    /// The bubble by formula: a timeline of the schedule's steps would replace it here.
    void add_times(plan& p, const std::vector<stage_sum>& stages) const {
        const auto time = [](const stage_sum& s) { return s.cost.busy_s() + s.cost.cut_s; };
        const auto slowest = std::max_element(stages.begin(), stages.end(),
                                              [&](const auto& a, const auto& b) { return time(a) < time(b); });
        const double sum =
            std::accumulate(stages.begin(), stages.end(), 0., [&](double all, const auto& s) { return all + time(s); });
        p.time[part::compute] = microbatches_ * slowest->cost.compute_s;
        p.time[part::again] = microbatches_ * slowest->cost.again_s;
        p.time[part::tensor] = microbatches_ * slowest->cost.tensor_s;
        p.time[part::hand_over] = microbatches_ * slowest->cost.cut_s;
        p.time[part::bubble] = std::max(0., sum - time(*slowest)) / how_.chunks;
        double most = 0;
        int calls = 1;
        for (const stage_sum& s : stages) {
            p.time[part::gradients] = std::max(p.time[part::gradients], gradients_s(s));
            p.time[part::weights] = std::max(p.time[part::weights], weights_s(s));
            if (s.cost.parameters <= most) continue;
            most = s.cost.parameters;
            calls = how_.zero >= 2 ? s.layers : 1;
        }
        p.time[part::optimizer] =
            update_access_bytes * most / (how_.zero > 0 ? how_.data : 1) / q_.on.gpu.memory_bytes_per_s;
        p.gradient_bytes = element_bytes * most;
        p.gradient_call_bytes = p.gradient_bytes / calls;
        if (how_.data > 1) p.gradient_call = prices_.of(averaging(), p.gradient_call_bytes, data_group(how_, q_.on));
        if (how_.tensor > 1)
            p.tensor_call =
                prices_.of(operation::allreduce, how_.samples * q_.net.layers[q_.net.layers.size() / 2].output_bytes,
                           tensor_group(how_, q_.on));
    }

    layout how_;
    const question& q_;
    group_prices& prices_;
    layer_costs costs_;
    int microbatches_;
};

} // namespace

double step_time::total() const noexcept { return std::accumulate(seconds.begin(), seconds.end(), 0.); }

bool is_possible(const layout& how, const question& q) {
    const int pieces = how.pipeline * how.chunks, layers = static_cast<int>(q.net.layers.size());
    const int microbatches = how.microbatches(q.batch);
    return how.gpus() == q.on.gpus() && q.net.tensor_divides % how.tensor == 0 && pieces <= layers &&
           divides_nodes(how.tensor, q.on) && divides_nodes(how.tensor * how.data, q.on) &&
           microbatches * how.data * how.samples == q.batch && microbatches >= 1 &&
           (how.chunks == 1 || (how.pipeline > 1 && microbatches % how.pipeline == 0)) &&
           (how.zero == 0 || how.data > 1);
}

std::optional<plan> plan_of(const layout& how, const question& q, group_prices& prices, double at_most_s) {
    return planning(how, q, prices).best(at_most_s);
}

memory_use least_memory(const layout& how, const question& q, group_prices& prices) {
    return planning(how, q, prices).least_memory();
}

double sample_flop(const network& net, bool recomputed) {
    double flop = 0;
    for (const layer& l : net.layers) flop += (recomputed && l.recomputed ? 4 : 3) * l.matrix_flop;
    return flop;
}

} // namespace tutti::tools::planner
