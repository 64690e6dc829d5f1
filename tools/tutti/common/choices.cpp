// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "choices.hpp"

#include "aliases.hpp"
#include "lists.hpp"
#include "nearest.hpp"

#include <base/error.hpp>
#include <collectives/algorithm/all.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

/// The names that are near to those of which an unknown one is joined by colons.
std::optional<std::string> nearest_algorithm(const std::string& name) {
    std::vector<std::string> known{"hierarchical"}, parts;
    for (const operation o : schedule::operations)
        for (const std::string_view one : algorithm::names(o)) known.emplace_back(one);
    for (const std::string& part : split_list(name, ':')) {
        if (std::find(known.begin(), known.end(), part) != known.end())
            parts.push_back(part);
        else if (const auto near = nearest(part, known))
            parts.push_back(*near);
        else
            return std::nullopt;
    }
    const std::string joined = join(parts, ":");
    return joined == name ? std::nullopt : std::optional(joined);
}

/// Also one-shot for one_shot, unless there is such a name with a hyphen.
algorithm::any find(const std::string& name, int ranks) {
    try {
        return algorithm::by_name(name, near_root(ranks));
    } catch (const error& e) {
        std::string joined = name;
        std::replace(joined.begin(), joined.end(), '-', '_');
        if (joined != name) return find(joined, ranks);
        const auto near = nearest_algorithm(name);
        throw std::invalid_argument(
            fmt::format("{}{}; {}", e.facts().detail, near ? " (did you mean " + *near + "?)" : "", e.facts().remedy));
    }
}

std::string not_offered(const algorithm::any& a, operation what) {
    std::vector<std::string_view> has;
    for (const operation o : schedule::operations)
        if (a.offers(o)) has.push_back(schedule::name_of(o));
    return fmt::format("{} has no {}, but {}: pass --operation {}, or choose one of {}", a.name(),
                       schedule::name_of(what), join(has), has.front(), join(algorithm::names(what)));
}

} // namespace

std::vector<sized_choice> choices(std::string_view list, operation what, const std::vector<int>& ranks, bool lenient) {
    std::vector<sized_choice> chosen;
    const auto add = [&](std::string_view name, bool by_name) {
        sized_choice c{{std::string(name), find(std::string(name), ranks.back())}, {}};
        c.name = c.algorithm->name();
        for (const int size : ranks)
            if (at_size(c, size)->runs_on(size))
                c.ranks.push_back(size);
            else if (by_name)
                throw std::invalid_argument(
                    fmt::format("{} is for {}, not for {}", c.name, at_size(c, size)->sizes(), size));
        if (!c.ranks.empty()) chosen.push_back(std::move(c));
    };
    for (const std::string& name : split_list(list)) {
        if (name == "all")
            for (const std::string_view each : algorithm::names(what)) add(each, false);
        else if (name == "auto")
            chosen.push_back({{name, std::nullopt}, ranks});
        else if (const algorithm::any a = find(name, ranks.back()); a.offers(what))
            add(name, true);
        else if (!lenient)
            throw std::invalid_argument(not_offered(a, what));
    }
    return chosen;
}

std::vector<choice> choices(std::string_view list, operation what, int ranks, bool lenient) {
    const std::vector<sized_choice> found = choices(list, what, std::vector{ranks}, lenient);
    return {found.begin(), found.end()};
}

void require_proven(const algorithm::any& a, operation what, int ranks) {
    try {
        a.require_usable(what, ranks);
    } catch (const error& e) {
        throw std::invalid_argument(e.facts().detail + "; " + e.facts().remedy);
    }
}

std::optional<algorithm::any> at_size(const choice& c, int ranks) {
    if (!c.algorithm) return std::nullopt;
    return find(c.name, ranks);
}

algorithm::any one_algorithm(std::string_view name, operation what, int ranks) {
    const std::vector<choice> found = choices(name, what, ranks);
    if (found.size() != 1 || !found.front().algorithm)
        throw std::invalid_argument("one algorithm at a time, by its name");
    return *found.front().algorithm;
}

std::string operation_name(std::string_view word) {
    std::vector<std::string> known(other_calls.begin(), other_calls.end());
    for (const operation o : schedule::operations) known.emplace_back(schedule::name_of(o));
    return our_name(word, operation_aliases, known);
}

std::vector<operation> operations_of(std::string_view list, std::span<const std::string_view> also) {
    std::vector<operation> chosen;
    for (const std::string& word : split_list(list)) {
        const std::string name = operation_name(word);
        if (name == "all") {
            chosen.insert(chosen.end(), schedule::operations.begin(), schedule::operations.end());
            continue;
        }
        const auto found = std::find_if(schedule::operations.begin(), schedule::operations.end(),
                                        [&](operation o) { return schedule::name_of(o) == name; });
        if (found == schedule::operations.end()) {
            std::vector<std::string_view> known;
            for (operation o : schedule::operations) known.push_back(schedule::name_of(o));
            known.insert(known.end(), also.begin(), also.end());
            throw std::invalid_argument(fmt::format("there is no operation '{}'{}choose one of {}, or all", word,
                                                    did_you_mean(word, known), join(known)));
        }
        chosen.push_back(*found);
    }
    return chosen;
}

operation one_operation(std::string_view name) {
    const std::vector<operation> found = operations_of(name);
    if (found.size() != 1) throw std::invalid_argument("one operation at a time");
    return found.front();
}

int near_root(int ranks) noexcept {
    const int root = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(ranks))));
    for (int divisor = root; divisor > 1; --divisor)
        if (ranks % divisor == 0 && divisor < ranks) return divisor;
    return std::max(root, 1);
}

} // namespace tutti::tools
