// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

#include <cstring>

namespace tutti::test {

/// An element of 12 bytes whose operator is associative and not commutative: (a, b) stands for x -> a x + b.
struct affine {
    std::uint32_t a;
    std::uint32_t b;
    std::uint32_t index; ///< equal in both operands when they belong together
};

/// What a reducer was called with.
struct reduction_record {
    std::size_t calls = 0;
    std::size_t elements = 0;
    bool apart = false; ///< two operands that do not belong together met
};

/// left after right, element by element; nothing is taken to be aligned.
inline void compose(std::byte* to, const std::byte* left, const std::byte* right, std::size_t count,
                    const void* state) {
    auto& record = **static_cast<reduction_record* const*>(state);
    ++record.calls;
    for (std::size_t i = 0; i < count; ++i, ++record.elements) {
        affine l{};
        affine r{};
        std::memcpy(&l, left + i * sizeof l, sizeof l);
        std::memcpy(&r, right + i * sizeof r, sizeof r);
        record.apart = record.apart || l.index != r.index || l.index != record.elements;
        const affine both{l.a * r.a, l.a * r.b + l.b, l.index};
        std::memcpy(to + i * sizeof both, &both, sizeof both);
    }
}

inline bytes affine_data(std::size_t count, std::uint32_t seed) {
    bytes data(count * sizeof(affine));
    for (std::uint32_t i = 0; i < count; ++i) {
        const affine element{i * 2654435761U + seed, seed * 40503U + i, i};
        std::memcpy(data.data() + i * sizeof element, &element, sizeof element);
    }
    return data;
}

/// to = local ∘ incoming with the incoming on either side, in place and out of place, for few and many elements that
/// fit no power of two; the reducer sees each element once, whole and in order.
template <contract_fixture Fixture>
void reductions_combine(std::size_t count) {
    for (const bool incoming_left : {false, true})
        for (const bool in_place : {false, true})
            Fixture{}.run(2, [=](auto& t) {
                courier c{t};
                const auto mine = affine_data(count, static_cast<std::uint32_t>(t.rank()));
                const auto theirs = affine_data(count, static_cast<std::uint32_t>(1 - t.rank()));
                auto local = mine;
                bytes apart(in_place ? 0 : local.size());
                bytes& to = in_place ? local : apart;
                reduction_record seen;
                reduction_record* state = &seen;
                const reducer op{compose, &state, sizeof(affine)};
                c.send({1, 0}, 1 - t.rank(), mine);
                c.reduce({1, 0}, 1 - t.rank(), to, local, op, incoming_left);
                c.finish("a receive-and-reduce completes");

                expect(seen.elements == count && !seen.apart, "the reducer sees every element once, in order");
                bytes expected(mine.size());
                reduction_record ignored;
                state = &ignored;
                compose(expected.data(), incoming_left ? theirs.data() : mine.data(),
                        incoming_left ? mine.data() : theirs.data(), count, &state);
                expect(to == expected, "the incoming is on the side that was asked for");
                expect(in_place || local == mine, "the local operand is untouched when the result goes elsewhere");
            });
}

/// A reduction that does not match reduces nothing.
template <contract_fixture Fixture>
void mismatched_reductions_reduce_nothing() {
    Fixture{}.run(2, [](auto& t) {
        courier c{t};
        const auto out = affine_data(9, 1);
        if (t.rank() == 0) {
            c.send({1, 0}, 1, out);
            c.finish("a mismatched message leaves its sender free");
            return;
        }
        auto local = affine_data(10, 2);
        const auto before = local;
        reduction_record seen;
        reduction_record* state = &seen;
        const reducer op{compose, &state, sizeof(affine)};
        const auto& x = c.reduce({1, 0}, 0, local, local, op, false);
        c.finish("a mismatched reduction completes");
        expect(x.status == transport::transfer_status::mismatched, "lengths are compared before anything is reduced");
        expect(seen.elements == 0 && local == before, "a mismatched message is not reduced");
    });
}

} // namespace tutti::test
