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

/// A choice as the command line has it: NAME:NUMBER:NUMBER, such as top-k:0.01, or NAME(NUMBER,NUMBER).
class words_of_choice {
public:
    /// `forms` are told of where it is none of them.
    words_of_choice(std::string_view text, const char* forms)
        : text_(text), forms_(forms), words_(split_list(without_brackets(text_), ':')) {}

    /// It has this name, and so many numbers.
    [[nodiscard]] bool is(std::string_view name, std::size_t numbers) const {
        return words_.front() == name && words_.size() == numbers + 1;
    }
    /// Number i, from 0. Throws std::invalid_argument unless it is more than 0 and at most `most`.
    [[nodiscard]] double number(std::size_t i, double most) const { return parsed<double>(words_.at(i + 1), most); }
    /// The same, but for 0, and for what the number ends with.
    [[nodiscard]] double number_or_0(std::size_t i, double most, std::string_view unit = "") const {
        const std::string& word = words_.at(i + 1);
        if (!word.ends_with(unit)) refuse();
        return parsed<double>(word.substr(0, word.size() - unit.size()), most, true);
    }
    /// Number i, which is a whole one.
    [[nodiscard]] std::size_t count(std::size_t i) const {
        return parsed<std::size_t>(words_.at(i + 1), 1'000'000'000);
    }
    /// The whole choice is such a number.
    [[nodiscard]] std::size_t count() const { return parsed<std::size_t>(text_, 1'000'000'000); }
    /// Number i, as it is written.
    [[nodiscard]] const std::string& word(std::size_t i) const { return words_.at(i + 1); }

    [[noreturn]] void refuse() const { throw std::invalid_argument("'" + text_ + "' is none of " + forms_); }

private:
    [[nodiscard]] static std::string without_brackets(std::string text) {
        if (!text.ends_with(')')) return text;
        text.pop_back();
        std::erase(text, ' ');
        for (char& c : text) c = c == '(' || c == ',' ? ':' : c;
        return text;
    }
    template <class Number>
    [[nodiscard]] Number parsed(const std::string& word, Number most, bool may_be_0 = false) const {
        Number found = 0;
        const char* const last = word.data() + word.size();
        const auto [end, wrong] = std::from_chars(word.data(), last, found);
        if (wrong != std::errc{} || end != last || !(may_be_0 ? found >= 0 : found > 0) || !(found <= most)) refuse();
        return found;
    }

    const std::string text_;
    const char* forms_;
    const std::vector<std::string> words_;
};

} // namespace tutti::tools
