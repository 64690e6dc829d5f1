// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "check.hpp"

#include "../common/quantities.hpp"
#include "../common/text_output.hpp"
#include "against.hpp"
#include "ratios.hpp"
#include "testbed.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

void check_ranks(const bench_settings& s, int ranks, const std::vector<job>& jobs) {
    for (const int root : s.roots)
        if (root >= ranks) throw std::invalid_argument(fmt::format("there is no root {} among {} ranks", root, ranks));
    const bool messages = std::ranges::any_of(jobs, [](const job& j) { return j.messages.has_value(); });
    if (messages && ranks < 2) throw std::invalid_argument("messages are measured between two ranks at least");
    for (const int pairs : s.pairs)
        if (pairs < 1 || pairs > ranks / 2)
            throw std::invalid_argument(fmt::format("{} ranks have no {} pairs, but 1 to {}", ranks, pairs, ranks / 2));
}

void check_overlap(const bench_settings& s, const std::vector<job>& jobs) {
    if (s.tests > 0 && !s.overlap) throw std::invalid_argument("--tests is for --overlap: what it computes beside");
    if (!s.overlap) return;
    if (s.how != timing::barrier) throw std::invalid_argument("--overlap is measured after barriers, not in a loop");
    for (const job& j : jobs)
        if (j.messages && *j.messages != exchange::sendrecv)
            throw std::invalid_argument(
                fmt::format("--overlap is of non-blocking calls: of messages sendrecv alone, not {}", j.name()));
}

/// Calls in the order of a stream have no steps of the host, and no algorithm that it chooses.
void check_stream(const bench_settings& s, const std::vector<job>& jobs) {
    if (s.how != timing::stream) return;
    if (s.transport != "cuda_ipc")
        throw std::invalid_argument("--timing stream is for cuda_ipc: the stream is a GPU's");
    if (!s.trace.empty()) throw std::invalid_argument("--timing stream: a call on a stream has no steps to --trace");
    for (const job& j : jobs)
        if (j.messages || j.barrier || j.what != operation::allreduce || j.algorithm.algorithm)
            throw std::invalid_argument(
                fmt::format("--timing stream is of allreduce by --algorithm auto alone, not {}", in_words(j)));
}

/// What GPUs have kernels for, and what has no meaning there.
void check_device(const bench_settings& s, const std::vector<job>& jobs) {
    if (s.transport != "cuda_ipc") return;
    if (s.cold || s.memory != memory_kind::vector)
        throw std::invalid_argument("--cold, --memory and --offset are for data of the host, not over cuda_ipc");
    constexpr std::array types{element_type::float16, element_type::bfloat16, element_type::float32,
                               element_type::float64, element_type::int32,    element_type::int64};
    constexpr std::array operators{operator_type::sum, operator_type::product, operator_type::minimum,
                                   operator_type::maximum, operator_type::average};
    for (const job& j : jobs) {
        if (j.uneven)
            throw std::invalid_argument(fmt::format("{} is of data of the host, not over cuda_ipc", j.name()));
        if (j.messages) throw std::invalid_argument("messages between two ranks do not take data of a GPU");
        if (j.reduces() &&
            (std::ranges::find(types, j.type) == types.end() || std::ranges::find(operators, j.op) == operators.end()))
            throw std::invalid_argument(fmt::format(
                "{}: GPUs have no kernel for this type and operator; --help names what there is", j.name()));
    }
}

void check_imbalance(const bench_settings& s, int ranks, const std::vector<job>& jobs) {
    if (s.imbalances.empty()) return;
    if (ranks < 2) throw std::invalid_argument("--imbalance is between ranks: one alone is late for nobody");
    for (const imbalance& by : s.imbalances)
        if (by.high_us * 1e-6 >= s.deadline_s)
            throw std::invalid_argument(fmt::format("--imbalance {} lets the others wait past their deadline of {:g} s",
                                                    in_words(by), s.deadline_s));
    if (s.how != timing::barrier || s.cold || s.overlap || !s.trace.empty())
        throw std::invalid_argument("--imbalance has a timing of its own: no --timing, --cold, --overlap or --trace");
    if (std::ranges::any_of(jobs, [](const job& j) { return j.messages.has_value(); }))
        throw std::invalid_argument("--imbalance is of calls that all ranks make together, not of messages");
}

/// Options that mean nothing for any row.
void check_rows(const bench_settings& s, const std::vector<job>& jobs) {
    const auto require = [&](bool given, const char* what, auto has) {
        if (given && std::ranges::none_of(jobs, has)) throw std::invalid_argument(what);
    };
    require(!s.trace.empty(), "--trace is of collective operations, and there is none among these rows",
            [](const job& j) { return !j.messages; });
    require(s.algorithm != "auto", "--algorithm is of collective operations, and there is none among these rows",
            [](const job& j) { return !j.messages; });
    require(s.uneven > 0, "--uneven is for operations on unequal parts, such as --operation allgatherv",
            [](const job& j) { return j.uneven.has_value(); });
    require(s.roots != std::vector{0}, "--root is for operations that have one, such as --operation broadcast",
            [](const job& j) { return j.rooted(); });
    require(!s.pairs.empty(), "--pairs is for messages of pairs of ranks, such as --operation pingpong",
            [](const job& j) { return j.in_pairs() && !j.between; });
}

/// Options that mean nothing over this transport.
void check_transport(const bench_settings& s) {
    const auto over = [&](auto... some) { return ((s.transport == some) || ...); };
    if (s.encrypt && !over("tcp", "routed"))
        throw std::invalid_argument("--encrypt is for what goes over tcp: --transport tcp or routed");
    if (s.lanes > 1 && !over("tcp", "routed", "routed_verbs"))
        throw std::invalid_argument("--lanes is for what goes over tcp: --transport tcp, routed or routed_verbs");
    if (s.lend_bytes > 0 && !over("shared_memory", "routed", "routed_verbs"))
        throw std::invalid_argument(
            "--lend-bytes is for what goes over shared memory: --transport shared_memory, routed or routed_verbs");
}

void check_offset(const bench_settings& s, const std::vector<job>& jobs) {
    if (s.offset > 0 && s.memory != memory_kind::page)
        throw std::invalid_argument("--offset is for --memory page: where a buffer begins in its page");
    for (const job& j : jobs)
        if (s.offset % size_of(j.type) != 0)
            throw std::invalid_argument(
                fmt::format("--offset {} is no multiple of {}'s {} bytes", s.offset, name_of(j.type), size_of(j.type)));
}

/// Ranks that are started here share this host's memory. What is more could not even hold the data.
void check_memory(const std::vector<job>& jobs, int ranks) {
    const auto there = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    const auto largest =
        std::ranges::max_element(jobs, {}, [](const job& j) { return static_cast<double>(j.bytes()); });
    const double bytes = static_cast<double>(largest->bytes());
    if (2 * bytes * ranks <= there) return;
    throw std::invalid_argument(fmt::format(
        "{}: input and output of {} rank{} take {}, and this host has {} of memory: take smaller sizes or fewer ranks",
        in_words(*largest), ranks, ranks == 1 ? "" : "s", bytes_text(2 * bytes * ranks), bytes_text(there)));
}

/// The wish that no row fulfils. Operators and types first: they are told apart from the rest by the library.
std::string why_nothing(const bench_settings& s, int ranks) {
    bool some = false;
    for (const element_type type : types_of(s.type))
        for (const operator_type op : operators_of(s.op)) some = some || reduces(op, type);
    if (!some) return fmt::format("--op {} is not for elements of --type {}", s.op, s.type);
    const auto helps = [&](auto bench_settings::*option, const auto& otherwise) {
        bench_settings other = s;
        other.*option = otherwise;
        return !jobs_of(other, 0, ranks).empty();
    };
    if (jobs_of(s, 0, std::max(ranks, 2)).size() > 0) return "messages are between two ranks at least";
    const bool by_auto = helps(&bench_settings::algorithm, "auto");
    if (helps(&bench_settings::where, place::both))
        return fmt::format("{} has no place {}{}", s.operation, s.where == place::in ? "in" : "out",
                           by_auto ? " by --algorithm " + s.algorithm : "");
    if (by_auto) return fmt::format("{} has none of --algorithm {}: take all", s.operation, s.algorithm);
    return fmt::format("no row has all that these options say: --operation {}, --type {}, --op {}, --algorithm {}",
                       s.operation, s.type, s.op, s.algorithm);
}

} // namespace

void check_settings(const bench_settings& s, int ranks) {
    check_transport(s);
    std::vector<std::string> files{s.json, s.csv, s.trace, s.html};
    files.insert(files.end(), s.against.begin(), s.against.end()); // what is compared with stays
    static_cast<void>(takes_standard_output(files, "--json, --csv, --trace, --html and --against"));
    const std::vector<job> jobs = jobs_of(s, 0, ranks);
    if (jobs.empty()) throw std::invalid_argument("nothing to measure: " + why_nothing(s, ranks));
    check_ranks(s, ranks, jobs);
    if (s.cold && s.how != timing::barrier)
        throw std::invalid_argument("--cold sweeps the caches before each call: with --timing barrier, not in a loop");
    check_overlap(s, jobs);
    check_device(s, jobs);
    check_rows(s, jobs);
    check_offset(s, jobs);
    check_imbalance(s, ranks, jobs);
    check_stream(s, jobs);
    for (const job& j : jobs)
        if (const auto& named = j.algorithm.algorithm) require_proven(*named, j.what, ranks); // else each rank says it
}

void check(const bench_settings& settings, int ranks) {
    check_settings(settings, ranks);
    check_memory(jobs_of(settings, 0, ranks), ranks);
    if (compares_with_others(settings))
        return ratios(settings, ranks).require_some(rows_for(jobs_of(settings, 0, ranks)));
    if (settings.against.empty()) return;
    const earlier_runs earlier(settings.against);
    testbed here = testbed_here();
    if (settings.bind.given()) {
        auto bound = settings.bind.processors_for(ranks);
        std::ranges::sort(bound);
        here.cores = static_cast<int>(std::ranges::unique(bound).begin() - bound.begin());
    }
    row_object known = conditions_of(settings, ranks, here);
    for (const char* const later : {"placement", "device"})
        if (known.at(later).is_null()) known.erase(later);
    earlier.require(known);
    earlier.require_some(rows_for(jobs_of(settings, 0, ranks)));
}

} // namespace tutti::tools
