// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tutti::tools {

/// What the launcher and the agent of a host say to each other: the launcher on the agent's standard input, the agent
/// on its standard output. A frame is a kind, a rank and a text: one byte, four and four (its length), most significant
/// first, and the text.
///
/// | kind | from | means |
/// |---|---|---|
/// | hello | agent | it is there; JSON: the name of its host, a port that it keeps free for rank 0 |
/// | start | launcher | start these ranks; JSON: see agent_orders |
/// | signal | launcher | pass this signal on to all ranks; its number |
/// | output, error | agent | a piece of what a rank has written |
/// | finished_output, finished_error | agent | the end of that stream |
/// | exited, signalled | agent | the rank has ended; the status or the signal |
/// | unable | agent | the ranks cannot be started; in place of a rank the exit status, and why |
/// | done | agent | all ranks have ended, and all their output was sent |
///
/// When its standard input ends, the agent kills all ranks.
struct agent_frame {
    enum class kind : char {
        hello = 'h',
        start = 's',
        signal = 'k',
        output = 'o',
        error = 'e',
        finished_output = 'O',
        finished_error = 'E',
        exited = 'x',
        signalled = 'S',
        unable = 'u',
        done = 'd',
    };
    kind what = kind::hello;
    int rank = -1; ///< -1: of no rank
    std::string text;
};

/// With this line the agent begins. What a shell of its host may print before it is no frame.
inline constexpr std::string_view agent_greeting = "tutti-agent 2\n";

[[nodiscard]] inline std::string encoded(agent_frame::kind what, int rank = -1, std::string_view text = {}) {
    std::string bytes(1, static_cast<char>(what));
    for (const auto number : {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(text.size())})
        for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
    return bytes.append(text);
}

/// Makes frames of the bytes of a pipe, in whatever pieces they come.
class agent_frame_reader {
public:
    static constexpr std::size_t longest = 16 << 20;     ///< text of one frame; more than a command line can hold
    static constexpr std::size_t most_noise = 64 * 1024; ///< kept before the greeting

    /// `greeted`: frames begin at once.
    explicit agent_frame_reader(bool greeted) : greeted_(greeted) {}

    void take(std::string_view bytes) {
        rest_.erase(0, std::exchange(begin_, 0));
        rest_ += bytes;
        if (!greeted_) seek();
    }
    [[nodiscard]] bool greeted() const noexcept { return greeted_; }
    /// What came before the greeting, the last of it.
    [[nodiscard]] std::string noise() const { return greeted_ ? noise_ : noise_ + rest_; }
    /// The bytes are no frames: nothing more can be read.
    [[nodiscard]] bool broken() const noexcept { return broken_; }

    /// The next frame, if it has come whole.
    [[nodiscard]] std::optional<agent_frame> next() {
        constexpr std::size_t head = 9;
        const std::string_view bytes = std::string_view(rest_).substr(begin_);
        if (!greeted_ || broken_ || bytes.size() < head) return std::nullopt;
        const std::size_t length = number_in(bytes.substr(5));
        broken_ = length > longest || std::string_view("hskoeOExSud").find(bytes.front()) == std::string_view::npos;
        if (broken_ || bytes.size() < head + length) return std::nullopt;
        begin_ += head + length;
        return agent_frame{static_cast<agent_frame::kind>(bytes.front()), static_cast<int>(number_in(bytes.substr(1))),
                           std::string(bytes.substr(head, length))};
    }

private:
    void seek() {
        const std::size_t at = rest_.find(agent_greeting);
        greeted_ = at != rest_.npos;
        // A greeting that has come in part stays.
        const std::size_t kept = agent_greeting.size() - 1;
        const std::size_t before = greeted_ ? at : rest_.size() > kept ? rest_.size() - kept : 0;
        noise_.append(rest_, 0, before);
        if (noise_.size() > most_noise) noise_.erase(0, noise_.size() - most_noise);
        rest_.erase(0, greeted_ ? at + agent_greeting.size() : before);
    }
    [[nodiscard]] static std::uint32_t number_in(std::string_view bytes) {
        std::uint32_t number = 0;
        for (const char byte : bytes.substr(0, 4)) number = number << 8 | static_cast<unsigned char>(byte);
        return number;
    }

    bool greeted_;
    bool broken_ = false;
    std::string noise_;
    std::string rest_;
    std::size_t begin_ = 0; // of what has not been taken from rest_
};

} // namespace tutti::tools
