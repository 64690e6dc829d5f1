// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "corpus.hpp"

#include "drawn_text.hpp"
#include "king_james.hpp"
#include "whole_file.hpp"

#include <filesystem>
#include <system_error>

namespace tutti::tools {

bool has_king_james() {
    std::error_code failed;
    return std::filesystem::exists(king_james_file, failed);
}

corpus king_james() { return {parse_king_james(whole_file(king_james_file), king_james_file), "the King James text"}; }

corpus drawn_corpus(std::size_t characters, std::uint64_t seed) { return {draw_text(characters, seed), "drawn text"}; }

} // namespace tutti::tools
