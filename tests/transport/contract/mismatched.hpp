// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

namespace tutti::test {

/// A message of another signature or length completes its receive as mismatched and touches nothing; the next message
/// is as good as ever. Small and large.
template <contract_fixture Fixture>
void mismatches_are_caught() {
    constexpr std::uint64_t call = 1;
    constexpr std::uint64_t other_call = 2;
    for (const std::size_t size : {std::size_t{16}, std::size_t{100'000}})
        Fixture{}.run(2, [size](auto& t) {
            courier c{t};
            const auto out = pattern(size, 3);
            if (t.rank() == 0) {
                c.send({1, 0}, 1, out.data(), size, call);     // received as another call
                c.send({1, 0}, 1, out.data(), size, call);     // received shorter
                c.send({1, 0}, 1, out.data(), size / 2, call); // received longer
                c.send({1, 0}, 1, out.data(), size, call);     // received well
                c.finish("mismatched messages leave their sender free");
                return;
            }
            bytes in(size);
            const auto untouched = in;
            const auto& signature = c.receive({1, 0}, 0, in.data(), size, other_call);
            const auto& shorter = c.receive({1, 0}, 0, in.data(), size / 2, call);
            const auto& longer = c.receive({1, 0}, 0, in.data(), size, call);
            c.finish("mismatched messages complete their receives");
            for (const auto* x : {&signature, &shorter, &longer})
                expect(x->status == transport::transfer_status::mismatched, "signature and length are both compared");
            expect(in == untouched, "nothing of a mismatched message is delivered");
            const auto& good = c.receive({1, 0}, 0, in.data(), size, call);
            c.finish("a good message follows mismatched ones");
            expect(is_done(good) && in == out, "the message after mismatched ones is delivered");
        });
}

} // namespace tutti::test
