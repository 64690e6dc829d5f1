// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../tutti/common/random.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Text for machines without any: sentences of a small grammar over words that are drawn too. Words have syllables,
/// rare ones are rarer, verbs agree with their nouns. The same seed gives the same text everywhere.
namespace tutti::tools {

namespace detail {

class text_source {
public:
    explicit text_source(std::uint64_t seed) : random_(seed) {
        for (auto* words : {&nouns_, &verbs_, &adjectives_})
            for (int i = 0; i < 60; ++i) words->push_back(word());
    }

    std::string sentence() {
        std::string text = clause();
        if (random_.below(3) == 0) text += random_.below(2) == 0 ? ", and " + clause() : ", for " + clause();
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
        return text + ".\n";
    }

private:
    std::string word() {
        constexpr std::array<std::string_view, 12> onsets{"b", "d", "f", "g", "l", "m", "n", "r", "s", "t", "th", "w"};
        constexpr std::array<std::string_view, 6> nuclei{"a", "e", "i", "o", "u", "ea"};
        constexpr std::array<std::string_view, 5> codas{"", "n", "r", "l", "d"};
        std::string made;
        for (std::uint64_t syllables = 1 + random_.below(3); syllables > 0; --syllables)
            for (const std::string_view part :
                 {onsets[random_.below(onsets.size())], nuclei[random_.below(nuclei.size())],
                  codas[random_.below(codas.size())]})
                made += part;
        return made;
    }
    // The product of two even draws favours the first words.
    const std::string& one_of(const std::vector<std::string>& words) {
        return words[random_.below(1 + random_.below(words.size()))];
    }
    std::string noun(bool many) {
        std::string text = many ? "the " : random_.below(2) == 0 ? "the " : "a ";
        if (random_.below(3) == 0) text += one_of(adjectives_) + " ";
        return text + one_of(nouns_) + (many ? "s" : "");
    }
    std::string clause() {
        const bool many = random_.below(2) == 0;
        std::string text = noun(many) + " " + one_of(verbs_) + (many ? "" : "eth");
        if (random_.below(4) != 0) text += " " + noun(random_.below(2) == 0);
        return text;
    }

    random_source random_;
    std::vector<std::string> nouns_, verbs_, adjectives_;
};

} // namespace detail

/// Whole sentences, a line each, of at least so many characters together.
[[nodiscard]] inline std::string draw_text(std::size_t characters, std::uint64_t seed) {
    detail::text_source source{seed};
    std::string text;
    while (text.size() < characters) text += source.sentence();
    return text;
}

} // namespace tutti::tools
