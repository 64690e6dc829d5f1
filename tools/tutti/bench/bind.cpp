// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bind.hpp"
#include "pattern.hpp"

#include <cstring>

namespace tutti::tools {

described_call describe(const job& what, const buffers& where) {
    described_call described;
    runtime_call& c = described.call;
    c = {what.what, what.type, what.op, what.count, where.input, where.output, what.root, what.algorithm.algorithm};
    if (what.in_place) {
        std::byte* const own = where.output + what.part_begins(what.rank) * size_of(what.type);
        const bool has_part = what.sharded() && (!has_root(what.what) || what.rank == what.root);
        c.input = has_part && gathers(what.what) ? own : where.output;
        if (has_part && !gathers(what.what) && what.what != operation::alltoall) c.output = own;
    }
    if (what.uneven) {
        c.count = what.part(what.rank);
        for (int rank = 0; rank < what.ranks; ++rank)
            described.counts.push_back(what.what == operation::alltoall ? what.block(what.rank, rank)
                                                                        : what.part(rank));
    }
    visit_type(what.type, [&]<class T>(std::type_identity<T>) {
        const auto x = factor_of<T>(what.op, what.rank);
        std::memcpy(described.factor.data(), &x, sizeof x);
    });
    return described;
}

call bind(const any_communicator& world, const job& what, const buffers& where) {
    if (what.barrier) return [world] { world.barrier(); };
    return [world, c = describe(what, where)]() mutable { issue(world, c.ready()); };
}

} // namespace tutti::tools
