// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

namespace tutti::test {

/// A rank dies. The others are told, see its channels broken, and lose nothing else: nothing blocks or throws, and
/// they go on talking to each other.
template <killing_fixture Fixture>
void death_of_a_peer_shows() {
    milestone started;
    milestone checked;
    Fixture fixture;
    fixture.run(3, [&](auto& t) {
        courier c{t};
        bytes small(8);
        bytes large(20'000'000);
        for (int peer = 0; peer < 3; ++peer) {
            if (peer == t.rank()) continue;
            c.send({1, 0}, peer, small);
            c.receive({1, 0}, peer, small);
        }
        c.finish("all three know each other");
        if (t.rank() == 2) {
            c.meet(started, 2, "the others count on the victim");
            return fixture.kill(2);
        }
        const auto& never = c.receive({1, 0}, 2, small);
        c.send({1, 0}, 2, large);
        started.reach();
        const auto n = c.await(transport::notice_kind::lost, "the others are told of a death");
        expect(n.rank == 2 && !n.text.empty(), "it is said who died, and how that was noticed");
        c.until([&] { return t.broken(2).has_value(); }, "the dead peer's channel is broken");
        expect(!t.broken(2)->empty(), "it is said how the channel broke");
        expect(is_pending(never), "what a dead peer did not send does not arrive");
        c.send({1, 0}, 2, small);
        c.send({1, 1}, 2, large);
        c.receive({1, 1}, 2, small);

        const int other = 1 - t.rank();
        bytes in(large.size());
        const auto& sent = c.send({1, 0}, other, large);
        const auto& received = c.receive({1, 0}, other, in);
        c.finish(sent, "survivors can send");
        c.finish(received, "survivors can receive");
        expect(!t.broken(other), "survivors are not broken");
        checked.reach();
        c.meet(checked, 2, "both survivors have looked");
        t.close({1, 0});
        t.close({1, 1});
    });
}

} // namespace tutti::test
