// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "corpus.hpp"

#include "drawn_text.hpp"
#include "king_james.hpp"
#include "whole_file.hpp"

#include <filesystem>
#include <system_error>

namespace tutti::tools {

corpus installed_or_drawn_text(std::uint64_t seed) {
    std::error_code failed;
    if (std::filesystem::exists(king_james_file, failed))
        return {parse_king_james(whole_file(king_james_file), king_james_file), "the King James text"};
    return {draw_text(4 << 20, seed), "drawn text"};
}

} // namespace tutti::tools
