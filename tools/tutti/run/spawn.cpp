// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "spawn.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

[[noreturn]] void fail(const std::string& what, int number) {
    throw std::system_error(number, std::generic_category(), what);
}

struct pipe_ends {
    descriptor reading;
    descriptor writing;
};

pipe_ends make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("cannot make a pipe", errno);
    return {descriptor{ends[0]}, descriptor{ends[1]}};
}

// dup2 onto itself would leave close-on-exec set.
void place(int from, int to) {
    if (from == to) {
        fcntl(to, F_SETFD, 0);
    } else {
        dup2(from, to);
    }
}

void unblock_signals() {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTTOU}) std::signal(number, SIG_DFL);
}

// What the child does between fork and exec; the caller has one thread, so allocation is allowed here.
void become(const spawn_options& options, pid_t parent, int input, int output, int error) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, options.last_signal);
    if (getppid() != parent) _exit(1); // the parent was gone before the line above
    unblock_signals();
    descriptor nothing{options.fed ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC)};
    if (options.fed || nothing.open()) place(options.fed ? input : nothing.get(), STDIN_FILENO);
    if (options.piped) {
        place(output, STDOUT_FILENO);
        place(error, STDERR_FILENO);
    }
    for (int number : options.inherited) fcntl(number, F_SETFD, 0);
    for (const auto& [name, value] : options.environment) {
        if (value.empty()) {
            unsetenv(name.c_str());
        } else {
            setenv(name.c_str(), value.c_str(), 1);
        }
    }
    std::vector<char*> arguments;
    for (const std::string& word : options.command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(options.program.empty() ? arguments[0] : options.program.c_str(), arguments.data());
}

// The pipe closes without a word when exec succeeds.
int exec_errno(int reading) {
    int number = 0;
    ssize_t got = 0;
    do {
        got = read(reading, &number, sizeof number);
    } while (got < 0 && errno == EINTR);
    return got == sizeof number ? number : 0;
}

std::string refusal_of(const std::string& program, int number) {
    std::error_code none;
    const bool is_here = number == ENOENT && program.find('/') == program.npos &&
                         std::filesystem::is_regular_file(program, none) && access(program.c_str(), X_OK) == 0;
    return "cannot run " + program + (is_here ? " (write ./" + program + ", since it is not on PATH)" : "");
}

} // namespace

child spawn(const spawn_options& options) {
    pipe_ends input, output, error, failure = make_pipe();
    if (options.fed) input = make_pipe();
    if (options.piped) {
        output = make_pipe();
        error = make_pipe();
    }
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) fail("cannot start a process", errno);
    if (pid == 0) {
        become(options, parent, input.reading.get(), output.writing.get(), error.writing.get());
        const int number = errno;
        [[maybe_unused]] const ssize_t told = write(failure.writing.get(), &number, sizeof number);
        _exit(127);
    }
    setpgid(pid, pid); // here as in the child: whoever comes first, the group exists from now on
    failure.writing.reset();
    if (const int number = exec_errno(failure.reading.get())) {
        waitpid(pid, nullptr, 0);
        throw cannot_execute(number, std::generic_category(), refusal_of(options.command.front(), number));
    }
    return {pid, std::move(input.writing), std::move(output.reading), std::move(error.reading)};
}

} // namespace tutti::tools
