// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

#include <algorithm>

namespace tutti::test {

/// Empty messages with null pointers keep their place among others.
template <contract_fixture Fixture>
void empty_messages_are_messages() {
    Fixture{}.run(2, [](auto& t) {
        courier c{t};
        const auto data = pattern(5, 1);
        bytes in(5);
        for (int i = 0; i < 50; ++i) {
            if (t.rank() == 0) {
                c.send({1, 0}, 1, nullptr, 0);
                c.send({1, 0}, 1, data);
            } else {
                std::fill(in.begin(), in.end(), std::byte{});
                const auto& empty = c.receive({1, 0}, 0, nullptr, 0);
                c.finish(empty, "an empty message arrives");
                expect(is_done(empty), "an empty message fits an empty receive");
                expect(in != data, "an empty message completes its own receive only");
                c.receive({1, 0}, 0, in);
            }
            c.finish("an empty message holds nothing up");
            expect(t.rank() == 0 || in == data, "what follows an empty message is intact");
        }
    });
}

/// An empty message is checked: its signature, and that the receive is as empty.
template <contract_fixture Fixture>
void empty_messages_are_checked() {
    Fixture{}.run(2, [](auto& t) {
        courier c{t};
        std::byte in{7};
        if (t.rank() == 0) {
            c.send({1, 0}, 1, nullptr, 0, 1);
            c.send({1, 0}, 1, nullptr, 0);
            c.finish("empty messages are sent");
            return;
        }
        const auto& other_call = c.receive({1, 0}, 0, nullptr, 0, 2);
        const auto& longer = c.receive({1, 0}, 0, &in, 1);
        c.finish("empty messages arrive");
        expect(other_call.status == transport::transfer_status::mismatched, "an empty message has a signature");
        expect(longer.status == transport::transfer_status::mismatched, "an empty message has a length");
        expect(in == std::byte{7}, "a mismatched message delivers nothing");
    });
}

/// Reducing an empty message completes, and the reducer sees no element.
template <contract_fixture Fixture>
void empty_messages_reduce_nothing() {
    Fixture{}.run(2, [](auto& t) {
        courier c{t};
        bytes nothing;
        const reducer refuse{[](std::byte*, const std::byte*, const std::byte*, std::size_t count, const void*) {
                                 expect(count == 0, "the reducer gets no element of an empty message");
                             },
                             nullptr, 4};
        if (t.rank() == 0)
            c.send({1, 0}, 1, nullptr, 0);
        else
            c.reduce({1, 0}, 0, nothing, nothing, refuse, false);
        c.finish("an empty reduction completes");
    });
}

} // namespace tutti::test
