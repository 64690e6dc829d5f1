// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"

#include "command_line.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

constexpr auto guide = R"(tutti: collective communication with proven schedules

  tutti bench    measure the collectives, with one call a row checked in full
  tutti fit      measure this machine, and fit the parameters of the cost model to it
  tutti verify   prove the schedules and print what they cost
  tutti draw     draw a schedule, as text or SVG
  tutti export   write a schedule for LogGOPSim or MSCCL
  tutti model    price the schedules: on paper, simulated, beside what was measured
  tutti explain  say which algorithm would be chosen, at what price, and why
  tutti env      say which launcher started this process, and how it would join the others
  tutti run      start a program on several ranks, of this host or of several
  tutti ps       show what the ranks of running jobs do, and which waits for which
  tutti manual   print the manual page of a command

The laboratory, a program of its own, tutti-lab
  tutti train    train a small network on several ranks
  tutti study    reproduce a study of training, as one HTML page
  tutti plan     search how to lay out the training of a network on a cluster of GPUs
  tutti rule     say what the library's rule costs on known machines

Try
  tutti bench --transport tcp --ranks 4 --algorithm all -b 8 -e 16M
  tutti verify --operation all --algorithm all --ranks 1..16
  tutti draw --algorithm ring --ranks 8
  tutti model --lecture
  tutti train --ranks 4
  tutti run -n 4 -- ./my_program

'tutti COMMAND --help' tells more.
)";

struct of_lab {
    const char *name, *does;
};

constexpr std::array commands_of_lab{
    of_lab{"rule", "Say what the library's rule costs on known machines"},
    of_lab{"plan", "Search how to lay out the training of a network on a cluster of GPUs"},
    of_lab{"train", "Train a small network on several ranks"},
    of_lab{"study", "Reproduce a study of training, as one HTML page"},
};

/// Becomes tutti-lab, the one beside this program if there is one. Returns only by an exception.
int run_lab(std::vector<std::string> command_line) {
    std::error_code none;
    const auto beside = std::filesystem::read_symlink("/proc/self/exe", none).replace_filename("tutti-lab");
    command_line.front() = exists(beside, none) ? beside.string() : "tutti-lab";
    std::vector<char*> words;
    for (std::string& word : command_line) words.push_back(word.data());
    words.push_back(nullptr);
    execvp(words.front(), words.data());
    const int why = errno;
    throw std::runtime_error(
        fmt::format("{} is a command of tutti-lab, which is not here ({}): install it beside tutti, or "
                    "build tools/tutti-lab",
                    command_line[1], std::strerror(why)));
}

} // namespace

void add_commands(CLI::App& app, action& chosen, const std::vector<std::string>& command_line) {
    chosen = [] {
        fmt::print("{}", guide);
        return 0;
    };
    add_bench(app, chosen, command_line);
    add_fit(app, chosen);
    add_verify(app, chosen);
    add_explain(app, chosen);
    add_draw(app, chosen);
    add_export(app, chosen);
    add_model(app, chosen);
    add_ps(app, chosen);
    add_env(app, chosen);
    add_manual(app, chosen);
}

int main(int argc, char** argv) {
    return main_of(argc, argv, [&](CLI::App& app, action& chosen) {
        const std::vector<std::string> command_line(argv, argv + argc);
        add_commands(app, chosen, command_line);
        for (const of_lab& lab : commands_of_lab) {
            CLI::App* const command = app.add_subcommand(lab.name, lab.does)->prefix_command();
            command->set_help_flag();
            command->final_callback(
                [&chosen, command_line] { chosen = [command_line] { return run_lab(command_line); }; });
        }
    });
}

} // namespace tutti::tools
