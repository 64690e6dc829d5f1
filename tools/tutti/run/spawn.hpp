// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/descriptor.hpp"

#include <csignal>
#include <cstddef>
#include <string>
#include <system_error>
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

/// What executes this very program, wherever it lies, whatever it is called, and if its file is replaced meanwhile.
inline constexpr auto this_program = "/proc/self/exe";

struct spawn_options {
    std::vector<std::string> command;                             ///< its first word is looked up in PATH
    std::vector<std::pair<std::string, std::string>> environment; ///< set in the child; an empty value unsets
    std::vector<int> inherited;                                   ///< descriptors that stay open
    bool piped = true;         ///< through pipes, or else straight to the parent's output and error
    bool fed = false;          ///< standard input is a pipe; else there is nothing to read
    int last_signal = SIGKILL; ///< which it is sent when the calling thread ends
    std::string program{};     ///< what is executed instead of the first word, which it sees; empty: that word
};

/// The program cannot be executed. what() names it and says why.
class cannot_execute : public std::system_error {
public:
    using std::system_error::system_error;
    /// As a shell's: 127 where there is no such program, else 126.
    [[nodiscard]] int exit_status() const noexcept {
        return code() == std::errc::no_such_file_or_directory ? 127 : 126;
    }
};

/// This process can open so many more descriptors, for `what`. Where it may, it raises its own soft limit; what is
/// spawned gets the former one back, since there are programs that close all numbers up to it, or call select(2).
/// Throws std::runtime_error that names the limit.
void make_room_for(std::size_t descriptors, const std::string& what);

/// Starts a process in a process group of its own (its number is the child's), with no signal blocked. Throws
/// cannot_execute, and std::system_error where there can be no process.
[[nodiscard]] child spawn(const spawn_options& options);

} // namespace tutti::tools
