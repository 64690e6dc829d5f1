// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "draw_calls.hpp"

#include "algorithms.hpp"

#include <algorithm>
#include <vector>

namespace tutti::soak {

namespace {

/// A number in algorithm::all() of one that has a schedule for the operation.
int drawn_algorithm(dice& d, operation what) {
    const auto all = algorithm::all(1);
    std::vector<int> offered;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].offers(scheduled(what))) offered.push_back(static_cast<int>(i));
    return offered[d.below(offered.size())];
}

std::size_t drawn_count(dice& d, int ranks, std::size_t most) {
    const auto below = [&](std::uint64_t n) { return static_cast<std::size_t>(d.below(n)); };
    const auto p = static_cast<std::size_t>(ranks);
    std::size_t n = 0;
    switch (d.below(8)) {
    case 0: n = below(4); break;
    case 1: n = p - 1 + below(3); break;
    case 2: n = 1 + below(100); break;
    case 3:
    case 4: n = 1 + below(5000); break;
    case 5: n = (std::size_t{1} << below(17)) + below(3) - 1; break;
    case 6: n = 1 + below(70'000); break;
    default: n = d.chance(40) ? 1 + below(1 << 20) : 16 * below(64);
    }
    return std::min(n, most);
}

flavour drawn_flavour(dice& d, operation what) {
    for (;;) {
        const auto f = static_cast<flavour>(d.below(flavours));
        // Nothing keeps rank order in a reduce_scatter.
        if (f != flavour::uint32_compose || what != operation::reduce_scatter) return f;
    }
}

/// Symmetric memory: all ranks or none give it as such, where the library chooses; else each as it likes, as spans.
void draw_memory(dice& d, const plan& p, call& c) {
    const ranks_set all = (1U << p.ranks) - 1;
    c.in_place = d.one_of<ranks_set>({0, all, static_cast<ranks_set>(d.next()) & all});
    if (p.over == fabric::tcp || d.chance(60)) return;
    c.whole_object = c.algorithm < 0;
    c.symmetric = c.whole_object || d.chance(50) ? all : static_cast<ranks_set>(d.next()) & all;
    // Only these have an overload that knows of it; elsewhere the choice does not rest on it.
    if (c.whole_object && c.what != operation::allreduce) c.symmetric = 0;
    // As such it has no margins, within which a part could be in place.
    if (c.whole_object) c.how = mode::blocking;
}

} // namespace

std::size_t bytes_of(flavour f) noexcept {
    switch (f) {
    case flavour::uint8_sum: return 1;
    case flavour::float16_sum: return 2;
    case flavour::double_product: return 8;
    default: return 4;
    }
}

call drawn_call(dice& d, const plan& p, int family, std::size_t most_bytes) {
    call c;
    c.family = family;
    c.what = d.chance(8) ? operation::barrier : static_cast<operation>(d.chance(30) ? 0 : d.below(operations - 1));
    if (c.what == operation::barrier) return c;
    if (d.chance(15)) c.what = operation::exchange;
    c.of = drawn_flavour(d, c.what);
    const std::size_t parts = has_parts(c.what) ? static_cast<std::size_t>(p.ranks) : 1;
    c.count = drawn_count(d, p.ranks, most_bytes / bytes_of(c.of) / parts);
    c.root = has_root(c.what) ? d.below(p.ranks) : 0;
    if (is_scheduled(c.what) && d.chance(60)) c.algorithm = drawn_algorithm(d, c.what);
    c.per_node = d.between(1, 3);
    c.how = static_cast<mode>(d.below(3));
    c.repeats = d.between(1, 3);
    if (is_scheduled(c.what)) draw_memory(d, p, c);
    if (c.what == operation::exchange && c.how == mode::prepared) c.how = mode::non_blocking;
    return c;
}

bool can_differ(const call& c, difference how) noexcept {
    switch (how) {
    case difference::operation:
    case difference::algorithm: // messages that nobody sends are a timeout
        return is_scheduled(c.what) && (how == difference::operation || c.what != operation::barrier);
    case difference::root: return has_root(c.what);
    default: return c.what != operation::barrier;
    }
}

call unlike(dice& d, const call& c, difference how) {
    call odd = c;
    odd.symmetric = odd.in_place = 0;
    odd.whole_object = false;
    switch (how) {
    case difference::count: odd.count += 1 + d.below(std::uint64_t{3}); break;
    case difference::root: odd.root = c.root + 1; break; // modulo a size that is at least 2
    case difference::flavour:
        // Without an operator in the call the types must differ, and these are the types that two flavours share.
        while (odd.of == c.of || (!reduces(c.what) && bytes_of(odd.of) == bytes_of(c.of)))
            odd.of = drawn_flavour(d, c.what);
        break;
    case difference::algorithm:
        while (odd.algorithm == c.algorithm) odd.algorithm = drawn_algorithm(d, c.what);
        break;
    case difference::operation:
        while (odd.what == c.what) odd.what = static_cast<operation>(d.below(operations));
        if (odd.of == flavour::uint32_compose) odd.of = flavour::int32_sum;
        if (odd.what == operation::barrier) return odd;
        odd.algorithm = drawn_algorithm(d, odd.what);
    }
    return odd;
}

} // namespace tutti::soak
