// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/split.hpp>

#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/lowering/lower.hpp>
#include <collectives/schedule/verify_modes.hpp>

#include "hand_made.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace tutti::schedule;
using namespace tutti::test;
using tutti::algorithm::any;

namespace {

/// A rank's buffers whose parts are displaced: one part at most is in a step that uses them.
bool is_split(const program& p, int rank, const displaced_buffers& displaced) {
    const int width = part_width(p.what, p.size, p.chunks);
    const auto fits = [&](const place& x) {
        return !displaced.has(x.where) || x.first / width == (x.first + x.count - 1) / width;
    };
    for (const step& s : p.ranks[static_cast<std::size_t>(rank)]) {
        if (writes_to(s) && !fits(s.to)) return false;
        for (int k = 0; k < sources(s); ++k)
            if (!fits(source(s, k))) return false;
    }
    return true;
}

/// Messages in as many parts at both ends, as verify wants them. The engine's ends may differ: see split_at_parts.
std::vector<step> in_parts(std::vector<step> steps, int width) {
    std::vector<step> made;
    for (const step& s : steps) {
        const place x = writes_to(s) ? s.to : s.from;
        for (int c = x.first, n = 0; c < x.first + x.count; c += n) {
            n = communicates(s) ? std::min(x.first + x.count - c, width - c % width) : x.count;
            made.push_back(s);
            if (reads_from(s)) made.back().from = {s.from.where, c, n};
            if (writes_to(s)) made.back().to = {s.to.where, c, n};
            made.back().joined = s.joined || (communicates(s) && c + n < x.first + x.count);
        }
    }
    return made;
}
program split(const program& whole, const displaced_buffers& displaced) {
    program p = whole;
    p.segments = 1;
    p.parts.clear();
    for (std::size_t r = 0; r < p.ranks.size(); ++r) {
        p.ranks[r] = split_at_parts(p.what, p.size, p.chunks, displaced, p.ranks[r]);
        REQUIRE(is_split(p, static_cast<int>(r), displaced));
        p.ranks[r] = in_parts(p.ranks[r], part_width(p.what, p.size, p.chunks));
    }
    return p;
}

} // namespace

TEST_CASE("a step on several parts of a displaced buffer becomes several, a message one of several parts") {
    const step two = send(1, out(1, 3));
    const displaced_buffers output{false, true}, input{true, false};
    CHECK(split_at_parts(operation::allgather, 2, 4, output, {two, copy(in(0, 2), out(0, 2))}) ==
          std::vector<step>{joined(send(1, out(1))), send(1, out(2, 2)), copy(in(0, 2), out(0, 2))});
    CHECK(split_at_parts(operation::allgather, 2, 4, input, {two}) == std::vector<step>{two});
    CHECK(split_at_parts(operation::allgather, 4, 4, output,
                         {joined(receive(1, out(0, 2))), receive(1, bank(0, 2, 2))}) ==
          std::vector<step>{joined(receive(1, out(0))), joined(receive(1, out(1))), receive(1, bank(0, 2, 2))});
    CHECK(split_at_parts(operation::allgather, 4, 4, output, {copy(bank(0, 0, 4), out(0, 4))}).size() == 4);
}

TEST_CASE("every algorithm is proven with displaced parts, in every mode") {
    for (const auto o : {operation::allgather, operation::gather, operation::scatter, operation::alltoall})
        for (const any& how : tutti::algorithm::all(o, 3))
            for (int size = 1; size <= 9; ++size)
                for (const int segments : {1, 2}) {
                    INFO(how.name() << " " << name_of(o) << " on " << size << " ranks");
                    const program apart = how.write(o, size, size / 2, false, segments);
                    const program in_place = how.write(o, size, size / 2, true, segments);
                    for (const displaced_buffers d : {displaced_buffers{true, false}, {false, true}, {true, true}}) {
                        const program a = split(apart, d), b = split(in_place, d);
                        REQUIRE(verify_modes(a, b).message() == "proven");
                        REQUIRE(verify_modes(packed(a), packed(b)).message() == "proven");
                        REQUIRE(verify_modes(lowered(a), lowered(b)).message() == "proven");
                    }
                }
}
