// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace tutti::soak {

namespace {

constexpr const char* help =
    R"(Random worlds, mismatches and faults, one after the other; checks each result and each error.

usage: tools/soak [--minutes N | --seconds N] [--seed S] [--jobs N] [--json FILE]
       tools/soak --seed S --world K      that world again, with its plan and each rank's report

  --minutes N, --seconds N   begin no further world after this time (1 minute)
  --seed S                   everything random follows from it (drawn, and printed)
  --world K                  only the world of that number
  --jobs N                   so many worlds at a time (as many as there are cores)
  --deadline MS              of calls in worlds with a fault that lets them wait (2000)
  --slack MS                 an error may come so much later than promised, on a busy machine (0)
  --over verbs               ranks that are processes talk over RDMA, whatever was drawn (see tests/verbs/guest)
  --json FILE                what the table says, with each failure's plan and reports

Exit status: 0 if all is well, 1 if not, 2 for a wrong command line.
)";

template <class T>
T number(std::string_view name, std::string_view text, T least) {
    T value{};
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (bad != std::errc{} || end != text.data() + text.size() || value < least)
        throw std::invalid_argument(std::string(name) + " needs a number, not \"" + std::string(text) + "\"");
    return value;
}

void put(options& o, std::string_view name, std::string_view value) {
    using std::chrono::milliseconds;
    if (name == "--minutes")
        o.seconds = 60 * number(name, value, 0.);
    else if (name == "--seconds")
        o.seconds = number(name, value, 0.);
    else if (name == "--seed")
        o.seed = number<std::uint64_t>(name, value, 0);
    else if (name == "--world")
        o.world = number<std::uint64_t>(name, value, 0);
    else if (name == "--jobs")
        o.jobs = number(name, value, 1);
    else if (name == "--deadline")
        o.deadline = milliseconds(number(name, value, 100));
    else if (name == "--slack")
        o.slack = milliseconds(number(name, value, 0));
    else if (name == "--json")
        o.json = value;
    else if (name == "--over" && value == "verbs")
        o.verbs = true;
    else
        throw std::invalid_argument("there is no option " + std::string(name) + "; see --help");
}

} // namespace

std::optional<options> parsed(int count, char** arguments) {
    options o;
    o.seed = std::random_device{}();
    o.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    for (int i = 1; i < count; i += 2) {
        const std::string_view name = arguments[i];
        if (name == "--help" || name == "-h") {
            std::fputs(help, stdout);
            return {};
        }
        if (i + 1 == count) throw std::invalid_argument(std::string(name) + " needs a value; see --help");
        put(o, name, arguments[i + 1]);
    }
    return o;
}

std::string command_for(const options& o, std::uint64_t world) {
    std::string text = "tools/soak --seed " + std::to_string(o.seed) + " --world " + std::to_string(world);
    if (o.verbs) text += " --over verbs";
    if (o.deadline != options{}.deadline) text += " --deadline " + std::to_string(o.deadline.count());
    return text;
}

} // namespace tutti::soak
