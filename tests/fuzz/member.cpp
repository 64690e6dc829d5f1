// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A member of the world, as it asks to join and as it stands in the table; and who sits where.
//
// Invariants: written again it is the same bytes; an roll_call seats each rank of its own world once.

#include <transport/bootstrap/members.hpp>

#include "input.hpp"

using namespace tutti::transport::bootstrap;
using namespace tutti::fuzz;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    roll_call seats(static_cast<int>(1 + in.below(4)));
    byte_reader r(in.rest());
    for (int present = 0; r.ok() && !r.finished();) {
        const member m = read_member(r);
        std::vector<std::byte> written;
        byte_writer w(written);
        write_member(w, m);
        byte_reader again(written);
        demand(read_member(again) == m && again.finished(), "a member written again is the same");
        if (!r.ok()) break;
        const bool fits = m.size == seats.size() && m.rank >= 0 && m.rank < m.size;
        const auto objection = seats.admit(m);
        demand(fits || objection, "no stranger is seated");
        present += !objection;
        demand(seats.present() == present && present <= seats.size(), "each rank sits once");
        demand(seats.missing().size() == static_cast<std::size_t>(seats.size() - present), "the others are missing");
    }
    if (!seats.complete()) return 0;
    const world_table table{1, seats.members()};
    demand(table.nodes().size() == table.members.size(), "each rank has a host");
    static_cast<void>(table.crowded(0));
    return 0;
}
