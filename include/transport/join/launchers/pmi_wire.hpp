// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../../sockets/errors.hpp"
#include "../../sockets/socket.hpp"
#include "../../sockets/wait_ready.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sys/stat.h>

/// The text protocol of PMI-1: a command a line, "cmd=NAME key=value ...", and a line in answer to each.
namespace tutti::transport::bootstrap::detail::pmi {

inline constexpr std::size_t longest_line = 4096;

/// The value of a key in a line; nothing where it is not there.
[[nodiscard]] inline std::optional<std::string> value_of(std::string_view line, std::string_view key) {
    while (!line.empty()) {
        const auto word = line.substr(0, line.find_first_of(" \n"));
        const auto equals = word.find('=');
        if (equals != std::string_view::npos && word.substr(0, equals) == key)
            return std::string(word.substr(equals + 1));
        line.remove_prefix(std::min(word.size() + 1, line.size()));
    }
    return std::nullopt;
}

/// The connection to the launcher that a descriptor of this process is. It belongs to the process, MPI included, and is
/// never closed here. An answer is read to the end of its line and no further.
class wire {
public:
    using moment = std::chrono::steady_clock::time_point;

    explicit wire(int fd) noexcept : fd_(fd), known_(::fstat(fd, &facts_) == 0 && S_ISSOCK(facts_.st_mode)) {}

    /// It is still the socket that it was, and the launcher has not closed its end.
    TUTTI_COLD [[nodiscard]] bool open() const noexcept {
        struct stat now {};
        if (!known_ || ::fstat(fd_, &now) != 0 || now.st_dev != facts_.st_dev || now.st_ino != facts_.st_ino)
            return false;
        char next = 0;
        const auto n = ::recv(fd_, &next, 1, MSG_PEEK | MSG_DONTWAIT);
        return n > 0 || (n < 0 && is_for_now(errno));
    }

    /// Sends a line, and gives the answer, which must be the command `answer`. Throws a bootstrap error.
    TUTTI_COLD std::string ask(std::string line, std::string_view answer, moment until) const {
        line += '\n';
        for (auto rest = std::as_bytes(std::span(line)); !rest.empty();) {
            if (!wait_ready(fd_, POLLOUT, until)) fail("does not read \"" + command_in(line) + "\"");
            const auto sent = write_some(fd_, rest);
            if (sent.ended) fail("has closed the connection");
            rest = rest.subspan(sent.bytes);
        }
        auto heard = read_line(line, until);
        if (value_of(heard, "cmd") != std::string(answer))
            fail("answers \"" + command_in(line) + "\" by \"" + command_in(heard) + "\" instead of \"" +
                 std::string(answer) + "\"");
        if (value_of(heard, "rc").value_or("0") != "0")
            fail("refuses \"" + command_in(line) + "\": " + value_of(heard, "msg").value_or("it does not say why"));
        return heard;
    }

private:
    TUTTI_COLD [[nodiscard]] std::string read_line(const std::string& question, moment until) const {
        std::string line;
        while (line.empty() || line.back() != '\n') {
            std::byte next{}; // one by one: what follows the line may be another's
            if (line.size() >= longest_line) fail("answers \"" + command_in(question) + "\" without an end");
            if (!wait_ready(fd_, POLLIN, until)) fail("has not answered \"" + command_in(question) + "\" in time");
            const auto got = read_some(fd_, std::span(&next, 1));
            if (got.ended) fail("has closed the connection");
            if (got.bytes > 0) line += static_cast<char>(next);
        }
        return line;
    }

    /// Without keys and values, one of which is a secret.
    static std::string command_in(std::string_view line) { return value_of(line, "cmd").value_or("nothing"); }

    [[noreturn]] static void fail(const std::string& what) {
        bootstrap_failed("the launcher behind PMI_FD " + what,
                         "look for the first error among all ranks; else set TUTTI_ADDRESS (rank 0's host:port) and "
                         "TUTTI_SECRET_FILE on every rank");
    }

    int fd_;
    struct stat facts_ {};
    bool known_;
};

} // namespace tutti::transport::bootstrap::detail::pmi
