// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/start.hpp>

#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/lowering/lower.hpp>
#include <collectives/schedule/verify_modes.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace tutti;
using schedule::buffer, schedule::program, schedule::step;

namespace {

/// The program of ranks whose input is changed before it travels.
program started(const algorithm::any& a, const program& p, int segments) {
    const program apart = a.write(p.what, p.size, p.root, false, segments);
    const program in_place = a.write(p.what, p.size, p.root, true, segments);
    program made = p;
    made.segments = 1;
    made.parts.clear();
    for (int r = 0; r < p.size; ++r) {
        const auto rank = static_cast<std::size_t>(r);
        const bool in_output = before_start(p.what, p.at(r), p.chunks).in_place;
        made.ranks[rank] = schedule::started(p.what, p.at(r), p.chunks, (in_output ? in_place : apart).ranks[rank]);
    }
    return made;
}

/// Copies alone read the input, each chunk once, before anything else uses the place that they copy to.
bool changes_once(const program& p) {
    for (const std::vector<step>& steps : p.ranks) {
        std::vector<int> copies(static_cast<std::size_t>(p.chunks), 0);
        for (const step& s : steps)
            for (int k = 0; k < sources(s); ++k) {
                if (source(s, k).where != buffer::input) continue;
                if (s.what != schedule::action::copy) return false;
                for (int c = s.from.first; c < s.from.first + s.from.count; ++c)
                    if (++copies[static_cast<std::size_t>(c)] > 1) return false;
            }
    }
    return true;
}
/// No step copies a place to itself, which memcpy must not do.
bool copies_apart(const program& p) {
    return std::all_of(p.ranks.begin(), p.ranks.end(), [](const auto& steps) {
        return std::none_of(steps.begin(), steps.end(),
                            [](const step& s) { return s.what == schedule::action::copy && s.from == s.to; });
    });
}

void prove_started(const algorithm::any& a, schedule::operation o, int size, int root, int segments) {
    const program apart = a.write(o, size, root, false, segments), in_place = a.write(o, size, root, true, segments);
    INFO(a.name() << " " << name_of(o) << " on " << size << " ranks, root " << root);
    const program new_apart = started(a, apart, segments), new_in_place = started(a, in_place, segments);
    for (const program* p : {&new_apart, &new_in_place}) {
        REQUIRE(changes_once(*p));
        REQUIRE(copies_apart(*p));
    }
    const schedule::proof whole = schedule::verify_modes(apart, in_place);
    const schedule::proof found = schedule::verify_modes(new_apart, new_in_place);
    REQUIRE(found.message() == "proven");
    CHECK(found.preserves_order == whole.preserves_order);
    CHECK(found.measured.depth == whole.measured.depth);
    CHECK(found.measured.sent == whole.measured.sent);
    CHECK(found.measured.received == whole.measured.received);
    REQUIRE(schedule::verify_modes(schedule::lowered(new_apart), schedule::lowered(new_in_place)).message() ==
            "proven");
    REQUIRE(schedule::verify_modes(schedule::packed(new_apart), schedule::packed(new_in_place)).message() == "proven");
}

void prove_started(const algorithm::any& a, int most) {
    for (int size = 1; size <= most; ++size)
        for (const auto o : schedule::operations)
            for (const int root : {0, size / 2, size - 1})
                for (const int segments : {1, 3})
                    if (schedule::reduces(o) && a.offers(o) && (schedule::has_root(o) || root == 0))
                        prove_started(a, o, size, root, segments);
}

} // namespace

TEST_CASE("every algorithm that reduces is proven when its input is copied first, in every mode") {
    const int most = test::sanitized ? 9 : 17;
    for (const algorithm::any& a : algorithm::all(4)) prove_started(a, most);
    for (const int ranks_per_node : {2, 3})
        for (const algorithm::any& a : algorithm::compositions(ranks_per_node)) prove_started(a, most);
}

TEST_CASE("a copy stands before the first use of its chunks, and before a message with all of its parts") {
    using namespace schedule;
    const auto in = [](int first, int count = 1) { return place{buffer::input, first, count}; };
    const auto out = [](int first, int count = 1) { return place{buffer::output, first, count}; };
    const auto bank = [](int first, int count = 1) { return place{scratch(0), first, count}; };
    const std::vector<step> list{joined(send(1, in(3))), send(1, in(0)), receive_reduce(1, in(1), out(1), side::left)};
    CHECK(started(operation::allreduce, {0, 2, 0, false}, 4, list) ==
          std::vector<step>{copy(in(3), out(3)), copy(in(0), out(0)), joined(send(1, out(3))), send(1, out(0)),
                            copy(in(1), out(1)), receive_reduce(1, out(1), out(1), side::left)});
    const std::vector<step> writes_first{receive(1, out(0)), reduce(in(0), out(0), side::left), send(1, in(1))};
    CHECK(started(operation::reduce_scatter, {0, 2, 0, false}, 2, writes_first) ==
          std::vector<step>{receive(1, out(0)), copy(in(0), bank(0)), reduce(bank(0), out(0), side::left),
                            copy(in(1), bank(1)), send(1, bank(1))});
    CHECK(started(operation::reduce_scatter, {0, 2, 0, true}, 2, writes_first) ==
          std::vector<step>{copy(in(0), bank(0)), receive(1, out(0)), reduce(bank(0), out(0), side::left),
                            copy(in(1), bank(1)), send(1, bank(1))});
}
