// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"

#include "commands.hpp"

#include <base/error.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

// A descriptor that is opened later must not become standard input, output or error by accident.
void open_standard_descriptors() {
    for (int number = open("/dev/null", O_RDWR); number >= 0; number = open("/dev/null", O_RDWR))
        if (number > STDERR_FILENO) {
            close(number);
            return;
        }
}

std::string commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); }))
        names.push_back(command->get_name());
    return fmt::format("{}", fmt::join(names, ", "));
}

constexpr auto version = "tutti 0.1.0";

constexpr auto guide = R"(tutti: collective communication with proven schedules

  tutti bench    measure the collectives, with one call a row checked in full
  tutti fit      measure this machine, and fit the parameters of the cost model to it
  tutti verify   prove the schedules and print what they cost
  tutti draw     draw a schedule, as text or SVG
  tutti export   write a schedule for LogGOPSim or MSCCL
  tutti model    price the schedules: on paper, simulated, beside what was measured
  tutti explain  say which algorithm would be chosen, at what price, and why
  tutti rule     say what the library's rule costs on known machines
  tutti train    train a small network on several ranks
  tutti env      say which launcher started this process, and how it would join the others
  tutti run      start a program on several ranks, of this host or of several
  tutti ps       show what the ranks of running jobs do, and which waits for which

Try
  tutti bench --transport tcp --ranks 4 --algorithm all -b 8 -e 16M
  tutti verify --operation all --algorithm all --ranks 1..16
  tutti draw --algorithm ring --ranks 8
  tutti model --lecture
  tutti train --ranks 4
  tutti run -n 4 -- ./my_program

'tutti COMMAND --help' tells more.
)";

} // namespace

int main(int argc, char** argv) {
    open_standard_descriptors();
    CLI::App app{"tutti: collective communication with proven schedules", "tutti"};
    app.set_version_flag("--version", version, "Print the version and exit");
    app.require_subcommand(0, 1);
    action chosen = [] {
        fmt::print("{}", guide);
        return 0;
    };
    const std::vector<std::string> command_line(argv, argv + argc);
    add_bench(app, chosen, command_line);
    add_fit(app, chosen);
    add_verify(app, chosen);
    add_explain(app, chosen);
    add_draw(app, chosen);
    add_export(app, chosen);
    add_model(app, chosen);
    add_rule(app, chosen);
    add_ps(app, chosen);
    add_train(app, chosen, command_line);
    add_env(app, chosen);
    const int own = program_begins(argc, argv);
    std::vector<std::string> program(argv + own, argv + argc);
    if (!program.empty() && program.front() == "--") program.erase(program.begin());
    add_run(app, chosen, std::move(program));
    add_run_agent(app, chosen);
    try {
        app.parse(own, argv);
        return chosen();
    } catch (const CLI::ExtrasError& e) {
        if (!app.get_subcommands().empty() || own < 2 || argv[1][0] == '-') {
            app.exit(e);
            return 2;
        }
        fmt::print(stderr, "tutti: there is no command '{}'; choose one of {}\n", argv[1], commands_of(app));
        return 2;
    } catch (const CLI::ParseError& e) {
        // CLI11's own codes for wrong usage start at 100; one number is enough for a script.
        return app.exit(e) == 0 ? 0 : 2;
    } catch (const std::invalid_argument& e) {
        fmt::print(stderr, "tutti: {}\n", e.what());
        return 2;
    } catch (const error& e) { // says who it is itself
        fmt::print(stderr, "{}\n", e.what());
        return 1;
    } catch (const std::exception& e) {
        fmt::print(stderr, "tutti: {}\n", e.what());
        return 1;
    }
}

} // namespace tutti::tools
