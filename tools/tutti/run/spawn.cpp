// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "spawn.hpp"

#include <transport/sockets/errors.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

[[noreturn]] void fail(const std::string& what, int number) {
    throw std::system_error(number, std::generic_category(), what);
}

std::optional<rlimit> former_limit; // of descriptors, where this process has raised it

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
    // Others are as they were when this program began: what nohup ignores, ranks ignore too.
    for (int number : {SIGCHLD, SIGTERM, SIGPIPE, SIGTTOU, SIGXFSZ}) std::signal(number, SIG_DFL);
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
    if (former_limit) setrlimit(RLIMIT_NOFILE, &*former_limit); // here all numbers below it may be taken
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

void make_room_for(std::size_t descriptors, const std::string& what) {
    namespace fs = std::filesystem;
    std::error_code none;
    constexpr std::size_t passing = 32; // while a process is started, and for libraries
    const auto open = static_cast<std::size_t>(std::distance(fs::directory_iterator{"/proc/self/fd", none}, {}));
    const std::size_t needed = open + descriptors + passing;
    rlimit now{};
    getrlimit(RLIMIT_NOFILE, &now);
    const bool fits = transport::bootstrap::make_room_for_descriptors(needed);
    if (!former_limit && transport::bootstrap::descriptor_limit::now().soft != now.rlim_cur) former_limit = now;
    if (!fits)
        throw std::runtime_error(
            fmt::format("{} needs {} file descriptors and may have {}: raise the hard limit (ulimit -Hn)", what, needed,
                        transport::bootstrap::descriptor_limit::now().soft));
}

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
