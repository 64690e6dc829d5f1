// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/operation.hpp>

#include "support/catch.hpp"

#include <set>
#include <string>

using namespace tutti::schedule;

namespace {

constexpr chunk_range of(operation o, int rank, buffer b, int root = 0) { return window(o, {rank, 4, root}, b, 8); }
constexpr chunk_range all{0, 8}, none{0, 0};

} // namespace

TEST_CASE("every operation has a name of its own") {
    std::set<std::string> names;
    for (const operation o : operations) names.insert(std::string(name_of(o)));
    CHECK(names == std::set<std::string>{"allgather", "allreduce", "broadcast", "exscan", "gather", "reduce",
                                         "reduce_scatter", "scan", "scatter"});
}

TEST_CASE("operations have a root, shards or an operator, or not") {
    using enum operation;
    const auto those = [](bool (*has)(operation) noexcept) {
        std::set<operation> found;
        for (const operation o : operations)
            if (has(o)) found.insert(o);
        return found;
    };
    CHECK(those(has_root) == std::set{reduce, broadcast, gather, scatter});
    CHECK(those(has_shards) == std::set{reduce_scatter, allgather, gather, scatter});
    CHECK(those(reduces) == std::set{allreduce, reduce_scatter, reduce, scan, exscan});
    CHECK(those(gathers) == std::set{allgather, gather});
    CHECK(those(is_scan) == std::set{scan, exscan});
}

TEST_CASE("the user's buffers hold what the operation gives them: everything, a shard, or nothing") {
    for (int rank = 0; rank < 4; ++rank) {
        const chunk_range shard{2 * rank, 2 * rank + 2};
        CHECK(of(operation::allreduce, rank, buffer::input) == all);
        CHECK(of(operation::allreduce, rank, buffer::output) == all);
        CHECK(of(operation::reduce_scatter, rank, buffer::input) == all);
        CHECK(of(operation::reduce_scatter, rank, buffer::output) == shard);
        CHECK(of(operation::allgather, rank, buffer::input) == shard);
        CHECK(of(operation::allgather, rank, buffer::output) == all);
        CHECK(of(operation::reduce, rank, buffer::input, 2) == all);
        CHECK(of(operation::reduce, rank, buffer::output, 2) == (rank == 2 ? all : none));
        CHECK(of(operation::broadcast, rank, buffer::input, 2) == (rank == 2 ? all : none));
        CHECK(of(operation::broadcast, rank, buffer::output, 2) == all);
        CHECK(of(operation::gather, rank, buffer::input, 2) == shard);
        CHECK(of(operation::gather, rank, buffer::output, 2) == (rank == 2 ? all : none));
        CHECK(of(operation::scatter, rank, buffer::input, 2) == (rank == 2 ? all : none));
        CHECK(of(operation::scatter, rank, buffer::output, 2) == shard);
        CHECK(of(operation::scan, rank, buffer::input) == all);
        CHECK(of(operation::scan, rank, buffer::output) == all);
        CHECK(of(operation::exscan, rank, buffer::input) == all);
        CHECK(of(operation::exscan, rank, buffer::output) == (rank > 0 ? all : none));
    }
}

TEST_CASE("a range of chunks holds a place that lies wholly inside, with no overflow for any count") {
    constexpr chunk_range range{2, 6};
    STATIC_REQUIRE(range.count() == 4);
    for (int first = -3; first < 9; ++first)
        for (int count = -2; count < 9; ++count)
            CHECK(range.holds({buffer::input, first, count}) == (count >= 0 && first >= 2 && first + count <= 6));
    CHECK_FALSE(range.holds({buffer::input, 2, 2147483647}));
    CHECK_FALSE(range.holds({buffer::input, 2147483647, 2}));
    CHECK_FALSE(range.holds({buffer::input, -2147483647 - 1, 2147483647}));
}
