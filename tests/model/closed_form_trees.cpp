// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/closed_form.hpp>
#include <collectives/model/simulate.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

using namespace tutti;
using model::collective;
using schedule::operation;

namespace {

constexpr std::array pieces{1, 2, 4, 8, 16, 32, 64};

// Where latency, bandwidth, reductions, overhead, the gap, or a processor that copies is what counts.
const std::array hockneys_of_trees{model::hockney{10e-6, 0.32e-9, 0.1e-9}, model::hockney{1e-6, 0.1e-9, 0.3e-9},
                                   model::hockney{1e-3, 0.1e-9, 0}};
const std::array loggps_of_trees{model::loggp{1e-6, 0, 0, 1e-9, 0}, model::loggp{5e-6, 1e-6, 2e-6, 0.3e-9, 0.1e-9},
                                 model::loggp{2e-6, 0.5e-6, 0.5e-6, 0.1e-9, 0.5e-9},
                                 model::loggp{2e-6, 0.2e-6, 20e-6, 0.1e-9, 0.05e-9},
                                 model::loggp{3e-6, 1e-6, 1e-6, 0.2e-9, 0.1e-9, 0.2e-9}};

/// What each model is simulated as.
model::machine machine_like(const model::loggp& p) { return model::uniform(p); }
model::machine machine_like(const model::hockney& p) {
    return model::uniform({0, p.alpha_s / 2, p.alpha_s, p.beta_s_per_byte, p.gamma_s_per_byte});
}
constexpr model::receiver_rule rule_of(const model::loggp&) { return model::receiver_rule::serial; }
constexpr model::receiver_rule rule_of(const model::hockney&) { return model::receiver_rule::hockney; }

/// By formula and by simulation, in as many segments as pieces[k].
struct tree_times {
    std::array<double, pieces.size()> form{}, simulated{};
};

/// Calls visit(times) for each operation, numbers of ranks that are powers of two and not, sizes and machines.
template <class Models>
void for_each_tree(const Models& models, const auto& visit) {
    model::simulation_settings s;
    s.receiver = rule_of(models[0]);
    for (const operation o : {operation::allreduce, operation::reduce, operation::broadcast})
        for (const int size : {2, 3, 4, 5, 8, 13, 33, 100})
            for (const std::size_t bytes : {8, 1 << 16, 1 << 20, 1 << 26}) {
                std::vector<tree_times> by_model(models.size());
                for (std::size_t k = 0; k < pieces.size(); ++k) {
                    const collective c{o, algorithm::double_binary_tree{}, size, bytes, 0, pieces[k]};
                    const model::simulation ready(c, size, s);
                    for (std::size_t m = 0; m < models.size(); ++m) {
                        by_model[m].form[k] = model::closed_form_s(c, models[m]).value();
                        by_model[m].simulated[k] = ready.run(machine_like(models[m])).finish_s;
                    }
                }
                CAPTURE(std::string(name_of(o)), size, bytes);
                for (const tree_times& t : by_model) visit(t);
            }
}

/// How many of all are below a limit.
struct share {
    int below = 0, all = 0;
    void add(bool is_below) {
        below += is_below;
        ++all;
    }
    [[nodiscard]] double of_all() const { return static_cast<double>(below) / all; }
};

void estimates_trees(const auto& models, double most) {
    share near;
    for_each_tree(models, [&](const tree_times& t) {
        for (std::size_t k = 0; k < pieces.size(); ++k) {
            const double ratio = t.form[k] / t.simulated[k];
            CAPTURE(pieces[k]);
            CHECK(ratio > 0.5);
            CHECK(ratio < most);
            near.add(ratio > 1 / 1.5 && ratio < 1.5);
        }
    });
    CHECK(near.of_all() > 0.96);
}

void cuts_trees(const auto& models, double most) {
    share near;
    for_each_tree(models, [&](const tree_times& t) {
        const auto best = std::min_element(t.form.begin(), t.form.end()) - t.form.begin();
        const double ratio =
            t.simulated[static_cast<std::size_t>(best)] / *std::min_element(t.simulated.begin(), t.simulated.end());
        CHECK(ratio < most);
        near.add(ratio < 1.1);
    });
    CHECK(near.of_all() > 0.9);
}

} // namespace

TEST_CASE("the form of the double binary tree is within a factor of two of its simulation, or three, mostly of 1.5") {
    estimates_trees(hockneys_of_trees, 2.6); // reductions delay no message
    estimates_trees(loggps_of_trees, 2);
}

TEST_CASE("the segments that the double binary tree's form finds best are about the best by simulation") {
    cuts_trees(hockneys_of_trees, 2.5);
    cuts_trees(loggps_of_trees, 1.6);
}
