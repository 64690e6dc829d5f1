// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>

#include <collectives/runtime_call.hpp>

#include "support/catch.hpp"
#include "support/expect.hpp"
#include "support/world.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::test::premultiplied_sums {
namespace {

using schedule::operation;

runtime_call by_values(std::vector<std::int64_t>& data, const std::int64_t& factor) {
    runtime_call c{operation::allreduce, element_type::int64, operator_type::premultiplied_sum,
                   data.size(),          data.data(),         data.data()};
    c.factor = &factor;
    return c;
}

} // namespace

TEST_CASE("a premultiplied sum by values matches the typed one") {
    run_world(3, [](const communicator& world) {
        std::vector<std::int64_t> data(50, world.rank() + 1);
        const std::int64_t factor = 10 - world.rank();
        if (world.rank() == 1)
            world.allreduce(data, premultiplied_sum(factor));
        else
            issue(world, by_values(data, factor));
        expect(data[0] == 10 + 18 + 24 && data[49] == data[0], "the sum");
        std::vector<float16> halves(5, float16(1.0F));
        const float quarter = 0.25F;
        runtime_call c{
            operation::reduce_scatter, element_type::float16, operator_type::premultiplied_sum, 1, halves.data(),
            halves.data() + 4};
        c.factor = &quarter;
        issue(world, c);
        expect(static_cast<float>(halves[4]) == 0.75F && static_cast<float>(halves[0]) == 1, "of 16 bits");
        c.factor = nullptr;
        const fault f = fault_of([&] { issue(world, c); });
        expect(f.why == cause::invalid_argument && f.detail.find("without a factor") != std::string::npos, f.detail);
        expect(reduces(operator_type::premultiplied_sum, element_type::uint8) &&
                   reduces(operator_type::premultiplied_sum, element_type::float8_e4m3),
               "it reduces every type");
    });
}

} // namespace tutti::test::premultiplied_sums
