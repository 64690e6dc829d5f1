// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"

#include "command_line.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

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
    return main_of(argc, argv, [&](CLI::App& app, action& chosen) {
        chosen = [] {
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
    });
}

} // namespace tutti::tools
