// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "child.hpp"

#include <transport/sockets/watched_socket.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <iterator>
#include <thread>

namespace tutti::transport::bootstrap {

/// Descriptors that this process has open, that of the look among them.
inline std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(all, std::filesystem::directory_iterator{}));
}

/// Connects so often to a port of 127.0.0.1, hundreds of times a second, and keeps the last 300 connections.
inline std::deque<descriptor> silent_strangers(std::uint16_t port, int many) {
    std::deque<descriptor> kept;
    for (int i = 0; i < many; ++i) {
        const auto where = *address::literal("127.0.0.1", port);
        kept.push_back(new_socket(where));
        static_cast<void>(::connect(kept.back().get(), where.data(), where.length()));
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
        if (kept.size() > 300) kept.pop_front();
    }
    return kept;
}

/// Whether a child of this process, which may have 128 descriptors, keeps those that it needs itself while so many
/// strangers come. `serve(tell)` runs in the child: it calls tell(port), and returns how many were open at most.
template <class Serve>
bool keeps_descriptors_from_strangers(int many, Serve serve) {
    std::array<int, 2> told{};
    if (::pipe(told.data()) != 0) return false;
    const descriptor heard(told[0]);
    descriptor tells(told[1]);
    test::child serving([&] {
        const rlimit few{128, 128};
        ::setrlimit(RLIMIT_NOFILE, &few);
        const std::size_t most = serve([&](std::uint16_t port) {
            if (::write(tells.get(), &port, sizeof port) != sizeof port) ::_exit(1);
        });
        return most > 64 && most <= 128 - 32 + few_strangers + 2; // and the look
    });
    tells.reset(); // where the child ends early, nothing is heard
    std::uint16_t port = 0;
    std::deque<descriptor> kept;
    if (::read(heard.get(), &port, sizeof port) == sizeof port) kept = silent_strangers(port, many);
    return serving.end().empty();
}

} // namespace tutti::transport::bootstrap
