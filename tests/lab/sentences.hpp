// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../tools/folder.hpp"

#include <array>
#include <cstdint>
#include <string>

/// Some text, always the same one: lines of words, in no order that could be learned by heart.
inline std::string sentences(std::size_t characters) {
    constexpr std::array words{"the ", "winner ", "a ",     "thread ", "barrier ",
                               "of ",  "rings ",  "sends ", "waits ",  "and "};
    std::string text;
    for (std::uint64_t x = 1; text.size() < characters; x = x * 6364136223846793005U + 1442695040888963407U)
        text += (x >> 33U) % 8 == 0 ? "ends.\n" : words[(x >> 40U) % words.size()];
    return text;
}

/// A file with 5000 characters of it, until the program ends.
inline const std::string& sentences_file() {
    static const tools_test::folder room;
    static const std::string file = room.write("text", sentences(5000));
    return file;
}
