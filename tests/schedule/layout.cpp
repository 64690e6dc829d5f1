// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/layout.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>

using tutti::schedule::layout;

namespace {

// One assertion a layout: the cross product is large, and each assertion of the test framework costs microseconds.
template <class Check>
void for_each_layout(Check&& check) {
    for (std::size_t count = 0; count <= 40; ++count)
        for (int chunks = 1; chunks <= 9; ++chunks)
            for (int segments = 1; segments <= 5; ++segments) {
                INFO(count << " elements, " << chunks << " chunks, " << segments << " segments");
                CHECK(check(layout(count, chunks, segments), count, chunks, segments));
            }
}

std::size_t length(const layout& l, int id) { return l.bound(id + 1) - l.bound(id); }

} // namespace

TEST_CASE("chunk ids follow each other and cover every element once") {
    for_each_layout([](const layout& l, std::size_t count, int chunks, int segments) {
        bool monotone = l.bound(0) == 0 && l.bound(chunks * segments) == count;
        for (int id = 0; id < chunks * segments; ++id) monotone = monotone && l.bound(id) <= l.bound(id + 1);
        return monotone;
    });
}

TEST_CASE("chunks differ by at most one element, the longer ones first") {
    for_each_layout([](const layout& l, std::size_t count, int chunks, int segments) {
        const std::size_t share = count / static_cast<std::size_t>(chunks);
        const auto extra = static_cast<int>(count % static_cast<std::size_t>(chunks));
        bool even = true;
        for (int chunk = 0; chunk < chunks; ++chunk)
            even = even && l.bound((chunk + 1) * segments) - l.bound(chunk * segments) == share + (chunk < extra);
        return even;
    });
}

TEST_CASE("the pieces of a chunk differ by at most one element") {
    for_each_layout([](const layout& l, std::size_t, int chunks, int segments) {
        bool even = true;
        for (int chunk = 0; chunk < chunks; ++chunk) {
            std::size_t least = length(l, chunk * segments), most = least;
            for (int piece = 1; piece < segments; ++piece) {
                least = std::min(least, length(l, chunk * segments + piece));
                most = std::max(most, length(l, chunk * segments + piece));
            }
            even = even && most - least <= 1;
        }
        return even;
    });
}

TEST_CASE("chunks lie where they lie, however many segments they are cut into") {
    for_each_layout([](const layout& l, std::size_t count, int chunks, int segments) {
        const layout whole(count, chunks);
        bool same = true;
        for (int chunk = 0; chunk <= chunks; ++chunk) same = same && l.bound(chunk * segments) == whole.bound(chunk);
        return same;
    });
}

TEST_CASE("shards are of equal size when the count divides, whatever multiple of the ranks the chunks are") {
    for (int ranks = 1; ranks <= 9; ++ranks)
        for (int chunks = ranks; chunks <= 4 * ranks; chunks += ranks)
            for (int segments = 1; segments <= 5; ++segments)
                for (std::size_t each = 0; each <= 20; ++each) {
                    const int per_rank = chunks / ranks * segments;
                    const std::size_t count = each * static_cast<std::size_t>(chunks);
                    const layout l(count, chunks, segments);
                    bool equal = true;
                    for (int r = 0; r < ranks; ++r)
                        equal = equal && l.bound((r + 1) * per_rank) - l.bound(r * per_rank) ==
                                             count / static_cast<std::size_t>(ranks);
                    INFO(count << " elements, " << chunks << " chunks of " << ranks << " ranks");
                    CHECK(equal);
                }
}

TEST_CASE("huge counts do not overflow") {
    for (const std::size_t count :
         {std::size_t{1} << 40, (std::size_t{1} << 40) + 12'345, ~std::size_t{0}, ~std::size_t{0} - 1})
        for (const int chunks : {1, 3, 1024, 65'536})
            for (const int segments : {1, 2, 7, 4096}) {
                const layout l(count, chunks, segments);
                const auto ids = static_cast<std::size_t>(chunks) * static_cast<std::size_t>(segments);
                INFO(count << " elements, " << chunks << " chunks, " << segments << " segments");
                CHECK(l.bound(chunks * segments) == count);
                bool even = true;
                for (int id = 0; id < chunks * segments; id += 1 + id / 7)
                    even = even && (std::max(length(l, id), count / ids) - std::min(length(l, id), count / ids)) <= 1;
                CHECK(even);
            }
}
