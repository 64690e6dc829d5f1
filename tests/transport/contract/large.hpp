// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

#include "support/effort.hpp"

#include <array>

namespace tutti::test {

/// 64 MiB each way at once (a fifth under a sanitizer), odd by a few bytes.
template <contract_fixture Fixture>
void large_messages_cross() {
    constexpr auto size = effort(std::size_t{64} * 1024 * 1024) + 3;
    const std::array data{pattern(size, 0), pattern(size, 1)};
    Fixture{}.run(2, [&](auto& t) {
        courier c{t};
        const auto& out = data.at(static_cast<std::size_t>(t.rank()));
        bytes in(size);
        const auto& sent = c.send({1, 0}, 1 - t.rank(), out);
        const auto& received = c.receive({1, 0}, 1 - t.rank(), in);
        c.finish("all arrives in both directions");
        expect(in == data.at(static_cast<std::size_t>(1 - t.rank())), "a large message is intact");
        expect(sent.moved == size && received.moved == size, "complete transfers have moved all their bytes");
    });
}

} // namespace tutti::test
