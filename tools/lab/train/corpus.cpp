// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "corpus.hpp"

#include "king_james.hpp"
#include "whole_file.hpp"

#include <filesystem>
#include <system_error>

namespace tutti::tools {

bool has_king_james() {
    std::error_code failed;
    return std::filesystem::exists(king_james_file, failed);
}

std::string king_james() {
    if (!has_king_james())
        throw std::runtime_error("there is no King James text: install Debian's package bible-kjv-text; "
                                 "'tutti train' takes another text by --data FILE");
    return parse_king_james(whole_file(king_james_file), king_james_file);
}

} // namespace tutti::tools
