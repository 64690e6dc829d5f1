// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "launches.hpp"

#include "../common/descriptor.hpp"
#include "../common/shared_room.hpp"
#include "against.hpp"
#include "contestant.hpp"
#include "foreign_rows.hpp"
#include "launch_variable.hpp"
#include "row_file.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

descriptor file_in_memory(const char* name) {
    descriptor file{memfd_create(name, MFD_CLOEXEC)};
    if (!file.open()) throw std::system_error(errno, std::generic_category(), "cannot make shared memory");
    return file;
}

/// Who reads a pipe is not to see its end before the last launch has written to it.
descriptor kept_open(const std::string& file) {
    std::error_code none;
    return descriptor{std::filesystem::is_fifo(file, none) ? open(file.c_str(), O_WRONLY | O_CLOEXEC) : -1};
}

/// Ranks that are threads are one process.
launch_result launch_round(const bench_settings& s, const std::vector<std::string>& command, std::size_t round,
                           const descriptor& rows) {
    const bool threads = s.transport == "memory";
    const descriptor file = shared_room::make_file(s.ranks);
    const auto room = shared_room::open(s.ranks, file.get());
    launch_options options = local_ranks(command, threads ? 1 : s.ranks);
    // Also before they have met, nobody waits for a lost rank beyond the deadline; but starting takes its time, however
    // short a call may be, and the library knows no wait longer than a day.
    const auto meet_s = static_cast<long long>(std::clamp(std::ceil(s.deadline_s), 2.0, 86'400.0));
    options.environment = {{bench_launch_variable, fmt::format("{},{},{}", file.get(), rows.get(), round)},
                           {"TUTTI_BOOTSTRAP_TIMEOUT", std::to_string(meet_s)}};
    options.inherited = {file.get(), rows.get()};
    if (!threads) options.bind = s.bind;
    // The others are to find out by themselves, and say so: that takes a deadline at most.
    options.patience = std::chrono::seconds{meet_s + 2};
    options.grace = std::chrono::seconds{1}; // what is left then is stopped, or beyond help
    options.on_failure = [room, &options](int rank) {
        room->lose(rank);
        // Who has met hears of it at once, and has been waiting for about as long as the one that gave up first.
        if (room->all_have_met())
            options.patience = std::chrono::milliseconds{400}, options.grace = std::chrono::milliseconds{200};
    };
    return launch(options);
}

/// The command line for another one that is measured in turn, which has its own ranks and its own reports.
std::vector<std::string> command_of_other(const bench_settings& s, const std::vector<std::string>& command,
                                          std::vector<std::string> without, const descriptor& json) {
    for (const char* const name : {"--against-program", "--tolerance", "--other-work", "-J", "--json", "--output_file",
                                   "--csv", "--trace", "--html", "-N", "--rounds", "--run_cycles"})
        without.emplace_back(name);
    std::vector<std::string> line = without_options(command, without);
    if (s.transport_is_default) line.insert(line.end(), {"--transport", s.transport}); // its own may be another
    line.insert(line.end(), {"--json", fmt::format("/proc/{}/fd/{}", getpid(), json.get())});
    return line;
}

/// Another one that is measured in turn: how it is called, and how it is launched to write its rows.
struct other_side {
    std::string name;
    std::function<launch_result(const descriptor& json)> launch;
};

launch_result launch_quietly(launch_options options) {
    const descriptor nothing{open("/dev/null", O_WRONLY | O_CLOEXEC)};
    options.plain_rank = -1;
    options.output = nothing.get();
    return launch(options);
}

/// Those that the settings name. Both arguments must outlive them.
std::vector<other_side> others_of(const bench_settings& s, const std::vector<std::string>& command) {
    std::vector<other_side> all;
    if (!s.against_program.empty())
        all.push_back({s.against_program, [&](const descriptor& json) {
                           launch_options options = local_ranks(command_of_other(s, command, {}, json), 1);
                           options.program = s.against_program;
                           options.environment = {{"TUTTI_RANK", ""}, {"TUTTI_SIZE", ""}, {"TUTTI_ADDRESS", ""}};
                           return launch_quietly(std::move(options));
                       }});
    for (const std::string& name : s.contestants)
        all.push_back({name, [&, c = contestant(name, s)](const descriptor& json) mutable {
                           std::vector<std::string> without{"--contestant", "--algorithm", "--machine", "--bind"};
                           if (s.memory == memory_kind::symmetric) without.emplace_back("--memory");
                           std::vector<std::string> line = command_of_other(s, command, without, json);
                           if (s.memory == memory_kind::symmetric) line.insert(line.end(), {"--memory", "page"});
                           const descriptor room = shared_room::make_file(s.ranks);
                           return launch_quietly(c.launch_of(std::move(line), room.get()));
                       }});
    return all;
}

/// One round of another one, whose rows are kept beside ours. Returns how it ended.
launch_result launch_other(const other_side& other, std::size_t round, const descriptor& rows) {
    const descriptor file = file_in_memory("tutti bench other");
    const launch_result ended = other.launch(file);
    if (ended.status != 0) return ended;
    std::ifstream in(fmt::format("/proc/self/fd/{}", file.get()));
    const row_object printed = row_object::parse(in, nullptr, false);
    if (!printed.is_array()) throw std::invalid_argument(other.name + " wrote no rows of tutti bench");
    if (printed.empty()) throw std::invalid_argument("none of these calls is measured of " + other.name);
    for (row_object row : printed) {
        row["program"] = other.name;
        row["launch"] = row["round"] = round;
        append_row(rows.get(), row);
    }
    return ended;
}

std::size_t rounds_of(const bench_settings& s) {
    constexpr std::size_t beside_program = 7;
    if (s.rounds_are_given) return s.rounds;
    if (!s.against_program.empty() || !s.contestants.empty()) return beside_program;
    if (s.against.empty()) return s.rounds;
    return is_foreign(s.against.front()) ? least_rounds : std::max(least_rounds, earlier_runs(s.against).rounds());
}

} // namespace

std::optional<launched_round> launch_of_bench() {
    const char* const text = std::getenv(bench_launch_variable);
    launched_round r;
    std::size_t number = 0;
    if (!text || std::sscanf(text, "%d,%d,%zu", &r.room, &r.rows, &number) != 3) return std::nullopt;
    r.number = number;
    return r;
}

std::vector<std::string> without_options(const std::vector<std::string>& command,
                                         const std::vector<std::string>& names) {
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const std::string& word = command[i];
        const bool is_value_behind = std::ranges::find(names, word) != names.end();
        const bool holds_value = std::ranges::any_of(names, [&](const std::string& name) {
            return word.starts_with(name + "=") || (name.size() == 2 && word.starts_with(name));
        });
        if (!is_value_behind && !holds_value)
            kept.push_back(word);
        else if (is_value_behind)
            ++i;
    }
    return kept;
}

// Others go first in the last round, and first or last in turn before: all sides have the same place in time on
// average, and their rows are there when the last ranks of ours compare. Several take turns among themselves.
int measure_rounds(bench_settings s, const std::vector<std::string>& command) {
    s.rounds = rounds_of(s);
    const std::vector<other_side> others = others_of(s, command);
    if (s.transport == "memory" && s.rounds == 1 && others.empty()) {
        const int status = bench_in_memory(s);
        return status == result_is_wrong ? 1 : status;
    }
    std::vector<std::string> line = command;
    if (s.rounds > 1 && !s.rounds_are_given) line.insert(line.end(), {"--rounds", std::to_string(s.rounds)});
    const descriptor rows = file_in_memory("tutti bench rows"), json = kept_open(s.json), csv = kept_open(s.csv);
    int worst = 0;
    for (std::size_t round = 0; round < s.rounds; ++round) {
        const std::size_t ours = (s.rounds - round) % 2 == 1 ? others.size() : 0; // its place among them
        for (std::size_t k = 0; k <= others.size(); ++k) {
            const other_side* const other = k == ours ? nullptr : &others[(k - (k > ours) + round) % others.size()];
            const launch_result ended = other ? launch_other(*other, round, rows) : launch_round(s, line, round, rows);
            const int status = report_launch(other ? "bench: " + other->name : "bench", ended);
            if (status != 0 && ended.status != result_is_wrong && (other || round + 1 < s.rounds)) return status;
            if (status != 0 && worst == 0) worst = status;
        }
    }
    return worst;
}

} // namespace tutti::tools
