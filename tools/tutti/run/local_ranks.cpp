// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "local_ranks.hpp"

#include "launched.hpp"
#include "spawn.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include <fmt/format.h>

namespace tutti::tools {

launch_options local_ranks(const std::vector<std::string>& command_line, int ranks) {
    launch_options options;
    options.command = command_line;
    options.program = this_program;
    options.ranks = ranks;
    options.plain_rank = 0;
    return options;
}

namespace {

/// Where this very program started this rank: the one whose output goes out as it is, or -1.
const char* plain_rank() { return std::getenv("TUTTI_PLAIN_RANK"); }

/// What to put in front of a line of this rank. tutti's launcher does it for all but a plain rank, others for none.
std::string own_prefix() {
    try {
        const auto place = launched_place();
        if (place && (!place->by_tutti || (plain_rank() && std::to_string(place->rank) == plain_rank())))
            return fmt::format("[{}] ", place->rank);
    } catch (const std::exception&) { // that is being reported
    }
    return {};
}

} // namespace

int as_rank(const std::function<int()>& part) {
    const auto say = [](const std::exception& e) {
        if (*e.what()) fmt::print(stderr, "{}{}\n", own_prefix(), e.what()); // else another rank says it
    };
    try {
        const int status = part();
        return status == result_is_wrong && !plain_rank() ? 1 : status;
    } catch (const std::invalid_argument& e) {
        say(e);
        return usage_is_wrong;
    } catch (const std::exception& e) {
        say(e);
        return 1;
    }
}

int report_launch(std::string_view command, const launch_result& result) {
    if (result.status == 0) return 0;
    if (result.forwarded != 0) return 128 + result.forwarded;
    for (const int status : {became_slower, not_compared, nobody_reads})
        if (result.status == status) return status;
    if (result.status != result_is_wrong) fmt::print(stderr, "tutti {}: {}\n", command, result.report);
    return result.status == usage_is_wrong ? usage_is_wrong : 1;
}

} // namespace tutti::tools
