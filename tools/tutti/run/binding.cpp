// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "binding.hpp"

#include "../common/lists.hpp"

#include <transport/join/own_allotment.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <sched.h>

namespace tutti::tools {
namespace {

/// The numbers of "4-7", or of "4".
std::vector<int> parse_range(std::string_view word, std::string_view text) {
    const auto number = [&](std::string_view digits) {
        int value = 0;
        const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (wrong != std::errc{} || end != digits.data() + digits.size() || value < 0 ||
            value >= processor_set::max_processors)
            throw std::invalid_argument(
                fmt::format("'{}' binds to no processors: write core, none, or a list such as 0,2,4-7", text));
        return value;
    };
    const std::size_t dash = word.find('-');
    const int first = number(word.substr(0, dash)), last = dash == word.npos ? first : number(word.substr(dash + 1));
    if (first > last) throw std::invalid_argument(fmt::format("'{}' counts downwards", text));
    std::vector<int> all;
    for (int p = first; p <= last; ++p) all.push_back(p);
    return all;
}

/// Threads of one core are listed alike: "0,32". Empty where the system does not tell.
std::string core_of(int processor) {
    std::string siblings;
    std::ifstream(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", processor)) >> siblings;
    return siblings;
}

/// The processors that this process may run on: first one of each core, then a second one, and so on.
std::vector<int> core_by_core() {
    std::map<std::string, int> seen;
    std::vector<std::pair<int, int>> all; // which of its core's, and which
    for (const int p : transport::bootstrap::own_processors().numbers()) {
        const std::string core = core_of(p);
        all.emplace_back(core.empty() ? 0 : seen[core]++, p);
    }
    std::ranges::sort(all);
    std::vector<int> numbers;
    for (const auto& [turn, p] : all) numbers.push_back(p);
    return numbers;
}

bool bind_to(const processor_set& processors) {
    std::array<cpu_set_t, processor_set::max_processors / CPU_SETSIZE> sets{};
    processors.each([&](int p) { CPU_SET_S(static_cast<std::size_t>(p), sizeof sets, sets.data()); });
    return ::sched_setaffinity(0, sizeof sets, sets.data()) == 0;
}

} // namespace

binding::binding(std::string_view text) : text_(text) {
    if (text == "core" || text == "none") return;
    for (const std::string& word : split_list(text))
        for (const int p : parse_range(word, text)) list_.push_back(p);
}

std::vector<int> binding::processors_for(int ranks) const {
    if (!given()) return {};
    const bool wraps = list_.empty();
    std::vector<int> all = wraps ? core_by_core() : list_;
    const auto wanted = static_cast<std::size_t>(ranks), there = all.size();
    if (!wraps && there < wanted)
        throw std::invalid_argument(
            fmt::format("--bind {} names {} processor{} for {} ranks of a host: name one for each", text_, there,
                        there == 1 ? "" : "s", ranks));
    all.resize(wanted);
    for (std::size_t rank = there; rank < wanted; ++rank) all[rank] = all[rank - there];
    return all;
}

// The kernel passes over processors that there are not, as long as one is left.
bound_thread::bound_thread(const processor_set& processors) : before_(transport::bootstrap::own_processors()) {
    if (bind_to(processors) && transport::bootstrap::own_processors() == processors) return;
    static_cast<void>(bind_to(before_));
    throw std::invalid_argument(fmt::format("this host lets nobody here run on processor {}: take those of {}",
                                            processors.text(), before_.text()));
}

bound_thread::~bound_thread() { static_cast<void>(bind_to(before_)); }

} // namespace tutti::tools
