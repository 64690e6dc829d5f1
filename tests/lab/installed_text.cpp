// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/corpus.hpp"

#include "support/catch.hpp"

using namespace tutti::tools;

TEST_CASE("the King James text has 31,102 verses, where it is installed") {
    if (!has_king_james()) {
        WARN("bible-kjv-text is not installed: tools/install-dependencies training");
        CHECK_THROWS_WITH(king_james(), Catch::Contains("install Debian's package bible-kjv-text"));
    } else {
        const std::string text = king_james();
        CHECK(text.starts_with("In the beginning God cre"));
        CHECK(std::ranges::count(text, '\n') == 31'102);
    }
}
