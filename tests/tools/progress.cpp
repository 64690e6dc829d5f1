// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/common/progress.hpp"

#include "support/catch.hpp"

using tutti::tools::progress_text;
using namespace std::chrono_literals;

TEST_CASE("progress tells what is left, once something is done") {
    CHECK(progress_text(0, 40, 0s) == "1 of 40: ");
    CHECK(progress_text(10, 40, 5s) == "11 of 40, 15 s left: ");
    CHECK(progress_text(39, 40, 39s) == "40 of 40, 1 s left: ");
    CHECK(progress_text(1, 11, 60s) == "2 of 11, 10 min left: ");
}
