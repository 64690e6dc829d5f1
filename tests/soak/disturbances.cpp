// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "disturbances.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace tutti::soak {

namespace {

std::vector<int> open_descriptors() {
    std::vector<int> open;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        open.push_back(std::stoi(entry.path().filename().string()));
    return open;
}

} // namespace

void refuse_connections() {
    for (const int fd : open_descriptors()) {
        int listens = 0;
        socklen_t length = sizeof listens;
        if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens != 0)
            ::shutdown(fd, SHUT_RDWR);
    }
}

void leave_descriptors(int spare) {
    auto open = open_descriptors(); // with that of the folder itself, which is closed again
    std::sort(open.begin(), open.end());
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    // The limit is on numbers: those that are free below the highest one can still be had.
    limit.rlim_cur = static_cast<rlim_t>(open.back() + spare);
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

void await_the_others(const plan& p, const reports& all) {
    const auto end = std::chrono::steady_clock::now() + p.deadline + std::chrono::seconds(3);
    const auto told = [&](int r) {
        const report& other = all.of(r);
        return r == p.upset.victim || other.failed.load(std::memory_order_acquire) ||
               other.done.load(std::memory_order_acquire) || other.over.load(std::memory_order_acquire);
    };
    while (std::chrono::steady_clock::now() < end) {
        bool all_told = true;
        for (int r = 0; r < p.ranks; ++r) all_told = all_told && told(r);
        if (all_told) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void announce_end(report& mine) noexcept {
    mine.ended = std::chrono::steady_clock::now();
    mine.over.store(true, std::memory_order_release);
}

} // namespace tutti::soak
