// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bench.hpp"

#include "lists.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr std::array<std::string_view, 10> type_names{"int8",   "uint8", "int16",  "uint16",  "int32",
                                                      "uint32", "int64", "uint64", "float32", "float64"};
constexpr std::array<std::string_view, 9> reduction_names{
    "none", "sum", "product", "minimum", "maximum", "average", "bitwise_and", "bitwise_or", "bitwise_xor"};

// The values whose names are in the list; the first `hidden` names are not to be named.
template <class Value, std::size_t N>
std::vector<Value> pick(std::string_view list, std::string_view kind, const std::array<std::string_view, N>& names,
                        std::ptrdiff_t hidden) {
    std::vector<Value> values;
    for (const std::string& word : split_list(list)) {
        const auto first = names.begin() + hidden;
        const auto found = std::find(first, names.end(), word);
        if (found == names.end() && word != "all")
            throw std::invalid_argument(fmt::format("there is no {} '{}'; choose one of {}, or all", kind, word,
                                                    join(std::span{first, names.end()})));
        for (auto name = first; name != names.end(); ++name)
            if (word == "all" || name == found) values.push_back(static_cast<Value>(name - names.begin()));
    }
    return values;
}

} // namespace

std::string_view name_of(element_type type) noexcept { return type_names[static_cast<std::size_t>(type)]; }

std::string_view name_of(reduction op) noexcept { return reduction_names[static_cast<std::size_t>(op)]; }

std::size_t size_of(element_type type) noexcept {
    constexpr std::array<std::size_t, 10> sizes{1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[static_cast<std::size_t>(type)];
}

bool legal(element_type type, reduction op) noexcept {
    const bool floating = type == element_type::float32 || type == element_type::float64;
    if (op == reduction::average) return floating;
    return !floating || op < reduction::bitwise_and;
}

std::vector<element_type> types_of(std::string_view list) { return pick<element_type>(list, "type", type_names, 0); }

std::vector<reduction> reductions_of(std::string_view list) {
    return pick<reduction>(list, "operator", reduction_names, 1);
}

std::string in_words(const job& what) {
    return fmt::format("{} {} {} bytes {}", schedule::name_of(what.what), what.algorithm.name, what.bytes(),
                       what.in_place ? "in place" : "out of place");
}

double row::algorithm_GBps() const { return base_us > 0 ? static_cast<double>(what.bytes()) / base_us / 1e3 : 0; }

// https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
double row::bus_GBps() const {
    const double share = (what.ranks - 1.) / what.ranks;
    if (what.what == operation::allreduce) return algorithm_GBps() * 2 * share;
    return what.sharded() ? algorithm_GBps() * share : algorithm_GBps();
}

} // namespace tutti::tools
