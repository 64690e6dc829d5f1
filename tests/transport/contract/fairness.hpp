// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

namespace tutti::test {

/// While a huge message is under way in one context, small ones of another context between the same ranks arrive.
template <contract_fixture Fixture>
void huge_messages_starve_nobody() {
    constexpr std::size_t size = 128 * 1024 * 1024;
    constexpr int small_messages = 10;
    milestone under_way;
    Fixture{}.run(2, [&](auto& t) {
        courier c{t};
        bytes huge(size);
        std::byte small{};
        if (t.rank() == 0) {
            c.send({1, 0}, 1, huge);
            for (int i = 0; i < small_messages; ++i) c.send({1, 1}, 1, &small, 1);
            under_way.reach();
            c.finish("huge and small messages are sent");
            return;
        }
        under_way.await("the sends are started");
        const auto& large = c.receive({1, 0}, 0, huge);
        for (int i = 0; i < small_messages; ++i) {
            const auto& x = c.receive({1, 1}, 0, &small, 1);
            c.finish(x, "small messages arrive beside a huge one");
        }
        expect(is_pending(large), "small messages do not wait for the end of a huge one");
        c.finish("the huge message arrives");
    });
}

} // namespace tutti::test
