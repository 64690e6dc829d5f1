// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "agent_connection.hpp"

#include "../common/lists.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

/// A word of a command line, for the shell of whichever kind that the host has.
std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

} // namespace

// The launch agent may bring options of its own, quoted as for a shell. It becomes the process itself, so that it hears
// signals, and gets SIGTERM when this process is killed.
agent_connection agent_connection::to(const std::string& host, const std::string& launch_agent,
                                      const std::string& tutti) {
    spawn_options what;
    what.command = {"sh",        "-c", fmt::format("exec {} \"$@\"", launch_agent),
                    "tutti run", host, fmt::format("exec {} run-agent", quoted(tutti))};
    what.fed = true;
    what.last_signal = SIGTERM;
    return agent_connection{spawn(what)};
}

agent_connection::agent_connection(child process) : process_(std::move(process)) {
    for (const descriptor* d : {&process_.input, &process_.output, &process_.error})
        fcntl(d->get(), F_SETFL, O_NONBLOCK);
}

void agent_connection::send(agent_frame::kind what, std::string_view text) {
    unsent_ += encoded(what, -1, text);
    write_some();
}

void agent_connection::signal(int number) const {
    if (!exited_) kill(-process_.pid, number);
}

void agent_connection::wait_for(std::vector<pollfd>& waiting, bool listens) const {
    waiting.push_back({unsent_.empty() ? -1 : process_.input.get(), POLLOUT, 0});
    const bool hears = listens || !greeted();
    waiting.push_back({hears ? process_.output.get() : -1, POLLIN, 0});
    waiting.push_back({hears ? process_.error.get() : -1, POLLIN, 0});
}

void agent_connection::serve(std::span<const pollfd> ready) {
    if (ready[0].revents != 0) write_some();
    const bool listened = ready[1].fd >= 0;
    if (listened && (ready[1].revents != 0 || exited_)) read_output();
    if (ready[2].revents != 0 || exited_) read_error();
}

void agent_connection::write_some() {
    if (!process_.input.open() || unsent_.empty()) return;
    const ssize_t put = write(process_.input.get(), unsent_.data(), unsent_.size());
    if (put > 0) unsent_.erase(0, static_cast<std::size_t>(put));
    if (put < 0 && errno != EAGAIN && errno != EINTR) { // it has gone: its output will end as well
        unsent_.clear();
        close_input();
    }
}

// Others may hold the pipes open after the process: its exit ends them where nothing is there.
void agent_connection::read_output() {
    std::array<char, 65536> piece;
    const ssize_t got = read(process_.output.get(), piece.data(), piece.size());
    if (got > 0) {
        const bool before = !greeted();
        frames_.take({piece.data(), static_cast<std::size_t>(got)});
        if (before && greeted()) keep_lines(frames_.noise() + "\n");
    } else if (got == 0 || (errno != EINTR && (errno != EAGAIN || exited_))) {
        if (!greeted()) keep_lines(frames_.noise() + "\n");
        process_.output.reset();
    }
}

void agent_connection::read_error() {
    if (!process_.error.open()) return;
    std::array<char, 65536> piece;
    const ssize_t got = read(process_.error.get(), piece.data(), piece.size());
    if (got > 0) {
        keep_lines({piece.data(), static_cast<std::size_t>(got)});
    } else if (got == 0 || (errno != EINTR && (errno != EAGAIN || exited_))) {
        if (!partial_line_.empty()) keep_lines("\n");
        process_.error.reset();
    }
}

void agent_connection::keep_lines(std::string_view text) {
    constexpr std::size_t longest = 4096, kept = 3, kept_before_greeting = 64; // nobody takes lines before it
    partial_line_ += text;
    for (std::size_t end; (end = partial_line_.find('\n')) != partial_line_.npos || partial_line_.size() > longest;) {
        std::string line = partial_line_.substr(0, std::min(end, longest));
        partial_line_.erase(0, std::min(end, longest - 1) + 1);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
        if (line.empty()) continue;
        last_lines_.push_back(line);
        if (last_lines_.size() > kept) last_lines_.pop_front();
        lines_.push_back(std::move(line));
        if (!greeted() && lines_.size() > kept_before_greeting) lines_.erase(lines_.begin());
    }
}

void agent_connection::reap() {
    if (!exited_) exited_ = waitpid(process_.pid, &wait_status_, WNOHANG) == process_.pid;
}

std::vector<std::string> agent_connection::take_lines() { return std::exchange(lines_, {}); }

std::string agent_connection::last_words() const {
    if (!last_lines_.empty()) {
        const bool not_found = exited_ && WIFEXITED(wait_status_) && (WEXITSTATUS(wait_status_) | 1) == 127;
        return join(last_lines_, "; ") + (not_found ? " (--tutti says where the command lies there)" : "");
    }
    if (!exited_) return "nobody answers any more";
    if (WIFSIGNALED(wait_status_)) return fmt::format("ended by signal {}", WTERMSIG(wait_status_));
    return fmt::format("exited with status {} and no word", WEXITSTATUS(wait_status_));
}

} // namespace tutti::tools
