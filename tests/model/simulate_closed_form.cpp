// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/closed_form.hpp>
#include <collectives/model/simulate.hpp>

#include "simulated.hpp"

#include <cstddef>
#include <string>
#include <vector>

using namespace tutti;
using model::collective;
using schedule::operation;

namespace {

/// All algorithms and operations for few ranks, with sizes that divide well and badly.
std::vector<collective> priced_calls() {
    std::vector<collective> calls;
    for (const algorithm::any& a : algorithm::all(3))
        for (const operation o : schedule::operations)
            for (int size = 1; a.offers(o) && size <= 13; ++size)
                for (const std::size_t bytes : {0, 1, 5, 1000, 720'720}) calls.push_back({o, a, size, bytes, 0});
    for (const algorithm::any& a : algorithm::compositions(4))
        for (int size = 1; size <= 16; ++size) calls.push_back({operation::allreduce, a, size, 48'000});
    return calls;
}

} // namespace

TEST_CASE("where a closed form is exact the simulation takes as long") {
    int compared = 0;
    for (const model::loggp& cost :
         {model::loggp{1e-6, 0, 0, 1e-9, 0}, model::loggp{1e-6, 1e-7, 1.5e-7, 5e-10, 1e-10},
          model::loggp{0.1, 1e-7, 5e-8, 5e-10, 1e-10}, model::loggp{5e-8, 2e-7, 0, 5e-10, 0}})
        for (const collective& c : priced_calls()) {
            const auto form = model::closed_form(c, cost);
            if (!form || !form->exact) continue;
            CAPTURE(std::string(c.how.name()), std::string(name_of(c.what)), c.size, c.bytes);
            CHECK(test::near_to(test::finish_ns(c, cost, model::receiver_rule::serial), form->seconds * 1e9));
            ++compared;
        }
    CHECK(compared > 3000);
}
