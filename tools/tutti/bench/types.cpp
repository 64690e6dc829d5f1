// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bench.hpp"

#include "../common/aliases.hpp"
#include "../common/lists.hpp"
#include "../common/nearest.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

// The values whose names are in the list.
template <class Value, std::size_t N>
std::vector<Value> pick(std::string_view list, std::string_view kind, const std::array<std::string_view, N>& names,
                        std::span<const alias> aliases) {
    std::vector<Value> values;
    for (const std::string& word : split_list(list)) {
        const auto found = std::find(names.begin(), names.end(), our_name(word, aliases, names));
        if (found == names.end() && word != "all")
            throw std::invalid_argument(fmt::format("there is no {} '{}'{}choose one of {}, or all", kind, word,
                                                    did_you_mean(word, names), join(names)));
        for (auto name = names.begin(); name != names.end(); ++name)
            if (word == "all" || name == found) values.push_back(static_cast<Value>(name - names.begin()));
    }
    return values;
}

} // namespace

std::vector<element_type> types_of(std::string_view list) {
    return pick<element_type>(list, "type", element_type_names, type_aliases);
}

std::vector<operator_type> operators_of(std::string_view list) {
    return pick<operator_type>(list, "operator", operator_type_names, operator_aliases);
}

double row::algorithm_GBps() const {
    const std::size_t messages = what.messages ? messages_of(*what.messages, what.pairs) : 1;
    return base_us > 0 ? static_cast<double>(what.bytes() * messages) / base_us / 1e3 : 0;
}

std::optional<double> row::messages_per_s() const {
    if (!what.messages || base_us <= 0) return std::nullopt;
    return static_cast<double>(messages_of(*what.messages, what.pairs)) / base_us * 1e6;
}

// https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
double row::bus_GBps() const {
    const double share = (what.ranks - 1.) / what.ranks;
    if (what.messages) return algorithm_GBps();
    if (what.what == operation::allreduce) return algorithm_GBps() * 2 * share;
    return what.sharded() ? algorithm_GBps() * share : algorithm_GBps();
}

} // namespace tutti::tools
