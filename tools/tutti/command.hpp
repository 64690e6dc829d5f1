// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/algorithm/prove.hpp>
#include <collectives/model/closed_form.hpp>

namespace tutti::tools {

/// The tutti command. Returns the exit status.
int main(int argc, char** argv);

/// Lets every subcommand know these algorithms.
template <class... Own>
void add_own(const Own&... own) {
    (algorithm::detail::require_algorithm<Own>(), ...);
    ((algorithm::add(own), model::add_closed_form<Own>()), ...);
}

/// The tutti command with algorithms of your own: its subcommands know them by their names, and `all` means them too.
/// For `train` and the rest of the laboratory, include tools/lab/command.hpp, and call tutti::tools::lab::main().
/// A program of yours that is nothing but this:
///
///     int main(int argc, char** argv) { return tutti::tools::main(argc, argv, my_algorithm{}); }
template <class... Own>
    requires(sizeof...(Own) > 0)
int main(int argc, char** argv, const Own&... own) {
    add_own(own...);
    return main(argc, argv);
}

} // namespace tutti::tools
