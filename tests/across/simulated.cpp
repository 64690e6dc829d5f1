// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "sequence.hpp"

#include <transport/simulated.hpp>

#include <collectives/model/simulate.hpp>
#include <collectives/simulated_machine.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

using namespace tutti;
using namespace tutti::test;
using transport::simulated;
using transport::simulated_world;

namespace {

constexpr model::loggp within_node{1e-6, 3e-7, 1e-7, 1e-10, 0};
constexpr model::loggp between_nodes{5e-6, 7e-7, 2e-7, 8e-10, 0};

model::machine two_links(int nics = 0, double oversubscription = 1) {
    model::machine m = model::uniform(within_node);
    m.far = between_nodes;
    m.nics = nics;
    m.oversubscription = oversubscription;
    return m;
}

/// Seconds until all ranks have done an allreduce that they begin together, by the virtual clock.
double virtual_s(const algorithm::any& how, const model::machine& m, int size, int per_node, std::size_t bytes) {
    const auto world = simulated_world::create(simulated_options_of(m, size, per_node));
    std::chrono::nanoseconds last{0};
    constexpr std::chrono::seconds begin{1};
    world->run([&](simulated end) {
        const communicator all{std::move(end)};
        std::vector<float> data(bytes / sizeof(float));
        world->compute(begin);
        all.allreduce(data, sum, how);
        last = std::max(last, world->now() - begin);
    });
    return std::chrono::duration<double>(last).count();
}

} // namespace

TEST_CASE("any sequence of calls in virtual time gives the bits of the serial reference") {
    const auto [size, steps] = GENERATE(std::pair{2, 200}, std::pair{3, 200}, std::pair{7, 60}, std::pair{16, 20});
    CAPTURE(size);
    const auto world = simulated_world::create(simulated_options_of(two_links(1), size, 3));
    world->run([&, steps = steps](simulated end) { sequence(communicator{std::move(end)}, 2026).run(steps); });
    SUCCEED();
}

TEST_CASE("an allreduce takes in virtual time what the simulator of the model says") {
    for (const auto& how : algorithm::all(schedule::operation::allreduce, 4))
        for (const auto& [size, per_node, bytes, nics, oversubscription] : {std::tuple{8, 0, 4096, 0, 1.},
                                                                            {16, 4, 64, 0, 1.},
                                                                            {16, 4, 65'536, 0, 1.},
                                                                            {16, 4, 65'536, 1, 1.},
                                                                            {16, 4, 65'536, 0, 4.},
                                                                            {16, 4, 65'536, 2, 2.5}}) {
            const model::machine m = two_links(nics, oversubscription);
            model::collective c{schedule::operation::allreduce, how, size, static_cast<std::size_t>(bytes)};
            c.in_place = true;
            c.segments = model::segments_for(how, c.bytes);
            const double said = model::simulate(c, m, per_node == 0 ? size : per_node).finish_s;
            const double took = virtual_s(how, m, size, per_node, static_cast<std::size_t>(bytes));
            INFO(how.name() << ", " << size << " ranks, " << bytes << " bytes, " << nics << " adapters, oversubscribed "
                            << oversubscription << ": " << took * 1e6 << " us, the model says " << said * 1e6);
            // In one_shot all messages come at once, and the two take equal ones in another order.
            CHECK(took == Approx(said).epsilon(how.name() == std::string_view("one_shot") ? 0.06 : 0.02));
        }
}
