// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <sys/wait.h>

/// Runs the built `tutti` command, whose path is in TUTTI_COMMAND, through a shell.
namespace tools_test {

struct outcome {
    int status = -1;    ///< as a shell sees it
    std::string output; ///< standard output and standard error, as they came
    double seconds = 0;
};

[[nodiscard]] inline outcome shell(const std::string& line) {
    const auto start = std::chrono::steady_clock::now();
    std::FILE* const pipe = popen(("exec 2>&1; " + line).c_str(), "r");
    if (!pipe) throw std::runtime_error("cannot start a shell");
    outcome result;
    std::array<char, 4096> piece;
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe))
        result.output.append(piece.data(), got);
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

/// `timeout` bounds it: 124 is its status then, and 137 if it had to be killed.
[[nodiscard]] inline outcome command(const std::string& arguments, const std::string& environment = "") {
    const char* const program = std::getenv("TUTTI_COMMAND");
    if (!program) throw std::runtime_error("TUTTI_COMMAND must name the tutti command");
    return shell("env -u TUTTI_RANK " + environment + " timeout -k 5 60 " + program + " " + arguments);
}

[[nodiscard]] inline std::size_t occurrences(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += word.size()) ++count;
    return count;
}

} // namespace tools_test
