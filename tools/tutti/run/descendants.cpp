// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "descendants.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

/// 0 if the process is gone. Its name, in parentheses, may hold anything.
pid_t parent_of(const std::filesystem::path& process) {
    std::ifstream file{process / "stat"};
    std::string stat;
    std::getline(file, stat, '\0');
    const std::size_t name_ends = stat.rfind(") ");
    return name_ends == stat.npos ? 0 : static_cast<pid_t>(std::atol(stat.c_str() + name_ends + 4));
}

// Not every kernel has a list of children.
void kill_children() {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator{"/proc", none}) {
        const auto pid = static_cast<pid_t>(std::atol(entry.path().filename().c_str()));
        if (pid > 0 && parent_of(entry.path()) == getpid()) kill(pid, SIGKILL);
    }
}

} // namespace

descendants::descendants() noexcept {
    prctl(PR_GET_CHILD_SUBREAPER, &before_);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}
descendants::~descendants() { prctl(PR_SET_CHILD_SUBREAPER, before_); }

// A child that is killed leaves its own children here: they come in the next round.
void descendants::end() const noexcept try {
    using namespace std::chrono;
    for (const auto until = steady_clock::now() + seconds{3}; steady_clock::now() < until; usleep(1000)) {
        kill_children();
        pid_t ended = 0;
        do ended = waitpid(-1, nullptr, WNOHANG);
        while (ended > 0);
        if (ended < 0) return; // there is none
    }
} catch (const std::exception&) { // no memory, or no /proc
}

} // namespace tutti::tools
