// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/descriptor.hpp"

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace tutti::tools {

/// A process that was started, and the reading ends of its output.
struct child {
    pid_t pid = -1;
    descriptor input;  ///< the writing end of its standard input, if it is fed
    descriptor output; ///< not open when the child writes straight to its parent's
    descriptor error;
};

struct spawn_options {
    std::vector<std::string> command;
    std::vector<std::pair<std::string, std::string>> environment; ///< set in the child; an empty value unsets
    std::vector<int> inherited;                                   ///< descriptors that stay open
    bool piped = true;         ///< through pipes, or else straight to the parent's output and error
    bool fed = false;          ///< standard input is a pipe; else there is nothing to read
    int last_signal = SIGKILL; ///< which it is sent when the calling thread ends
};

/// Starts a process in a process group of its own (its number is the child's), with no signal blocked. Throws
/// std::system_error that names the program when it cannot be executed.
[[nodiscard]] child spawn(const spawn_options& options);

} // namespace tutti::tools
