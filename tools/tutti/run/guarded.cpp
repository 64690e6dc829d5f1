// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "guarded.hpp"

#include "descendants.hpp"
#include "signals.hpp"

#include <transport/sockets/wait_ready.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

// A group of its own, since who kills a job by its group would end both at once. It may write to the terminal though.
void become_the_work(pid_t guard) {
    setpgid(0, 0);
    std::signal(SIGTTOU, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != guard) _exit(1); // it was gone before the line above
}

// Both stop, as one process would; else output would go on.
void stop_with(pid_t work) {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    kill(work, SIGSTOP);
    std::raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, nullptr); // here it stops, unless there is nobody to let it go on
    sigprocmask(SIG_BLOCK, &stop, nullptr);
    kill(work, SIGCONT);
}

// Reaps orphans too, which come here where this is the first process of a container.
bool has_ended(pid_t work, int& how) {
    for (pid_t one = 0; (one = waitpid(-1, &how, WNOHANG)) > 0;)
        if (one == work) return true;
    return false;
}

} // namespace

int guarded(const std::function<int()>& work) {
    std::fflush(nullptr);
    std::optional<signal_source> signals(std::in_place, SIGTSTP);
    const descendants left; // before the worker is there, which it must not spare
    const pid_t guard = getpid(), worker = fork();
    if (worker < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process");
    if (worker == 0) {
        become_the_work(guard);
        signals.reset();
        return work();
    }
    setpgid(worker, worker); // here as there: whoever comes first
    int ended = 0;
    while (!has_ended(worker, ended)) {
        transport::bootstrap::wait_ready(signals->get(), POLLIN, std::chrono::steady_clock::time_point::max());
        while (const int number = signals->next())
            if (number == SIGTSTP)
                stop_with(worker);
            else if (number != SIGCHLD)
                kill(worker, number);
    }
    if (WIFEXITED(ended)) return WEXITSTATUS(ended);
    left.end();
    const int number = WTERMSIG(ended);
    const char* const name = sigabbrev_np(number);
    fmt::print(stderr, "tutti: the process that supervises the ranks was ended by signal {} (SIG{})\n", number,
               name ? name : "?");
    return 128 + number;
}

} // namespace tutti::tools
