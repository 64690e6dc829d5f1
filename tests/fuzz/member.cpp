// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A member of the world, as it asks to join and as it stands in the table; and who sits where.
//
// Invariants: written again it is the same bytes; a roll_call seats each rank of its own world once;
// no two ranks of a host get the same processor, nor any that they may not run on.

#include <transport/contract/members.ipp>
#include <transport/control/member_codec.hpp>
#include <transport/control/roll_call.hpp>

#include "input.hpp"

#include <set>
#include <string>
#include <utility>

using namespace tutti::transport::bootstrap;
using namespace tutti::fuzz;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    roll_call seats(static_cast<int>(1 + in.below(4)));
    tutti::detail::byte_reader r(in.rest());
    for (int present = 0; r.ok() && !r.finished();) {
        const member m = read_member(r);
        std::vector<std::byte> written;
        tutti::detail::byte_writer w(written);
        write_member(w, m);
        tutti::detail::byte_reader again(written);
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
    std::set<std::pair<std::string, int>> taken;
    for (int rank = 0; rank < seats.size(); ++rank) {
        const member& m = table.members[static_cast<std::size_t>(rank)];
        const auto given = table.processor_of(rank);
        if (!given) continue;
        processor_set mine{*given};
        mine.keep(m.may_use.processors);
        demand(!mine.empty() && taken.emplace(m.host_id, *given).second, "a rank's processor is its own");
    }
    return 0;
}
