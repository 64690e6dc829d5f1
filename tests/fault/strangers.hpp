// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/sockets/handshake.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace tutti::test {

/// What a rank says first.
inline std::vector<std::byte> first_record(const transport::bootstrap::hello& h,
                                           const transport::bootstrap::secret& key = {}) {
    const auto talk = transport::bootstrap::handshake::connecting(key, h);
    return {talk.outgoing().begin(), talk.outgoing().end()};
}

/// Connections of no rank, which do to a port on 127.0.0.1 what the bad, the broken and the lost do. Never waits.
class strangers {
public:
    explicit strangers(unsigned seed) : random_(seed) {}
    strangers(const strangers&) = delete;
    strangers& operator=(const strangers&) = delete;
    ~strangers() {
        for (const int s : open_) ::close(s);
    }

    /// `count` more, of all kinds. False if any could not connect.
    bool come(std::uint16_t port, int count) {
        bool all = true;
        for (int i = 0; i < count; ++i) all = come(port) && all;
        return all;
    }

    /// Those who talk slowly say one more byte.
    void mumble() {
        for (auto& s : slow_)
            if (s.said < greeting_.size()) say(s.socket, std::span(greeting_).subspan(s.said++, 1));
    }

private:
    struct slow_talker {
        int socket;
        std::size_t said = 0;
    };
    static constexpr std::size_t most = 300; // open at once; then the oldest goes

    bool come(std::uint16_t port) {
        const int s = connect(port);
        if (s < 0) return false;
        const auto whole = std::span(kinds_ % 16 < 8 ? greeting_ : data_greeting_);
        switch (kinds_++ % 8) {
        case 0: break;                                                          // says nothing
        case 1: say(s, garbage(1 + random_() % 4000)); break;                   // says nonsense
        case 2: say(s, whole.first(1 + random_() % (whole.size() - 1))); break; // stops in mid-greeting
        case 3: slow_.push_back({s}); break;                                    // takes his time
        case 4: ::shutdown(s, SHUT_WR); break;                                  // only listens
        case 5: say_with_false_proof(s, whole); break;                          // guesses
        case 6: reset(s); return true;                                          // is gone at once
        case 7: say(s, whole), ::close(s); return true;                         // goes before he is answered
        }
        keep(s);
        return true;
    }

    static int connect(std::uint16_t port) {
        const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_port = htons(port);
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(s, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0 || errno == EINPROGRESS) return s;
        ::close(s);
        return -1;
    }
    static void say(int s, std::span<const std::byte> what) {
        static_cast<void>(::send(s, what.data(), what.size(), MSG_NOSIGNAL));
    }
    static void reset(int s) {
        const linger none{1, 0};
        ::setsockopt(s, SOL_SOCKET, SO_LINGER, &none, sizeof none);
        ::close(s);
    }
    void say_with_false_proof(int s, std::span<const std::byte> whole) {
        say(s, whole);
        say(s, garbage(60));
    }
    std::vector<std::byte> garbage(std::size_t length) {
        std::vector<std::byte> out(length);
        for (auto& b : out) b = static_cast<std::byte>(random_());
        return out;
    }
    void keep(int s) {
        open_.push_back(s);
        if (open_.size() < most) return;
        std::erase_if(slow_, [&](const auto& each) { return each.socket == open_.front(); });
        ::close(open_.front());
        open_.erase(open_.begin());
    }

    std::mt19937 random_;
    unsigned kinds_ = 0;
    std::vector<int> open_;
    std::vector<slow_talker> slow_;
    std::vector<std::byte> greeting_ = first_record({transport::bootstrap::purpose::control, 0, 1, 0, 3, 0});
    std::vector<std::byte> data_greeting_ = first_record({transport::bootstrap::purpose::data, 0, 1, 0, 3, 12345});
};

} // namespace tutti::test
