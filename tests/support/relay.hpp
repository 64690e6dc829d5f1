// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "connect_to.hpp"

#include <transport/sockets/socket.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <thread>
#include <vector>

namespace tutti::test {

namespace bootstrap = transport::bootstrap;

/// Somebody between two ranks who does not know the secret: passes on what comes to its port on 127.0.0.1, and may
/// change it. Runs in a thread from start() on.
class relay {
public:
    enum class direction { forth, back }; ///< forth: from who connects
    /// May change a piece; `offset` is where it stands in what goes that way over the connection.
    using meddle = std::function<void(direction, std::uint64_t offset, std::span<std::byte> piece)>;

    explicit relay(meddle how)
        : how_(std::move(how)), listener_(bootstrap::listen_on(*bootstrap::address::literal("127.0.0.1", 0))),
          port_(bootstrap::local_address(listener_.get()).port()) {}
    relay(const relay&) = delete;
    relay& operator=(const relay&) = delete;
    ~relay() {
        stop_.store(true, std::memory_order_relaxed);
        if (thread_.joinable()) thread_.join();
    }

    /// In a forked child too, where nobody listens any more.
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    /// Where it leads. Any thread.
    void lead_to(std::uint16_t port) { target_.store(port, std::memory_order_relaxed); }
    void start() {
        thread_ = std::thread([this] { run(); });
    }

private:
    struct half {
        std::uint64_t passed = 0;
        std::vector<std::byte> held; // read, and not yet written
        bool over = false;
    };
    struct pair {
        std::array<bootstrap::descriptor, 2> ends; // who connected, where it leads
        std::array<half, 2> ways;                  // forth, back
    };

    void run() {
        while (!stop_.load(std::memory_order_relaxed)) {
            if (auto caller = bootstrap::accept_from(listener_.get())) take(std::move(caller));
            bool moved = false;
            for (auto& p : pairs_) moved |= pass(p, 0) | pass(p, 1);
            pairs_.remove_if([](const pair& p) { return p.ways[0].over && p.ways[1].over; });
            if (!moved) std::this_thread::sleep_for(std::chrono::microseconds{200});
        }
    }
    void take(bootstrap::descriptor caller) {
        auto to = *bootstrap::address::literal("127.0.0.1", target_.load(std::memory_order_relaxed));
        auto other = bootstrap::connect_to(to, std::chrono::steady_clock::now() + std::chrono::seconds{2});
        if (!other) return;
        auto& p = pairs_.emplace_back();
        p.ends[0] = std::move(caller);
        p.ends[1] = std::move(other);
    }
    bool pass(pair& p, std::size_t from) {
        half& way = p.ways[from];
        const int to = p.ends[1 - from].get();
        if (way.over) return false;
        std::array<std::byte, 16 * 1024> landing;
        const auto got = way.held.empty() ? bootstrap::read_some(p.ends[from].get(), landing) : bootstrap::io_result{};
        const auto piece = std::span(landing).first(got.bytes);
        if (!piece.empty()) how_(static_cast<direction>(from), way.passed, piece);
        way.passed += piece.size();
        way.held.insert(way.held.end(), piece.begin(), piece.end());
        const auto put = way.held.empty() ? bootstrap::io_result{} : bootstrap::write_some(to, way.held);
        way.held.erase(way.held.begin(), way.held.begin() + static_cast<std::ptrdiff_t>(put.bytes));
        way.over = got.ended || put.ended;
        if (way.over) ::shutdown(to, SHUT_WR);
        return got.bytes + put.bytes > 0;
    }

    meddle how_;
    bootstrap::descriptor listener_;
    std::uint16_t port_;
    std::atomic<std::uint16_t> target_{0};
    std::atomic<bool> stop_{false}; // orders nothing but itself
    std::list<pair> pairs_;
    std::thread thread_;
};

} // namespace tutti::test
