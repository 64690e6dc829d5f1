// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "descendants.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
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

struct process {
    pid_t number = 0;
    pid_t parent = 0; // 0 if it is gone
    unsigned long long begun = 0;
};

process process_at(const std::filesystem::path& entry) {
    process p;
    p.number = static_cast<pid_t>(std::atol(entry.filename().c_str()));
    if (p.number <= 0) return p;
    std::ifstream file{entry / "stat"};
    std::string stat;
    std::getline(file, stat, '\0');
    const std::size_t name_ends = stat.rfind(") "); // the name, in parentheses, may hold anything
    if (name_ends == stat.npos ||
        std::sscanf(stat.c_str() + name_ends,
                    ") %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &p.parent,
                    &p.begun) != 2)
        p.parent = 0;
    return p;
}

// Not every kernel has a list of children. None where /proc counts the processes of another namespace.
std::vector<process> all_processes() {
    std::vector<process> all;
    std::error_code none;
    if (std::filesystem::read_symlink("/proc/self", none) != std::to_string(getpid())) return all;
    for (const auto& entry : std::filesystem::directory_iterator{"/proc", none})
        if (const process p = process_at(entry.path()); p.parent > 0) all.push_back(p);
    return all;
}

bool has_children() {
    siginfo_t how{};
    return waitid(P_ALL, 0, &how, WEXITED | WNOHANG | WNOWAIT) == 0;
}

} // namespace

descendants::descendants() {
    prctl(PR_GET_CHILD_SUBREAPER, &before_);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (!has_children()) return;
    const std::vector<process> all = all_processes();
    for (std::vector<pid_t> parents{getpid()}; !parents.empty();) {
        const pid_t parent = parents.back();
        parents.pop_back();
        for (const process& p : all)
            if (p.parent == parent) {
                spared_.emplace_back(p.number, p.begun);
                parents.push_back(p.number);
            }
    }
}
descendants::~descendants() { prctl(PR_SET_CHILD_SUBREAPER, before_); }

// A child that is killed leaves its own children here: they come in the next round.
void descendants::end() const noexcept try {
    using namespace std::chrono;
    for (const auto until = steady_clock::now() + seconds{3}; steady_clock::now() < until; usleep(1000)) {
        while (waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        if (!has_children()) return;
        bool found = false;
        for (const process& p : all_processes()) {
            if (p.parent != getpid() ||
                std::find(spared_.begin(), spared_.end(), std::pair{p.number, p.begun}) != spared_.end())
                continue;
            kill(p.number, SIGKILL);
            found = true;
        }
        if (!found) return;
    }
} catch (const std::exception&) { // no memory, or no /proc
}

} // namespace tutti::tools
