// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"

#include "commands.hpp"
#include "common/nearest.hpp"
#include "common/version.hpp"

#include <base/error.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
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

std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); }))
        names.push_back(command->get_name());
    return names;
}

/// As they are written: -n, --iterations.
std::vector<std::string> options_of(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

/// What to say of the first word that a command, or the command line without one, has no use for.
std::string refusal_of(const CLI::App& app, const CLI::App& command) {
    const std::string title = &command == &app ? "tutti" : "tutti " + command.get_name();
    const std::vector<std::string> left = command.remaining();
    const std::string word = left.empty() ? "" : left.front().substr(0, left.front().find('='));
    if (!word.starts_with('-')) {
        if (&command != &app)
            return fmt::format("{}: '{}' is not expected; '{} --help' tells more", title, word, title);
        const auto names = commands_of(app);
        return fmt::format("tutti: there is no command '{}'{}choose one of {}", word, did_you_mean(word, names),
                           fmt::join(names, ", "));
    }
    return fmt::format("{}: there is no option '{}'{}'{} --help' lists them", title, word,
                       did_you_mean(word, options_of(command)), title);
}

/// Launchers call a number of ranks so, but a single '-' stands before single letters here.
std::vector<const char*> own_words(int own, const char* const* argv) {
    std::vector<const char*> words(argv, argv + own);
    for (const char*& word : words)
        if (std::string_view{word} == "-np") word = "--ranks";
    return words;
}

constexpr auto guide = R"(tutti: collective communication with proven schedules

  tutti bench    measure the collectives, with one call a row checked in full
  tutti fit      measure this machine, and fit the parameters of the cost model to it
  tutti verify   prove the schedules and print what they cost
  tutti draw     draw a schedule, as text or SVG
  tutti export   write a schedule for LogGOPSim or MSCCL
  tutti model    price the schedules: on paper, simulated, beside what was measured
  tutti explain  say which algorithm would be chosen, at what price, and why
  tutti rule     say what the library's rule costs on known machines
  tutti plan     search how to lay out the training of a network on a cluster of GPUs
  tutti train    train a small network on several ranks
  tutti study    reproduce a study of training, as one HTML page
  tutti env      say which launcher started this process, and how it would join the others
  tutti run      start a program on several ranks, of this host or of several
  tutti ps       show what the ranks of running jobs do, and which waits for which
  tutti manual   print the manual page of a command; completion: print what a shell completes by

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
    add_plan(app, chosen);
    add_ps(app, chosen);
    add_train(app, chosen, command_line);
    add_study(app, chosen);
    add_env(app, chosen);
    add_manual(app, chosen);
    add_completion(app, chosen);
    const int own = program_begins(argc, argv);
    std::vector<std::string> program(argv + own, argv + argc);
    if (!program.empty() && program.front() == "--") program.erase(program.begin());
    add_run(app, chosen, std::move(program));
    add_run_agent(app, chosen);
    try {
        const std::vector<const char*> words = own_words(own, argv);
        app.parse(own, words.data());
        return chosen();
    } catch (const CLI::ExtrasError&) {
        const auto named = app.get_subcommands();
        fmt::print(stderr, "{}\n", refusal_of(app, named.empty() ? app : *named.front()));
        return 2;
    } catch (const CLI::RequiredError& e) {
        // Where an option is missing, it may be there under a wrong name.
        const auto named = app.get_subcommands();
        const auto left = named.empty() ? std::vector<std::string>{} : named.front()->remaining();
        if (left.empty() || !left.front().starts_with('-')) {
            app.exit(e);
        } else {
            fmt::print(stderr, "{}\n", refusal_of(app, *named.front()));
        }
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
