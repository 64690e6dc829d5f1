// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command_line.hpp"

#include "commands.hpp"
#include "common/nearest.hpp"
#include "common/version.hpp"

#include <base/error.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
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

// A descriptor that is opened later must not become standard input, output or error by accident. Standard output that
// is closed stays one that cannot be written: what is printed there would be lost without a word.
void open_standard_descriptors() {
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(number, F_GETFD) < 0) open("/dev/null", number == STDOUT_FILENO ? O_RDONLY : O_RDWR);
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

/// Why standard output could not be written, as a sentence; empty where all of it was. A failure on the way has left no
/// reason: one more byte is tried, at the end of what is broken anyhow.
std::string lost_output() {
    errno = 0;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
    const bool told = errno != 0 || write(STDOUT_FILENO, "\n", 1) < 0;
    return fmt::format("cannot write standard output{}{}", told ? ": " : "", told ? std::strerror(errno) : "");
}

int run_command(int argc, char** argv, const commands_adder& add) {
    CLI::App app{"tutti: collective communication with proven schedules", "tutti"};
    app.set_version_flag("--version", version, "Print the version and exit");
    app.require_subcommand(0, 1);
    app.failure_message([](const CLI::App* refusing, const CLI::Error& e) {
        return "tutti: " + CLI::FailureMessage::simple(refusing, e);
    });
    action chosen;
    add(app, chosen);
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
        const std::string lost = lost_output();
        fmt::print(stderr, "tutti: {}\n", lost.empty() ? e.what() : lost);
        return 1;
    }
}

} // namespace

// Whatever the command, its status is 0 only where all that it prints has been written.
int main_of(int argc, char** argv, const commands_adder& add) {
    open_standard_descriptors();
    std::signal(SIGXFSZ, SIG_IGN); // a file that grows beyond the limit of this process is an error to be told
    const int status = run_command(argc, argv, add);
    if (status != 0) return status;
    const std::string lost = lost_output();
    if (!lost.empty()) fmt::print(stderr, "tutti: {}\n", lost);
    return lost.empty() ? 0 : 1;
}

} // namespace tutti::tools
