// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/flow/closed_contexts.hpp>

#include "support/catch.hpp"

using namespace tutti::transport::detail::tcp;
using tutti::transport::context;

TEST_CASE("closed contexts are remembered until so many others are closed") {
    closed_contexts closed;
    CHECK_FALSE(closed.contain({1, 0}));
    closed.add({1, 0});
    closed.add({1, 0});
    for (std::uint32_t slot = 1; slot < closed_contexts::remembered; ++slot) closed.add({1, slot});
    CHECK(closed.contain({1, 0}));
    closed.add({2, 0});
    CHECK_FALSE(closed.contain({1, 0}));
    CHECK(closed.contain({1, 1}));
    CHECK(closed.contain({2, 0}));
}

TEST_CASE("a context that is opened again is not closed") {
    closed_contexts closed;
    closed.add({1, 0});
    closed.reopen({1, 0});
    CHECK_FALSE(closed.contain({1, 0}));
    closed.add({1, 0});
    for (std::uint32_t slot = 1; slot < closed_contexts::remembered; ++slot) closed.add({1, slot});
    CHECK(closed.contain({1, 0}));
}
