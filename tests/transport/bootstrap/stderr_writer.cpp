// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/control/stderr_writer.hpp>

#include "support/catch.hpp"

#include <fcntl.h>

#include <array>
#include <chrono>
#include <string>

using tutti::transport::bootstrap::stderr_writer;

namespace {

/// A pipe as standard error often is one.
struct pipe_of_lines {
    pipe_of_lines() { REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0); }
    pipe_of_lines(const pipe_of_lines&) = delete;
    pipe_of_lines& operator=(const pipe_of_lines&) = delete;
    ~pipe_of_lines() {
        for (const int end : ends) ::close(end);
    }
    void fill() const {
        ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
        const std::string page(4096, 'x');
        while (::write(ends[1], page.data(), page.size()) > 0) {
        }
        ::fcntl(ends[1], F_SETFL, 0); // as the stderr_writer finds it: who writes too much waits
    }
    [[nodiscard]] std::string read() const {
        std::string all;
        std::array<char, 65'536> some{};
        for (pollfd ready{ends[0], POLLIN, 0}; ::poll(&ready, 1, 0) == 1;)
            all.append(some.data(), static_cast<std::size_t>(::read(ends[0], some.data(), some.size())));
        return all;
    }
    std::array<int, 2> ends{};
};

} // namespace

TEST_CASE("sentences are lines") {
    const pipe_of_lines to;
    stderr_writer voice(to.ends[1]);
    voice.say("one");
    voice.say("two");
    CHECK(voice.idle());
    CHECK(to.read() == "tutti: one\ntutti: two\n");
}

TEST_CASE("nobody reads: saying does not wait, and what was said comes when somebody does, in order") {
    const pipe_of_lines to;
    to.fill();
    stderr_writer voice(to.ends[1]);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i) voice.say("sentence " + std::to_string(i));
    voice.flush();
    voice.finish(std::chrono::milliseconds(20));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
    CHECK_FALSE(voice.idle());
    CHECK(to.read().find("tutti") == std::string::npos);
    voice.flush();
    CHECK(voice.idle());
    std::string all;
    for (int i = 0; i < 10; ++i) all += "tutti: sentence " + std::to_string(i) + "\n";
    CHECK(to.read() == all);
}

TEST_CASE("what is kept for who does not read is bounded, and so is a line") {
    const pipe_of_lines to;
    to.fill();
    stderr_writer voice(to.ends[1]);
    for (std::size_t i = 0; i < 2 * stderr_writer::max_lines; ++i) voice.say(std::string(100'000, 'y'));
    std::string all;
    for (int i = 0; i < 10'000 && !voice.idle(); ++i) {
        all += to.read();
        voice.flush();
    }
    CHECK(voice.idle());
    all += to.read();
    CHECK(all.size() < (1 << 20) + (stderr_writer::max_lines + 1) * PIPE_BUF);
    CHECK(all.find("tutti: yyy") != std::string::npos);
}
