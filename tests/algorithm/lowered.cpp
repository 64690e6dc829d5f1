// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/all.hpp>

#include <collectives/schedule/lowering/lower.hpp>
#include <collectives/schedule/verify_modes.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"

#include <algorithm>
#include <cstddef>

using namespace tutti;
using schedule::program;

namespace {

bool is_lowered(const program& p) {
    return std::none_of(p.ranks.begin(), p.ranks.end(), [](const auto& steps) {
        return std::any_of(steps.begin(), steps.end(),
                           [](const auto& s) { return s.what == schedule::action::receive_reduce; });
    });
}

/// Every other rank as it was: ranks of one call may differ.
program mixed(const program& whole) {
    program some = schedule::lowered(whole);
    for (std::size_t r = 0; r < whole.ranks.size(); r += 2) some.ranks[r] = whole.ranks[r];
    return some;
}

/// The call is proven in both modes when it is lowered on all ranks, and when it is on some.
void prove_lowered(const algorithm::any& a, schedule::operation o, int size, int root, int segments) {
    const program apart = a.write(o, size, root, false, segments), in_place = a.write(o, size, root, true, segments);
    INFO(a.name() << " " << name_of(o) << " on " << size << " ranks, root " << root);
    REQUIRE(is_lowered(schedule::lowered(apart)));
    REQUIRE(is_lowered(schedule::lowered(in_place)));
    const schedule::proof whole = schedule::verify_modes(apart, in_place);
    const schedule::proof low = schedule::verify_modes(schedule::lowered(apart), schedule::lowered(in_place));
    REQUIRE(low.message() == "proven");
    CHECK(low.preserves_order == whole.preserves_order);
    CHECK(low.measured.depth == whole.measured.depth);
    CHECK(low.measured.sent == whole.measured.sent);
    CHECK(low.measured.received == whole.measured.received);
    const schedule::proof in_row = schedule::verify_modes(schedule::packed(apart), schedule::packed(in_place));
    REQUIRE(in_row.message() == "proven");
    CHECK(in_row.measured == whole.measured);
    REQUIRE(schedule::verify_modes(mixed(apart), mixed(in_place)).message() == "proven");
    REQUIRE(schedule::verify_modes(mixed(apart), schedule::lowered(in_place)).message() == "proven");
}

void prove_lowered(const algorithm::any& a, int most) {
    for (int size = 1; size <= most; ++size)
        for (const auto o : schedule::operations)
            for (const int root : {0, size / 2, size - 1})
                for (const int segments : {1, 3})
                    if (a.offers(o) && (schedule::has_root(o) || root == 0)) prove_lowered(a, o, size, root, segments);
}

} // namespace

TEST_CASE("every algorithm is proven when it is packed, and when its receive_reduces are lowered, on all ranks or on "
          "some, in every mode") {
    const int most = test::sanitized ? 12 : 17;
    for (const algorithm::any& a : algorithm::all(4)) prove_lowered(a, most);
    for (const int ranks_per_node : {2, 3})
        for (const algorithm::any& a : algorithm::compositions(ranks_per_node)) prove_lowered(a, most);
}
