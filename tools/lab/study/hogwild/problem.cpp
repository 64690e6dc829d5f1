// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "problem.hpp"

#include "../../train/corpus.hpp"
#include "../pictures_of.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools::study::hogwild {
namespace {

constexpr std::size_t verses = 31'102, verses_of_old_testament = 23'145;

/// The words of each line, in small letters, each once.
std::vector<std::set<std::string>> words_by_line(const std::string& text) {
    std::vector<std::set<std::string>> all(1);
    std::string word;
    for (const char c : text) {
        if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            continue;
        }
        if (!word.empty()) all.back().insert(std::exchange(word, {}));
        if (c == '\n') all.emplace_back();
    }
    if (!word.empty()) all.back().insert(word);
    std::erase_if(all, [](const auto& line) { return line.empty(); });
    return all;
}

/// A line has each of its words with the same value, so that its norm is 1.
void add_lines(problem& p, const std::vector<std::set<std::string>>& lines, const auto& is_first) {
    std::map<std::string, std::uint32_t> numbers;
    for (const auto& line : lines)
        for (const std::string& word : line) numbers.emplace(word, 0);
    std::uint32_t next = 0;
    for (auto& [word, number] : numbers) number = next++;
    p.features = numbers.size();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::vector<std::uint32_t> indices;
        for (const std::string& word : lines[i]) indices.push_back(numbers.at(word));
        const std::vector<float> values(indices.size(), 1 / std::sqrt(static_cast<float>(indices.size())));
        p.add(indices, values, is_first(i));
    }
}

} // namespace

void problem::add(const std::vector<std::uint32_t>& indices, const std::vector<float>& values, bool is_first) {
    indices_.insert(indices_.end(), indices.begin(), indices.end());
    for (const float v : values) values_.push_back(is_first ? v : -v);
    begin_.push_back(indices_.size());
}

void problem::split() {
    problem sorted{name, words, features};
    for (const bool is_test : {false, true})
        for (std::size_t s = 0; s < samples(); ++s) {
            if ((s % 10 == 9) != is_test) continue;
            const auto first = static_cast<std::ptrdiff_t>(begin_[s]),
                       last = static_cast<std::ptrdiff_t>(begin_[s + 1]);
            sorted.add({indices_.begin() + first, indices_.begin() + last},
                       {values_.begin() + first, values_.begin() + last}, true);
            sorted.tests_ += is_test ? 1 : 0;
        }
    *this = std::move(sorted);
}

double problem::most_common() const {
    std::vector<std::size_t> counts(features);
    for (const std::uint32_t i : indices_) ++counts[i];
    return static_cast<double>(std::ranges::max(counts)) / static_cast<double>(samples());
}

float problem::margin(std::size_t s, const training::shared_weights& w) const {
    float sum = 0;
    for (std::size_t k = begin_[s]; k < begin_[s + 1]; ++k) sum += values_[k] * w[indices_[k]];
    return sum;
}

void problem::gradient(std::size_t s, const training::shared_weights& w, training::sparse_step& to) const {
    const float slope = -1 / (1 + std::exp(margin(s, w)));
    for (std::size_t k = begin_[s]; k < begin_[s + 1]; ++k) to.put(indices_[k], slope * values_[k]);
}

double problem::loss(const training::shared_weights& w) const {
    double sum = 0;
    for (std::size_t s = 0; s < training(); ++s) sum += std::log1p(std::exp(-static_cast<double>(margin(s, w))));
    return sum / static_cast<double>(training());
}

double problem::error(const training::shared_weights& w) const {
    std::size_t wrong = 0;
    for (std::size_t s = training(); s < samples(); ++s) wrong += margin(s, w) <= 0 ? 1 : 0;
    return static_cast<double>(wrong) / static_cast<double>(tests_);
}

problem sparse_problem(const settings& s) {
    problem p{"sparse", "verses of the King James text by their words: of the New Testament or not", 0};
    auto lines = words_by_line(king_james());
    if (lines.size() != verses)
        throw std::runtime_error(fmt::format("the King James text has {} verses, not {}", lines.size(), verses));
    if (s.quick) lines.erase(lines.begin() + 2000, lines.end() - 1000);
    const std::size_t first = s.quick ? 2000 : verses_of_old_testament;
    add_lines(p, lines, [first](std::size_t i) { return i >= first; });
    p.split();
    return p;
}

problem dense_problem(const settings& s) {
    problem p{"dense", words_of_source(source_of(s)) + ", kinds 0 and 6, by all points", 0};
    const dataset pictures = pictures_of(s, true);
    p.features = pictures.pixels;
    std::vector<std::uint32_t> all(pictures.pixels);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
    std::vector<float> values(pictures.pixels);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        if (pictures.labels[i] != 0 && pictures.labels[i] != 6) continue;
        copy_picture(pictures.image(i), values);
        p.add(all, values, pictures.labels[i] == 6);
    }
    p.split();
    return p;
}

} // namespace tutti::tools::study::hogwild
