// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "lzw.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tutti::tools {

/// Where Debian's package bible-kjv-text puts its file.
inline constexpr auto king_james_file = "/usr/lib/bible.data";

/// The King James text out of the bytes of that file. They are a header with an index of windows, and a stream as
/// `compress` writes it, of a title and of lines "Ge1:1 In the beginning ...". Here a verse is a line, without title
/// and place.
/// Throws std::runtime_error that names the file if the bytes are none of this.
[[nodiscard]] inline std::string parse_king_james(std::string_view bytes, const std::string& name) {
    constexpr std::string_view begin = "EC02Compressed Data File", stream = "\x1f\x9d";
    constexpr std::size_t most = 16 << 20; // the text has 4 MB
    const std::size_t at = bytes.starts_with(begin) ? bytes.find(stream) : bytes.npos;
    if (at == bytes.npos) throw std::runtime_error(name + " is not the data file of bible-kjv-text");
    const std::optional<std::string> lines = unpack_lzw(bytes.substr(at), most);
    if (!lines) throw std::runtime_error(name + ": its compressed text is damaged");
    std::string text;
    std::size_t line = lines->find('\n') + 1; // behind the title
    while (line != 0 && line < lines->size()) {
        const std::size_t end = std::min(lines->find('\n', line), lines->size());
        const std::size_t words = lines->find(' ', line) + 1;
        if (words == 0 || words >= end) throw std::runtime_error(name + ": a verse has no text");
        text.append(*lines, words, end - words);
        text += '\n';
        line = end + 1;
    }
    return text;
}

} // namespace tutti::tools
