// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The King James text out of its package's file, and the stream of `compress` within.
//
// Invariants: the only exception is std::runtime_error; no more is unpacked than was asked for; each verse is a line.

#include "../../tools/lab/train/king_james.hpp"

#include "input.hpp"

using namespace tutti::tools;
using namespace tutti::fuzz;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    const std::size_t most = 16 * in.below(256);
    const auto rest = text_of(in.rest());
    if (const auto text = unpack_lzw(rest, most)) demand(text->size() <= most, "no more than asked for");
    try {
        const std::string verses = parse_king_james("EC02Compressed Data File" + std::string(rest), "file");
        demand(verses.empty() || verses.back() == '\n', "each verse is a line");
    } catch (const std::runtime_error&) {
    }
    return 0;
}
