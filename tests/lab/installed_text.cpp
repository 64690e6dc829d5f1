// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/corpus.hpp"

#include "support/catch.hpp"

using namespace tutti::tools;

TEST_CASE("the King James text has 31,102 verses, where it is installed; else the text is drawn") {
    const corpus c = has_king_james() ? king_james() : drawn_corpus(1 << 20, 1);
    std::string begin;
    for (const std::uint8_t number : c.training().first(24)) begin += c.alphabet().at(number);
    std::size_t lines = 0;
    for (const auto part : {c.training(), c.validation()})
        for (const std::uint8_t number : part) lines += c.alphabet()[number] == '\n';
    if (!has_king_james()) {
        WARN("bible-kjv-text is not installed: tools/install-dependencies training");
        CHECK(c.training().size() > 900'000);
    } else {
        CHECK(begin == "In the beginning God cre");
        CHECK(lines == 31'102);
    }
}
