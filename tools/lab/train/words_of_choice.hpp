// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../tutti/common/lists.hpp"

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tutti::tools {

/// A choice as the command line has it, NAME:NUMBER:NUMBER, such as top-k:0.01.
class words_of_choice {
public:
    /// `forms` are told of where it is none of them.
    words_of_choice(std::string_view text, const char* forms)
        : text_(text), forms_(forms), words_(split_list(text, ':')) {}

    /// It has this name, and so many numbers.
    [[nodiscard]] bool is(std::string_view name, std::size_t numbers) const {
        return words_.front() == name && words_.size() == numbers + 1;
    }
    /// Number i, from 0. Throws std::invalid_argument unless it is more than 0 and at most `most`.
    [[nodiscard]] double number(std::size_t i, double most) const { return parsed<double>(words_.at(i + 1), most); }
    /// The same of a whole number.
    [[nodiscard]] std::size_t count(std::size_t i) const {
        return parsed<std::size_t>(words_.at(i + 1), 1'000'000'000);
    }
    /// The whole choice is such a number.
    [[nodiscard]] std::size_t count() const { return parsed<std::size_t>(text_, 1'000'000'000); }

    [[noreturn]] void refuse() const { throw std::invalid_argument("'" + text_ + "' is none of " + forms_); }

private:
    template <class Number>
    [[nodiscard]] Number parsed(const std::string& word, Number most) const {
        Number found = 0;
        const char* const last = word.data() + word.size();
        const auto [end, wrong] = std::from_chars(word.data(), last, found);
        if (wrong != std::errc{} || end != last || !(found > 0 && found <= most)) refuse();
        return found;
    }

    const std::string text_;
    const char* forms_;
    const std::vector<std::string> words_;
};

} // namespace tutti::tools
