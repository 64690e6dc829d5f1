// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

namespace tutti::test {

/// One rank aborts a communicator: each rank, itself too, gets the verdict with the reason.
template <contract_fixture Fixture>
void aborts_reach_everyone() {
    milestone ready;
    milestone told;
    Fixture{}.run(4, [&](auto& t) {
        courier c{t};
        transport::notice n;
        expect(!t.fetch(n), "there is no news at first");
        ready.reach();
        c.meet(ready, 4, "everyone is there");
        if (t.rank() == 1) {
            n.kind = transport::notice_kind::abort;
            n.communicator = 77;
            n.members = t.size();
            n.text = "enough";
            t.tell(n);
        }
        const auto verdict = c.await(transport::notice_kind::verdict, "everyone gets the verdict");
        expect(verdict.why == cause::aborted && verdict.communicator == 77, "the verdict says what was aborted");
        expect(verdict.peer == 1, "the verdict says who aborted");
        expect(verdict.text.find("enough") != std::string::npos, "the verdict gives the reason");
        told.reach();
        c.meet(told, 4, "everyone was told");
    });
}

/// A timeout that one rank reports while another sleeps in the same call: the sleeper is asked, and when it does not
/// answer the coordinator decides by itself, in time.
template <contract_fixture Fixture>
void timeouts_are_decided() {
    Fixture{}.run(3, [](auto& t) {
        courier c{t};
        if (t.rank() == 0) {
            transport::notice n;
            n.kind = transport::notice_kind::timeout;
            n.communicator = 5;
            n.members = t.size();
            n.peer = 2;
            n.call = "barrier";
            t.tell(n);
        }
        const auto verdict = c.await(transport::notice_kind::verdict, "a reported timeout ends in a verdict");
        expect(verdict.why == cause::timeout && verdict.communicator == 5, "the verdict says what timed out");
        expect(verdict.peer == 2, "who was waited for and did not answer is at fault");
        c.linger(std::chrono::milliseconds{200});
    });
}

/// Who leaves is seen to have left in good order, and what it had sent before still arrives.
template <contract_fixture Fixture>
void leaving_is_announced() {
    Fixture{}.run(3, [](auto& t) {
        courier c{t};
        const bytes data(8, std::byte{3});
        if (t.rank() == 2) {
            c.send({1, 0}, 0, data);
            c.send({1, 0}, 1, data);
            c.finish("small sends complete");
            return;
        }
        t.open({1, 0}, 2);
        const auto n = c.await(transport::notice_kind::departed, "the others are told who leaves");
        expect(n.rank == 2, "it is said who left");
        bytes in(8);
        const auto& last = c.receive({1, 0}, 2, in);
        c.finish(last, "what a rank had sent before it left arrives");
        expect(in == data, "what a rank had sent before it left is intact");

        bytes back(8);
        c.send({1, 0}, 1 - t.rank(), data);
        c.receive({1, 0}, 1 - t.rank(), back);
        c.finish("those who stay go on");
    });
}

} // namespace tutti::test
