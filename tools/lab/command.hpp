// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../tutti/command.hpp"

namespace tutti::tools::lab {

/// The tutti-lab command: all of tutti, and the laboratory. Returns the exit status.
int main(int argc, char** argv);

/// The same with algorithms of your own: see tutti::tools::main().
template <class... Own>
    requires(sizeof...(Own) > 0)
int main(int argc, char** argv, const Own&... own) {
    add_own(own...);
    return main(argc, argv);
}

} // namespace tutti::tools::lab
