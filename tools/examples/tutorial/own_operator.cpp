// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <tutti/collectives/algorithm/preserves_order.hpp>
#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/tcp.hpp>

#include <algorithm>
#include <cstdio>

/// A summary of some temperatures. Any trivially copyable type is an element.
struct summary {
    double lowest, highest, total;
    int count;
};

/// The name is compared across ranks, and stands in errors.
constexpr auto merged = tutti::named<"merged summaries">([](const summary& a, const summary& b) {
    return summary{std::min(a.lowest, b.lowest), std::max(a.highest, b.highest), a.total + b.total, a.count + b.count};
});

/// x becomes factor * x + added. One map after another is a map, but the order counts.
struct map {
    long factor, added;
};
constexpr auto then = tutti::non_commutative(tutti::named<"then">([](const map& first, const map& second) {
    return map{second.factor * first.factor, second.factor * first.added + second.added};
}));

int main() {
    tutti::communicator world{tutti::transport::tcp::from_environment()};
    const double here = 20.0 + world.rank();

    const summary all = world.allreduce(summary{here, here, here, 1}, merged);
    const map through = world.scan(map{2, world.rank()}, then); // the maps of ranks 0 to this one, in turn

    if (world.rank() == 0) std::printf("%g to %g, mean %g\n", all.lowest, all.highest, all.total / all.count);
    std::printf("x becomes %ld x + %ld\n", through.factor, through.added);
}
