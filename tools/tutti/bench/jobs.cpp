// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bench.hpp"

#include "../common/lists.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

/// Calls that are no operations, which a list may name.
struct other_jobs {
    bool barrier = false;
    bool matrix = false; // a pingpong of each two ranks, one pair after the other
    std::vector<exchange> messages;
    std::vector<operation> uneven;
};

/// Takes the other calls out of a list of operations.
other_jobs take_others(std::string& list) {
    other_jobs taken;
    std::vector<std::string> others;
    for (const std::string& word : split_list(list)) {
        const std::string name = operation_name(word);
        const auto found = std::ranges::find(exchange_names, name);
        const auto uneven = std::ranges::find(uneven_operations, name, [](const auto& named) { return named.first; });
        if (name == "barrier")
            taken.barrier = true;
        else if (name == "matrix")
            taken.matrix = true;
        else if (name == "messages")
            for (std::size_t k = 0; k < exchange_names.size(); ++k) taken.messages.push_back(static_cast<exchange>(k));
        else if (uneven != uneven_operations.end())
            taken.uneven.push_back(uneven->second);
        else if (found != exchange_names.end())
            taken.messages.push_back(static_cast<exchange>(found - exchange_names.begin()));
        else
            others.push_back(word);
    }
    list = join(others, ",");
    return taken;
}

/// The numbers of pairs that an exchange is measured with.
std::vector<int> pairs_of(const bench_settings& s, exchange e, int ranks) {
    if (!is_of_pairs(e) || s.pairs.empty()) return {std::max(ranks / 2, 1)};
    return s.pairs;
}

/// Calls visit(count) for the elements of each size, of units of so many bytes: at least one, but for 0 bytes; a count
/// that repeats once.
void each_count(const bench_settings& s, std::size_t unit, const auto& visit) {
    std::size_t last = SIZE_MAX;
    for (const std::size_t bytes : s.sizes()) {
        const std::size_t count = bytes == 0 ? 0 : std::max<std::size_t>(bytes / unit, 1);
        if (std::exchange(last, count) != count) visit(count);
    }
}

void add_exchanges(std::vector<job>& jobs, const bench_settings& s, const std::vector<exchange>& all, const job& like) {
    if (s.where == place::in) return;
    for (const exchange e : all)
        for (const element_type type : types_of(s.type))
            each_count(s, size_of(type), [&](std::size_t count) {
                if (e == exchange::halo && count * size_of(type) > longest_halo_edge) return;
                for (const int pairs : pairs_of(s, e, like.ranks)) {
                    job j = like;
                    j.messages = e;
                    j.pairs = pairs;
                    j.algorithm = {"-", std::nullopt};
                    j.type = type;
                    j.count = count;
                    jobs.push_back(std::move(j));
                }
            });
}

void add_matrix(std::vector<job>& jobs, const bench_settings& s, const job& like) {
    std::vector<job> of_one;
    add_exchanges(of_one, s, {exchange::pingpong}, like);
    for (job& j : of_one)
        for (int first = 0; first < like.ranks; ++first)
            for (int second = first + 1; second < like.ranks; ++second) {
                j.pairs = 1;
                j.between = {first, second};
                jobs.push_back(j);
            }
}

void add_barrier(std::vector<job>& jobs, job like) {
    like.barrier = true;
    like.algorithm = {"auto", std::nullopt};
    jobs.push_back(std::move(like));
}

std::vector<int> roots_of(const bench_settings& s, operation what, int ranks) {
    if (!has_root(what)) return {0};
    if (!s.roots.empty()) return s.roots;
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// Whether the operator is measured with this operation and type: `op` of no meaning stands for none.
bool makes_sense(const bench_settings& s, operation what, element_type type, operator_type op) {
    if (!schedule::reduces(what)) return op == operators_of(s.op).front();
    return reduces(op, type) && !(schedule::is_scan(what) && op == operator_type::average);
}

/// Where not all ranks know the lengths, no rank passes on another's part: one algorithm is of that kind.
bool fits(const job& j, const choice& c) {
    return !j.uneven || !c.algorithm || tutti::detail::all_know_lengths(j.what) ||
           c.algorithm->name() == tutti::detail::local_choice(j.what).how.name();
}

/// Sizes outside, roots and algorithms inside.
void add_sizes(std::vector<job>& jobs, const bench_settings& s, bool lenient, job like) {
    const std::size_t unit = size_of(like.type) * (like.sharded() ? static_cast<std::size_t>(like.ranks) : 1);
    each_count(s, unit, [&](std::size_t count) {
        like.count = count;
        for (const int root : roots_of(s, like.what, like.ranks)) {
            like.root = root;
            for (choice& c : choices(s.algorithm, like.what, like.ranks, lenient || like.uneven)) {
                if (!fits(like, c)) continue;
                like.algorithm = std::move(c);
                for (const bool in_place : {false, true}) {
                    like.in_place = in_place;
                    if (s.where == (in_place ? place::out : place::in)) continue;
                    if (in_place && like.uneven && like.what == operation::alltoall) continue; // there is none
                    if (in_place || like.what != operation::broadcast) jobs.push_back(like);
                }
            }
        }
    });
}

/// Each job with each imbalance.
std::vector<job> out_of_step(const std::vector<job>& jobs, const std::vector<imbalance>& imbalances) {
    std::vector<job> all;
    for (const job& j : jobs)
        for (const imbalance& by : imbalances) all.emplace_back(j).late = by;
    return all;
}

/// A list may name twice what is measured once.
void keep_first(std::vector<job>& jobs) {
    const auto key = [](const job& j) {
        return std::tuple(std::string(j.name()), j.algorithm.name, j.type, j.op, j.count, j.root, j.in_place, j.pairs,
                          j.between, j.late ? in_words(*j.late) : "");
    };
    std::set<decltype(key(job{}))> known;
    std::erase_if(jobs, [&](const job& j) { return !known.insert(key(j)).second; });
}

} // namespace

std::vector<job> jobs_of(const bench_settings& s, int rank, int ranks) {
    std::string list = s.operation;
    const other_jobs others = take_others(list);
    job like;
    like.ranks = ranks;
    like.rank = rank;
    like.overlap = s.overlap;
    std::vector<job> jobs;
    add_exchanges(jobs, s, others.messages, like);
    if (others.matrix) add_matrix(jobs, s, like);
    if (others.barrier) add_barrier(jobs, like);
    const std::vector<operation> operations =
        list.empty() ? std::vector<operation>{} : operations_of(list, other_calls);
    const auto add_all = [&](const std::vector<operation>& of) {
        for (const operation what : of)
            for (const element_type type : types_of(s.type))
                for (const operator_type op : operators_of(s.op)) {
                    if (!makes_sense(s, what, type, op)) continue;
                    like.what = what;
                    like.type = type;
                    like.op = op;
                    add_sizes(jobs, s, operations.size() + others.uneven.size() > 1, like);
                }
    };
    add_all(operations);
    like.uneven = s.uneven;
    add_all(others.uneven);
    if (!s.imbalances.empty()) jobs = out_of_step(jobs, s.imbalances);
    keep_first(jobs);
    return jobs;
}

std::string left_out(const bench_settings& s, const std::vector<job>& jobs) {
    std::vector<std::string> names;
    for (const std::string& word : split_list(s.operation)) {
        const std::string name = operation_name(word);
        const bool of_several = name == "all" || name == "messages";
        const std::string_view row = name == "matrix" ? "pingpong" : std::string_view(name);
        if (!of_several && std::ranges::find(jobs, row, &job::name) == jobs.end()) names.push_back(name);
    }
    return join(names, ", ");
}

std::string in_words(const job& what) {
    const std::string late = what.late ? fmt::format(", {} out of step", in_words(*what.late)) : "";
    if (what.barrier) return "barrier" + late;
    const std::string root = what.rooted() && what.root != 0 ? fmt::format(" root {}", what.root) : "";
    if (what.between)
        return fmt::format("pingpong of ranks {} and {}, {} bytes", what.between->first, what.between->second,
                           what.bytes());
    return fmt::format("{} {} {} bytes {}{}{}", what.name(), what.algorithm.name, what.bytes(),
                       what.in_place ? "in place" : "out of place", root, late);
}

} // namespace tutti::tools
