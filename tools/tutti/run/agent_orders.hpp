// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::tools {

namespace detail {

/// Takes apart what pack() made. Throws std::invalid_argument where it is too short, or no number.
class word_reader {
public:
    explicit word_reader(std::string_view text) : rest_(text) {}
    [[nodiscard]] std::string word() {
        const std::size_t end = rest_.find('\0');
        if (end == rest_.npos) throw std::invalid_argument("words are missing");
        std::string w(rest_.substr(0, end));
        rest_.remove_prefix(end + 1);
        return w;
    }
    [[nodiscard]] int number(int most) {
        const std::string digits = word();
        int n = 0;
        const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
        if (wrong != std::errc{} || end != digits.data() + digits.size() || n < 0 || n > most)
            throw std::invalid_argument("a number is wrong");
        return n;
    }

private:
    std::string_view rest_;
};

/// Words one after the other, each ended by a zero byte, which neither an argument nor a variable can hold.
inline void pack(std::string& to, std::string_view word) { to.append(word).append(1, '\0'); }
inline void pack(std::string& to, std::size_t number) { pack(to, std::to_string(number)); }

inline constexpr int most_words = 1 << 20;

} // namespace detail

/// A number as the text of a frame: an exit status, or a signal.
[[nodiscard]] inline std::string packed_number(int number) {
    std::string text;
    detail::pack(text, static_cast<std::size_t>(number));
    return text;
}
/// From 0 to `most`. Throws std::invalid_argument.
[[nodiscard]] inline int unpacked_number(std::string_view text, int most) {
    return detail::word_reader{text}.number(most);
}

/// What an agent says of itself when it is there.
struct agent_hello {
    std::string host;       ///< as its system calls it
    std::uint16_t port = 0; ///< free on all its interfaces

    [[nodiscard]] std::string packed() const {
        std::string text;
        detail::pack(text, host);
        detail::pack(text, std::size_t{port});
        return text;
    }
    /// Throws std::invalid_argument.
    [[nodiscard]] static agent_hello unpacked(std::string_view text) {
        detail::word_reader from{text};
        agent_hello h;
        h.host = from.word();
        h.port = static_cast<std::uint16_t>(from.number(65535));
        return h;
    }
};

/// What an agent is to start. It travels on its standard input alone, since the secret is in it.
struct agent_orders {
    std::vector<std::string> command;
    std::string directory;
    std::vector<std::pair<std::string, std::string>> environment;
    std::vector<int> ranks; ///< those of this host
    int size = 0;           ///< of the world
    std::string address;    ///< where the ranks meet, HOST:PORT
    std::string secret;
    std::string bind = "none"; ///< of the ranks to processors, see binding.hpp

    [[nodiscard]] std::string packed() const {
        std::string text;
        detail::pack(text, command.size());
        for (const std::string& word : command) detail::pack(text, word);
        detail::pack(text, directory);
        detail::pack(text, environment.size());
        for (const auto& [name, value] : environment) {
            detail::pack(text, name);
            detail::pack(text, value);
        }
        detail::pack(text, ranks.size());
        for (const int rank : ranks) detail::pack(text, static_cast<std::size_t>(rank));
        detail::pack(text, static_cast<std::size_t>(size));
        detail::pack(text, address);
        detail::pack(text, secret);
        detail::pack(text, bind);
        return text;
    }
    /// Throws std::invalid_argument.
    [[nodiscard]] static agent_orders unpacked(std::string_view text) {
        detail::word_reader from{text};
        agent_orders o;
        for (int left = from.number(detail::most_words); left > 0; --left) o.command.push_back(from.word());
        o.directory = from.word();
        for (int left = from.number(detail::most_words); left > 0; --left) {
            std::string name = from.word();
            o.environment.emplace_back(std::move(name), from.word());
        }
        for (int left = from.number(detail::most_words); left > 0; --left)
            o.ranks.push_back(from.number(detail::most_words));
        o.size = from.number(detail::most_words);
        o.address = from.word();
        o.secret = from.word();
        o.bind = from.word();
        if (o.command.empty() || o.ranks.empty()) throw std::invalid_argument("there is nothing to start");
        return o;
    }
};

} // namespace tutti::tools
