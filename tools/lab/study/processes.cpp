// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "processes.hpp"

#include "../../tutti/run/spawn.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::tools::study {
namespace {

/// How a message of a child begins: numbers follow, or what failed.
constexpr char has_numbers = 'n', has_failed = 'f';

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

bool write_all(int to, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t done = write(to, bytes.data(), bytes.size());
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    return true;
}

std::string message_of(const numbers& found) {
    std::string bytes(1 + found.size() * sizeof(double), has_numbers);
    if (!found.empty()) std::memcpy(bytes.data() + 1, found.data(), found.size() * sizeof(double));
    return bytes;
}

numbers numbers_of(const std::string& message, std::size_t task) {
    if (message.starts_with(has_failed)) throw std::runtime_error(message.substr(1));
    if (!message.starts_with(has_numbers) || message.size() % sizeof(double) != 1)
        throw std::runtime_error("the process of task " + std::to_string(task + 1) + " ended before it was done");
    numbers found((message.size() - 1) / sizeof(double));
    if (!found.empty()) std::memcpy(found.data(), message.data() + 1, message.size() - 1);
    return found;
}

/// Of the child. Nothing of the parent's is flushed or destroyed.
[[noreturn]] void work_as_child(int to, pid_t parent, const std::function<numbers()>& work) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1); // it had ended before
    std::string message;
    try {
        message = message_of(work());
    } catch (const std::exception& e) {
        message = has_failed + std::string(e.what());
    }
    _exit(write_all(to, message) ? 0 : 1);
}

/// A child, which is killed and waited for with its owner.
class worker {
public:
    worker(std::size_t task, const std::function<numbers(std::size_t)>& work) : task_(task) {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
        from_ = descriptor(ends[0]);
        const descriptor to(ends[1]);
        const pid_t parent = getpid();
        pid_ = fork();
        if (pid_ < 0) fail("fork");
        if (pid_ == 0) work_as_child(to.get(), parent, [&] { return work(task); });
    }
    worker(worker&& other) noexcept
        : task_(other.task_), pid_(std::exchange(other.pid_, -1)), from_(std::move(other.from_)),
          message_(std::move(other.message_)) {}
    worker& operator=(worker&& other) noexcept {
        std::swap(task_, other.task_);
        std::swap(pid_, other.pid_);
        std::swap(from_, other.from_);
        std::swap(message_, other.message_);
        return *this;
    }
    ~worker() {
        if (pid_ <= 0) return;
        kill(pid_, SIGKILL); // one that has written all has nothing left to do
        while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    [[nodiscard]] int from() const noexcept { return from_.get(); }
    [[nodiscard]] std::size_t task() const noexcept { return task_; }
    /// Reads what there is. Whether that was all.
    [[nodiscard]] bool read_some() {
        std::array<char, 4096> piece{};
        const ssize_t got = read(from_.get(), piece.data(), piece.size());
        if (got < 0 && errno != EINTR) fail("read");
        if (got > 0) message_.append(piece.data(), static_cast<std::size_t>(got));
        return got == 0;
    }
    [[nodiscard]] numbers result() const { return numbers_of(message_, task_); }

private:
    std::size_t task_;
    pid_t pid_ = -1;
    descriptor from_;
    std::string message_;
};

/// Waits for as long as a task takes: a child that dies closes its pipe too.
std::vector<std::size_t> readable(const std::vector<worker>& workers) {
    std::vector<pollfd> watched;
    for (const worker& w : workers) watched.push_back({w.from(), POLLIN, 0});
    if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) fail("poll");
    std::vector<std::size_t> found;
    for (std::size_t i = watched.size(); i-- > 0;)
        if (watched[i].revents != 0) found.push_back(i);
    return found;
}

} // namespace

std::vector<numbers> in_processes(std::size_t tasks, std::size_t at_once,
                                  const std::function<numbers(std::size_t)>& work,
                                  const std::function<void(std::size_t done)>& told) {
    std::vector<numbers> results(tasks);
    const std::size_t together = std::min(tasks, std::max<std::size_t>(1, at_once));
    make_room_for(together, "a study of " + std::to_string(together) + " trainings at once");
    std::vector<worker> workers;
    for (std::size_t next = 0, done = 0; done < tasks;) {
        while (next < tasks && workers.size() < together) workers.emplace_back(next++, work);
        for (const std::size_t i : readable(workers)) { // the last first, so that the others keep their places
            if (!workers[i].read_some()) continue;
            results[workers[i].task()] = workers[i].result();
            workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
            told(++done);
        }
    }
    return results;
}

std::vector<numbers> trainings(const settings& s, progress_line& line, std::size_t count,
                               const std::function<numbers(std::size_t)>& train) {
    const std::size_t jobs = s.jobs > 0 ? s.jobs : std::max(1U, std::thread::hardware_concurrency());
    line.show(0, count, "trainings");
    return in_processes(count, jobs, train, [&](std::size_t done) {
        if (done < count) line.show(done, count, "trainings");
    });
}

double cpu_s_of_children() {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

} // namespace tutti::tools::study
