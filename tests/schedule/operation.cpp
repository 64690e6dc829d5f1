// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/cut.hpp>
#include <collectives/schedule/operation.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace tutti::schedule;

namespace {

constexpr chunk_window of(operation o, int rank, buffer b, int root = 0) { return window(o, {rank, 4, root}, b, 8); }
constexpr chunk_range all{0, 8}, none{0, 0};

} // namespace

TEST_CASE("every operation has a name of its own") {
    std::set<std::string> names;
    for (const operation o : operations) names.insert(std::string(name_of(o)));
    CHECK(names == std::set<std::string>{"allgather", "allreduce", "alltoall", "broadcast", "exscan", "gather",
                                         "reduce", "reduce_scatter", "scan", "scatter"});
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
    CHECK(those(has_shards) == std::set{reduce_scatter, allgather, gather, scatter, alltoall});
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

TEST_CASE("an alltoall's input has every P-th block, its output P blocks in a row") {
    const auto ids_of = [](const chunk_window& w) {
        std::vector<int> ids;
        w.each([&](int id) { ids.push_back(id); });
        return ids;
    };
    const position at{1, 3};
    const chunk_window in = window(operation::alltoall, at, buffer::input, 18);
    const chunk_window out = window(operation::alltoall, at, buffer::output, 18);
    CHECK(ids_of(in) == std::vector{2, 3, 8, 9, 14, 15});
    CHECK(ids_of(out) == std::vector{6, 7, 8, 9, 10, 11});
    for (const chunk_window& w : {in, out}) {
        const std::vector<int> ids = ids_of(w);
        REQUIRE(w.count() == static_cast<int>(ids.size()));
        for (std::size_t i = 0; i < ids.size(); ++i) CHECK(w.index_of(ids[i]) == static_cast<int>(i));
        for (int first = -2; first < 20; ++first)
            for (int count = 0; count < 8; ++count) {
                bool all_in_a_row = count > 0;
                for (int c = first; c < first + count; ++c)
                    all_in_a_row = all_in_a_row && std::find(ids.begin(), ids.end(), c) != ids.end();
                if (count > 0) CHECK(w.holds({buffer::input, first, count}) == all_in_a_row);
            }
        CHECK_FALSE(w.holds({buffer::input, ids[0], 2147483647}));
        CHECK_FALSE(w.holds({buffer::input, 2147483647, 2}));
        CHECK_FALSE(w.holds({buffer::input, -2147483647 - 1, 2147483647}));
    }
    const layout cut = cut_of(operation::alltoall, 3, 18, 1, 15); // blocks of 5 elements, in pieces of 2 and 3
    CHECK(elements_of(cut, in) == 15);
    CHECK(elements_of(cut, out) == 15);
    CHECK(offset_of(cut, in, 8) == 5);
    CHECK(offset_of(cut, in, 15) == 12);
    CHECK(offset_of(cut, out, 8) == 5);
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
