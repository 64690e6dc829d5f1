// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "compute_law.hpp"

#include "../../tutti/common/quantities.hpp"

#include <charconv>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

/// name(first,second,...)
struct written_call {
    std::string name;
    std::vector<std::string> of;
};

[[noreturn]] void refuse_law(const std::string& text, const char* forms) {
    throw std::invalid_argument(fmt::format("'{}' is none of {}", text, forms));
}

written_call call_in(const std::string& text, const char* forms) {
    const auto open = text.find('(');
    if (open == text.npos || !text.ends_with(')')) refuse_law(text, forms);
    written_call found{text.substr(0, open), {""}};
    for (const char c : std::string_view(text).substr(open + 1, text.size() - open - 2)) {
        if (c == ',')
            found.of.emplace_back();
        else if (c != ' ')
            found.of.back() += c;
    }
    return found;
}

double number_in(std::string_view word, const std::string& text, const char* forms) {
    double number = 0;
    const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (wrong != std::errc{} || end != word.data() + word.size() || !(number >= 0 && number <= 1e9))
        refuse_law(text, forms);
    return number;
}

/// 10x
double factor_in(std::string_view word, const std::string& text, const char* forms) {
    if (!word.ends_with('x')) refuse_law(text, forms);
    return number_in(word.substr(0, word.size() - 1), text, forms);
}

} // namespace

transport::compute_time compute_time_of(const std::string& law, const std::string& stragglers, std::uint64_t seed) {
    using compute_time = transport::compute_time;
    constexpr auto laws = "constant(100ms), lognormal(100ms,0.3), exponential(100ms)";
    constexpr auto who = "slow(3,10x), random(0.01,5x)";
    compute_time found;
    found.seed = seed;
    const written_call drawn = call_in(law, laws);
    const std::size_t arguments = drawn.name == "lognormal" ? 2 : 1;
    if (drawn.of.size() != arguments) refuse_law(law, laws);
    if (drawn.name == "lognormal")
        found.by = compute_time::law::lognormal;
    else if (drawn.name == "exponential")
        found.by = compute_time::law::exponential;
    else if (drawn.name != "constant")
        refuse_law(law, laws);
    found.typical = std::chrono::duration<double>(parse_time(drawn.of[0]));
    if (arguments == 2) found.spread = number_in(drawn.of[1], law, laws);
    if (stragglers.empty()) return found;
    const written_call late = call_in(stragglers, who);
    if (late.of.size() != 2) refuse_law(stragglers, who);
    const double first = number_in(late.of[0], stragglers, who), factor = factor_in(late.of[1], stragglers, who);
    if (late.name == "slow" && first < 1e6) {
        found.slow_rank = static_cast<int>(first);
        found.slow_factor = factor;
    } else if (late.name == "random" && first <= 1) {
        found.chance = first;
        found.chance_factor = factor;
    } else {
        refuse_law(stragglers, who);
    }
    return found;
}

} // namespace tutti::tools
