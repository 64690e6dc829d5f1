// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/pipeline/verify.hpp>

#include <training/pipeline/all.hpp>

#include "pipeline_oracle.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace tutti::training;
using tutti::test::effort;

namespace {

using pipeline_list = std::vector<pipeline::step>;

/// The fault of one_f_one_b on 3 workers with 4 microbatches when the list of one is changed.
template <class Change>
std::string fault_of_changed(int worker, Change change) {
    const pipeline::shape of{3, 4};
    pipeline::program p = pipeline::write<pipeline::one_f_one_b>(of);
    change(p.workers[static_cast<std::size_t>(worker)]);
    const auto stated = pipeline::promise_of<pipeline::one_f_one_b>(of);
    const auto found = verify(p, &stated);
    CHECK(found.proven == found.fault.empty());
    return found.fault;
}

/// The first step of the kind that is about the microbatch.
auto find_step(pipeline_list& steps, pipeline::action what, int microbatch) {
    return std::find_if(steps.begin(), steps.end(),
                        [=](const pipeline::step& s) { return s.what == what && s.microbatch == microbatch; });
}

constexpr std::array pipeline_changes{"drop",       "duplicate", "swap",    "move", "kind",
                                      "microbatch", "chunk",     "version", "slot"};

/// Changes one step of one worker.
void change_randomly(pipeline::program& p, std::size_t how, std::minstd_rand& dice) {
    const auto below = [&](auto n) { return static_cast<int>(dice() % static_cast<unsigned>(n)); };
    auto& steps = p.workers[static_cast<std::size_t>(below(p.of.stages))];
    const auto at = steps.begin() + below(steps.size());
    const int by = below(2) == 0 ? -1 : 1;
    switch (how) {
    case 0: steps.erase(at); break;
    case 1: steps.insert(at, pipeline::step(*at)); break;
    case 2:
        if (at + 1 != steps.end()) std::swap(*at, *(at + 1));
        break;
    case 3: std::rotate(at, at + 1, at + 1 + below(std::min<std::ptrdiff_t>(8, steps.end() - at))); break;
    case 4: at->what = static_cast<pipeline::action>(below(7)); break;
    case 5: at->microbatch += by; break;
    case 6: at->chunk += by * (below(2) == 0 ? 1 : p.of.stages); break;
    case 7: at->version += by; break;
    default: at->slot += by;
    }
}

pipeline::program random_pipeline(std::minstd_rand& dice, pipeline::promise& stated) {
    const auto& a = pipeline::schedules[dice() % pipeline::schedules.size()];
    const auto upto = [&](unsigned n) { return 1 + static_cast<int>(dice() % n); };
    const pipeline::shape of{upto(4), upto(6), a.takes_chunks ? upto(3) : 1};
    stated = a.promises(of);
    return a.write(of);
}

} // namespace

TEST_CASE("a fault is told in words, with the worker and the step") {
    using pipeline::action;
    CHECK_THAT(fault_of_changed(1, [](auto& all) { all.erase(find_step(all, action::send_gradient, 2)); }),
               Catch::StartsWith("worker 1, step ") &&
                   Catch::Contains("(backward of microbatch 3 on chunk 1): the gradient of microbatch 2 on chunk 1 is "
                                   "yet to be sent"));
    CHECK_THAT(fault_of_changed(0, [](auto& all) { all.pop_back(); }),
               Catch::Equals("worker 0: the gradient of microbatch 0 on chunk 0 enters no update"));
    CHECK_THAT(fault_of_changed(2, [](auto& all) { all.erase(find_step(all, action::receive_activation, 1)); }),
               Catch::Contains("(forward of microbatch 1 on chunk 2): slot 0 does not hold its input"));
    CHECK_THAT(fault_of_changed(1, [](auto& all) { all.erase(find_step(all, action::send_activation, 3)); }),
               Catch::Contains("worker 1: the output of microbatch 3 on chunk 1 is never sent"));
    CHECK_THAT(fault_of_changed(0, [](auto& all) { find_step(all, action::backward, 2)->version = 1; }),
               Catch::Contains("its weights are version 1, and its forward's version 0"));
    CHECK_THAT(fault_of_changed(0, [](auto& all) { find_step(all, action::forward, 2)->chunk = 1; }),
               Catch::Contains("the chunk lives on worker 1"));
    CHECK_THAT(fault_of_changed(0, [](auto& all) { find_step(all, action::forward, 2)->slot = 0; }),
               Catch::Contains("slot 0 still holds microbatch 0 on chunk 0"));
    constexpr int huge = std::numeric_limits<int>::max();
    for (const pipeline::shape of : {pipeline::shape{1, huge, 2}, {1, 2, huge}, {1, 1 << 27, 2}, {1, 0, 1}})
        CHECK_THAT(verify(pipeline::program{of, {{}}}).fault, Catch::Contains("at most 2^27"));
}

TEST_CASE("a pipeline that waits in a circle is refused, whatever buffers would do") {
    // Worker 0 wants the gradient of microbatch 0 before it sends microbatch 1, which worker 1 wants first.
    const pipeline::shape of{2, 2};
    pipeline::step_writer first(of, 0), second(of, 1);
    first.forward(0, 0, 0), first.backward(0, 0, 0), first.forward(1, 0, 0), first.backward(1, 0, 0), first.update(1);
    second.forward(0, 0, 0), second.forward(1, 0, 0), second.backward(0, 0, 0), second.backward(1, 0, 0);
    second.update(1);
    const auto found = pipeline::verify({of, {std::move(first).finish(), std::move(second).finish()}});
    CHECK_THAT(found.fault, Catch::Equals("worker 0, step 3 (backward of microbatch 0 on chunk 0) never starts: it "
                                          "waits for worker 1, step 5 (send_gradient of microbatch 0 on chunk 1)"));
}

TEST_CASE("what holds more, is staler or mixes versions than promised is refused") {
    const pipeline::shape of{3, 6};
    const auto fault = [&](const pipeline::program& p, const pipeline::promise& stated) {
        return verify(p, &stated).fault;
    };
    CHECK_THAT(fault(pipeline::write<pipeline::gpipe>(of), pipeline::promise_of<pipeline::one_f_one_b>(of)),
               Catch::Equals("worker 0: activations 6, promised at most 3"));
    CHECK_THAT(fault(pipeline::write<pipeline::pipedream>(of), pipeline::promise_of<pipeline::one_f_one_b>(of)),
               Catch::Equals("worker 0: versions 3, promised at most 1"));
    auto stated = pipeline::promise_of<pipeline::pipedream>(of);
    stated.workers[1].staleness = 0;
    CHECK_THAT(fault(pipeline::write<pipeline::pipedream>(of), stated),
               Catch::Equals("worker 1: staleness 1, promised at most 0"));
    stated = pipeline::promise_of<pipeline::pipedream>(of);
    stated.one_version = true;
    CHECK_THAT(fault(pipeline::write<pipeline::pipedream>(of), stated), Catch::Contains("different versions"));
}

TEST_CASE("the second opinion agrees with every pipeline, without buffers and with") {
    std::minstd_rand dice(7);
    for (int k = 0; k < 100; ++k) {
        pipeline::promise stated;
        const auto p = random_pipeline(dice, stated);
        const auto once = pipeline_oracle(p, dice, k % 2 == 0).run();
        REQUIRE(once);
        REQUIRE(once == pipeline_oracle(p, dice, k % 2 == 1).run());
    }
}

TEST_CASE(
    "a change of a step is refused if it changes a result, stops a worker or uses what is not there, and only then") {
    std::array<int, pipeline_changes.size()> tried{}, harmful{}, passed{};
    std::minstd_rand dice(2026);
    for (int k = 0; k < effort(9000); ++k) {
        pipeline::promise stated;
        const auto right = random_pipeline(dice, stated);
        const std::size_t how = dice() % pipeline_changes.size();
        pipeline::program p = right;
        change_randomly(p, how, dice);
        if (p.workers == right.workers) continue;
        const auto expected = pipeline_oracle(right, dice, false).run();
        const bool harms = pipeline_oracle(p, dice, false).run() != expected;
        const auto found = verify(p, &stated);
        ++tried[how], harmful[how] += harms, passed[how] += found.proven;
        INFO(pipeline_changes[how] << ": " << found.fault << "\n"
                                   << pipeline_listing(right) << "became\n"
                                   << pipeline_listing(p));
        REQUIRE_FALSE((harms && found.proven));
        if (how != 1) REQUIRE(found.proven == !harms); // a forward done twice does no harm, and is refused
    }
    for (std::size_t how = 0; how < pipeline_changes.size(); ++how) {
        INFO(pipeline_changes[how] << ": " << tried[how] << " tried, " << harmful[how] << " harmful, " << passed[how]
                                   << " passed");
        CHECK(harmful[how] >= effort(150));
    }
    CHECK(passed[0] == 0); // no step can be left out, nor be done twice
    CHECK(passed[1] == 0);
    CHECK(passed[2] > 0); // messages may change places
}
