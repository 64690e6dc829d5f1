// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "places.hpp"

#include "support/expect.hpp"
#include "transport/contract/courier.hpp"

#include <deque>
#include <random>
#include <string>
#include <vector>

namespace tutti::test {

struct message {
    int from, to;
    transport::context where;
    std::size_t size, seed;
    place source, target;
};

/// Of all sizes: none, small, those around the limits of the fabrics, and such as take several parts.
inline std::size_t any_size(std::minstd_rand& random) {
    constexpr std::array<std::size_t, 13> near{
        0,       1,       128,           4080,   4081, 64 << 10, (64 << 10) + 1, 512 << 10, (512 << 10) + 1,
        1 << 20, 2 << 20, (2 << 20) + 7, 5 << 20};
    return random() % 3 == 0 ? near[random() % near.size()] : 1 + random() % (random() % 4 == 0 ? 300'000 : 3'000);
}

inline std::vector<message> any_messages(int ranks, std::size_t number, unsigned seed) {
    std::minstd_rand random(seed);
    std::vector<message> all;
    for (std::size_t i = 0; i < number; ++i) {
        const int from = static_cast<int>(random() % static_cast<unsigned>(ranks));
        const int to = (from + 1 + static_cast<int>(random() % static_cast<unsigned>(ranks - 1))) % ranks;
        all.push_back({from,
                       to,
                       {1 + random() % 2, static_cast<std::uint32_t>(random() % 2)},
                       any_size(random),
                       i,
                       all_places[random() % 3],
                       all_places[random() % 3]});
    }
    return all;
}

/// Each rank starts its sends and receives in the order of the list, some at a time, and gets what was sent.
template <class Transport>
void exchange(Transport& t, const std::vector<message>& all, unsigned seed) {
    struct started {
        const message& what;
        placed_bytes memory;
        const transport::transfer& x;
    };
    std::minstd_rand random(seed + static_cast<unsigned>(t.rank()));
    const auto slab = [&](std::size_t size) { return t.allocate(size); };
    courier c{t};
    std::deque<started> sends, receives;
    for (const message& m : all) {
        if (m.from == t.rank()) {
            placed_bytes data(slab, m.source, m.size);
            const auto content = pattern(m.size, m.seed);
            std::copy(content.begin(), content.end(), data.there());
            const auto& x = c.send(m.where, m.to, data.data(), m.size);
            sends.push_back({m, std::move(data), x});
        } else if (m.to == t.rank()) {
            placed_bytes data(slab, m.target, m.size);
            const auto& x = c.receive(m.where, m.from, data.data(), m.size);
            receives.push_back({m, std::move(data), x});
        }
        if (random() % 4 == 0) t.progress();
    }
    c.finish("all messages arrive");
    for (const started& r : receives) {
        const auto content = pattern(r.what.size, r.what.seed);
        expect(std::equal(content.begin(), content.end(), r.memory.there()), "message " + std::to_string(r.what.seed) +
                                                                                 " of " + std::to_string(r.what.size) +
                                                                                 " bytes arrives whole");
    }
}

} // namespace tutti::test
