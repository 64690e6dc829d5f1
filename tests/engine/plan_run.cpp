// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/plan_run.hpp>

#include <collectives/algorithm/ring.hpp>

#include "support/catch.hpp"

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <numeric>

using namespace tutti;
using schedule::buffer;
using schedule::place;

namespace {

/// A transport that does nothing by itself: the test says what completes, and when.
class script {
public:
    struct channel {
        int peer;
    };
    struct started {
        bool is_send;
        int peer;
        transport::transfer* x;
    };

    [[nodiscard]] int rank() const { return 0; }
    [[nodiscard]] int size() const { return 4; }
    static constexpr transport::medium near = transport::medium::memory, far = near;
    [[nodiscard]] int node(int) const { return 0; }
    [[nodiscard]] bool crowded() const { return false; }
    channel& open(transport::context k, int peer) {
        contexts.push_back(k);
        return channels_.emplace_back(channel{peer});
    }
    void send(channel& h, transport::transfer& x) { list.push_back({true, h.peer, &x}); }
    void receive(channel& h, transport::transfer& x) { list.push_back({false, h.peer, &x}); }
    [[nodiscard]] const std::byte* look(channel& h, const transport::transfer& x) {
        looks.push_back(h.peer);
        return lying[&x];
    }
    [[nodiscard]] bool release(channel& h, const transport::transfer& x) {
        releases.push_back(h.peer);
        return lying[&x] != nullptr;
    }
    bool progress() { return false; }
    void wait(transport::clock::time_point) {}
    void wake() {}
    void close(transport::context) {}
    void tell(const transport::notice&) {}
    [[nodiscard]] bool fetch(transport::notice&) { return false; }
    [[nodiscard]] std::optional<std::string> broken(int) { return {}; }
    [[nodiscard]] transport::peer_name name_of(int) const { return {}; }

    std::vector<started> list; ///< in the order of the starts
    std::vector<transport::context> contexts;
    std::map<const transport::transfer*, const std::byte*> lying; ///< what is viewed; null: taken back
    std::vector<int> looks, releases;                             ///< by peer

private:
    std::deque<channel> channels_;
};
static_assert(transport::viewing_transport<script>);

/// An operator that shows the order of its operands.
constexpr auto append = [](int a, int b) { return 10 * a + b; };

/// Rank 0 of 4 with steps of one's own, on 4 ints that begin as 1, 2, 3, 4.
struct stage {
    explicit stage(std::vector<schedule::step> steps, int chunks = 2)
        : run(std::make_shared<const schedule::plan>(
                  schedule::compile(schedule::operation::allreduce, {0, 4, 0, true}, chunks, 1, std::move(steps))),
              3, engine::call{schedule::operation::allreduce, algorithm::ring{}}) {
        std::iota(data.begin(), data.end(), 1);
        members.id = 77;
        members.members = {10, 11, 12, 13};
        begin();
    }
    void begin() {
        c.count = data.size();
        c.element_bytes = sizeof(int);
        c.input = reinterpret_cast<const std::byte*>(data.data());
        c.output = reinterpret_cast<std::byte*>(data.data());
        c.in_place = true;
        run.prepare(members, c, {5, 0});
        wire.list.clear();
        run.begin(held);
    }
    void show(std::size_t i, const int* where) {
        wire.list.at(i).x->viewed = true;
        wire.lying[wire.list.at(i).x] = reinterpret_cast<const std::byte*>(where);
        complete(i);
    }
    void complete(std::size_t i) {
        transport::complete(*wire.list.at(i).x);
        CHECK(run.advance(held));
    }

    std::vector<int> data = std::vector<int>(4);
    engine::call c = [] {
        engine::call made{schedule::operation::allreduce, algorithm::ring{}};
        made.reduce = make_reducer<int>(sum);
        return made;
    }();
    engine::group members;
    transport::any held{script{}};
    script& wire = held.target<script>();
    engine::plan_run run;
};

constexpr place first{buffer::output, 0, 1}, second{buffer::output, 1, 1}, bank{schedule::scratch(0), 0, 1};

} // namespace

TEST_CASE("steps on different chunks and channels start at once, in program order") {
    stage s({schedule::send(1, first), schedule::receive(2, second), schedule::receive(1, bank)});
    REQUIRE(s.wire.list.size() == 3);
    CHECK(s.wire.list[0].is_send);
    CHECK(s.wire.list[0].peer == 11); // ranks of the world
    CHECK(s.wire.list[1].peer == 12);
    CHECK(s.wire.list[2].peer == 11);
    for (const auto& k : s.wire.contexts) CHECK(k == transport::context{77, 3});
}

TEST_CASE("messages say where the data is, how long, and which call they belong to") {
    stage s({schedule::send(1, second), schedule::receive_reduce(1, first, first, schedule::side::left)});
    const auto& out = *s.wire.list[0].x;
    CHECK(out.from == reinterpret_cast<std::byte*>(&s.data[2]));
    CHECK(out.bytes == 2 * sizeof(int));
    CHECK(out.reduce == nullptr);
    const auto& in = *s.wire.list[1].x;
    CHECK(in.to == reinterpret_cast<std::byte*>(&s.data[0]));
    CHECK(in.from == in.to);
    CHECK(in.incoming_left);
    REQUIRE(in.reduce != nullptr);
    CHECK(in.signature == engine::next_signature(0, engine::meaning_of(s.run.what())));
    CHECK(in.signature == out.signature);
}

TEST_CASE("a step waits for the completion of those whose data it needs or overwrites") {
    stage s({schedule::receive(1, first), schedule::send(2, first), schedule::receive(3, first)});
    REQUIRE(s.wire.list.size() == 1);
    s.complete(0); // read after write
    REQUIRE(s.wire.list.size() == 2);
    CHECK(s.wire.list[1].is_send);
    s.complete(1); // write after read
    REQUIRE(s.wire.list.size() == 3);
    CHECK_FALSE(s.run.finished());
    s.complete(2);
    CHECK(s.run.finished());
}

TEST_CASE("on one channel sends start in program order, though a later one's data is there first") {
    stage s(
        {schedule::receive(1, first), schedule::send(2, first), schedule::send(2, second), schedule::send(3, second)});
    REQUIRE(s.wire.list.size() == 2); // the receive, and the send to 3
    CHECK(s.wire.list[1].peer == 13);
    s.complete(0);
    REQUIRE(s.wire.list.size() == 4);
    CHECK(s.wire.list[2].x->from == reinterpret_cast<std::byte*>(&s.data[0]));
    CHECK(s.wire.list[3].x->from == reinterpret_cast<std::byte*>(&s.data[2])); // without waiting for completion
}

TEST_CASE("copies and reductions are done as soon as they may be") {
    stage s(
        {schedule::copy(first, bank), schedule::reduce(bank, first, schedule::side::right), schedule::send(1, first)});
    REQUIRE(s.wire.list.size() == 1);
    CHECK(s.data == std::vector<int>{2, 4, 3, 4});
    s.complete(0);
    CHECK(s.run.finished());
}

TEST_CASE("a step of many operands reduces them from left to right when the last has come") {
    constexpr std::array more{buffer::output, schedule::scratch(1)};
    stage s({schedule::receive(1, bank), schedule::receive(2, place{schedule::scratch(1), 0, 1}),
             schedule::reduce_many(bank, more, first)});
    s.c.reduce = make_reducer<int>(append);
    s.begin();
    const std::array<int, 2> third{7, 8}, before{5, 6};
    std::memcpy(s.wire.list[1].x->to, third.data(), sizeof third);
    s.complete(1);
    CHECK(s.data == std::vector<int>{1, 2, 3, 4});
    std::memcpy(s.wire.list[0].x->to, before.data(), sizeof before);
    s.complete(0);
    CHECK(s.data == std::vector<int>{517, 628, 3, 4});
    CHECK(s.run.finished());
}

TEST_CASE("nobody is waited for whose next message moves only once this rank has read the one before") {
    constexpr std::array more{buffer::output, schedule::scratch(1)};
    stage s({schedule::receive(1, bank), schedule::receive(2, place{schedule::scratch(1), 0, 1}),
             schedule::reduce_many(bank, more, first), schedule::receive(1, second)});
    const std::array<int, 2> before{5, 6}, third{7, 8};
    CHECK(s.run.peers_waited_for(8) == std::vector<std::int32_t>{11, 12});
    s.show(0, before.data());
    CHECK(s.run.step_waiting_for(11) == -1);
    CHECK(s.run.step_waiting_for(12) == 1);
    CHECK(s.run.peers_waited_for(8) == std::vector<std::int32_t>{12});
    REQUIRE(s.wire.list.at(2).peer == 12);
    s.show(2, third.data());
    CHECK(s.run.step_waiting_for(11) == 3);
    CHECK(s.run.peers_waited_for(8) == std::vector<std::int32_t>{11});
}

TEST_CASE("operands that lie elsewhere are read there, and released once the result is there") {
    constexpr std::array more{buffer::output, schedule::scratch(1)};
    stage s({schedule::receive(1, bank), schedule::receive(2, place{schedule::scratch(1), 0, 1}),
             schedule::reduce_many(bank, more, first), schedule::receive(3, second)});
    s.c.reduce = make_reducer<int>(append);
    for (const bool both : {true, false}) { // the other one is stored, as a transport may do
        s.wire.looks = s.wire.releases = {};
        std::iota(s.data.begin(), s.data.end(), 1);
        s.begin();
        CHECK((s.wire.list[0].x->may_view && s.wire.list[1].x->may_view && !s.wire.list[2].x->may_view));
        CHECK_FALSE(s.wire.list[0].x->viewed);
        const std::array<int, 2> third{7, 8}, before{5, 6};
        s.show(1, third.data());
        CHECK(s.wire.looks.empty());
        std::memcpy(s.wire.list[0].x->to, before.data(), both ? 0 : sizeof before);
        if (both)
            s.show(0, before.data());
        else
            s.complete(0);
        CHECK(s.data == std::vector<int>{517, 628, 3, 4});
        CHECK(s.wire.looks == (both ? std::vector<int>{11, 12} : std::vector<int>{12}));
        CHECK(s.wire.releases == s.wire.looks);
        s.complete(2);
        CHECK(s.run.finished());
    }
}

TEST_CASE("what its sender took back is not reduced, and its receive waits again") {
    constexpr std::array more{buffer::output, schedule::scratch(1)};
    stage s({schedule::receive(1, bank), schedule::receive(2, place{schedule::scratch(1), 0, 1}),
             schedule::reduce_many(bank, more, first)});
    const std::array<int, 2> here{7, 8};
    s.show(0, here.data());
    s.show(1, nullptr);
    CHECK(s.data == std::vector<int>{1, 2, 3, 4});
    CHECK(s.wire.releases == std::vector<int>{11, 12}); // whatever was looked at
    CHECK_FALSE(s.run.finished());
    CHECK(s.run.waiting_step() == 1);
    CHECK(s.run.bytes_done() == s.wire.list[0].x->moved);
}

TEST_CASE("a message of another call ends nothing: the run says which step it came for") {
    stage s({schedule::receive(1, first), schedule::receive(2, second)});
    CHECK(s.run.mismatched_step() == -1);
    transport::complete(*s.wire.list[1].x, transport::transfer_status::mismatched);
    CHECK(s.run.advance(s.held));
    CHECK(s.run.mismatched_step() == 1);
    CHECK(s.run.peer_of(1) == 12);
    s.complete(0);
    CHECK_FALSE(s.run.finished());
}

TEST_CASE("a run knows what it waits for and what it has done") {
    stage s({schedule::send(1, first), schedule::receive(2, second)});
    CHECK(s.run.waiting_step() == 1); // receives before sends
    CHECK(s.run.step_waiting_for(11) == 0);
    CHECK(s.run.step_waiting_for(13) == -1);
    CHECK(s.run.bytes_done() == 0);
    s.wire.list[1].x->moved = 8;
    s.complete(1);
    CHECK(s.run.waiting_step() == 0);
    CHECK(s.run.bytes_done() == 8);
    s.complete(0);
    CHECK(s.run.waiting_step() == -1);
    CHECK_FALSE(s.run.advance(s.held));
}

TEST_CASE("a run is used again, without remembering the one before") {
    stage s({schedule::receive(1, first), schedule::send(2, first)});
    s.complete(0);
    s.complete(1);
    CHECK(s.run.finished());
    s.begin();
    CHECK_FALSE(s.run.finished());
    REQUIRE(s.wire.list.size() == 1);
    CHECK(s.run.bytes_done() == 0);
    s.complete(0);
    s.complete(1);
    CHECK(s.run.finished());
}

TEST_CASE("a run that waits for its turn waits for nobody and has done nothing") {
    stage s({schedule::receive(1, first)});
    s.wire.list[0].x->moved = 8;
    s.complete(0);
    s.run.prepare(s.members, s.run.what(), {6, 0});
    CHECK(s.run.state() == engine::run_state::queued);
    CHECK(s.run.bytes_done() == 0);
    CHECK(s.run.waiting_step() == -1);
}
