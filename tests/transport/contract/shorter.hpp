// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

namespace tutti::test {

/// A receive that may be shorter takes messages of any length up to its own, and tells it. Longer ones, and those of
/// another signature, are mismatched. The receives are posted before the messages come, or after.
template <contract_fixture Fixture>
void shorter_messages_tell_their_length(bool late) {
    constexpr std::array<std::size_t, 6> lengths{0, 1, 24, 216, 4095, 4096};
    milestone ready, sent;
    Fixture{}.run(2, [&](auto& t) {
        courier c{t};
        const auto out = pattern(10'000, 3);
        if (t.rank() == 0) {
            if (!late) c.meet(ready, 1, "the receives are posted");
            for (const std::size_t n : lengths) c.send({1, 0}, 1, out.data(), n);
            c.send({1, 0}, 1, out.data(), 4097);
            c.send({1, 0}, 1, out.data(), 24, courier<std::remove_reference_t<decltype(t)>>::usual_signature + 1);
            c.send({1, 0}, 1, out.data(), 10'000);
            sent.reach();
            c.finish("varying messages leave their sender free");
            return;
        }
        if (late) c.meet(sent, 1, "the messages are sent");
        std::array<bytes, lengths.size() + 2> in;
        std::array<transport::transfer*, in.size()> got{};
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i].resize(transport::most_varying_bytes);
            got[i] = &c.receive_up_to({1, 0}, 0, in[i]);
        }
        bytes exact(10'000);
        const auto& good = c.receive({1, 0}, 0, exact);
        ready.reach();
        c.finish("varying messages complete their receives");
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            expect(is_done(*got[i]) && got[i]->bytes == lengths[i], "a shorter message tells its length");
            expect(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(lengths[i]), in[i].begin()),
                   "a shorter message is intact");
        }
        for (std::size_t i = lengths.size(); i < got.size(); ++i)
            expect(got[i]->status == transport::transfer_status::mismatched, "a longer or foreign one is mismatched");
        expect(is_done(good) && exact == out, "a message of one length follows");
    });
}

} // namespace tutti::test
