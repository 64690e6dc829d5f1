// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/flow/unexpected_messages.hpp>

#include "support/catch.hpp"

#include <deque>
#include <random>
#include <vector>

using namespace tutti::transport::detail::tcp;

namespace {

std::vector<std::byte> taken(unexpected_messages& early) {
    std::vector<std::byte> all;
    early.take([&](std::span<const std::byte> piece) { all.insert(all.end(), piece.begin(), piece.end()); });
    return all;
}

} // namespace

TEST_CASE("a ring is a queue, however often it turns and grows") {
    ring_buffer<int> r;
    std::deque<int> model;
    std::mt19937 random{1};
    for (int i = 0; i < 20'000; ++i) {
        if (random() % 2 == 0 || model.empty()) {
            std::vector<int> more(random() % 10);
            for (int& value : more) value = static_cast<int>(random());
            r.push(std::span<const int>(more));
            model.insert(model.end(), more.begin(), more.end());
        } else {
            const std::size_t count = std::min<std::size_t>(random() % 10, r.run().size());
            for (std::size_t j = 0; j < count; ++j) CHECK(r.run()[j] == model[j]);
            r.pop(count);
            model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(count));
        }
        REQUIRE(r.size() == model.size());
        REQUIRE(r.empty() == model.empty());
        if (model.empty()) continue;
        REQUIRE(r.front() == model.front());
        REQUIRE(r.back() == model.back());
    }
}

TEST_CASE("early messages are taken in order, with what identifies them") {
    unexpected_messages early;
    const std::vector<std::byte> first(3, std::byte{1});
    const std::vector<std::byte> second(2, std::byte{2});
    CHECK(early.empty());
    early.begin(3, 77);
    early.append(first);
    early.begin(0, 78);
    early.begin(5, 79);
    early.append(second);
    CHECK(early.oldest().signature == 77);
    CHECK(taken(early) == first);
    CHECK(early.oldest().length == 0);
    CHECK(taken(early).empty());
    CHECK(early.oldest().length == 5);
    CHECK(early.oldest().arrived == 2);
    CHECK(taken(early) == second);
    CHECK(early.empty());
}
