// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bind.hpp"

namespace tutti::tools {

call bind(const any_world& world, const job& what, const buffers& where) {
    runtime_call c{what.what,   what.type,    what.op,   what.count,
                   where.input, where.output, what.root, what.algorithm.algorithm};
    if (what.in_place) {
        std::byte* const own = where.output + static_cast<std::size_t>(what.rank) * what.count * size_of(what.type);
        const bool has_part = what.sharded() && (!has_root(what.what) || what.rank == what.root);
        c.input = has_part && gathers(what.what) ? own : where.output;
        if (has_part && !gathers(what.what) && what.what != operation::alltoall) c.output = own;
    }
    return [world, c] { issue(world, c); };
}

} // namespace tutti::tools
