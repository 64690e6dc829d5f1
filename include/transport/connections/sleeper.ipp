// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "sleeper.hpp"

#include "../../base/linkage.hpp"
#include "../sockets/watched_socket.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace tutti::transport::detail::connections {

namespace asio = bootstrap::asio;

/// A descriptor that a sleep awaits. What was awaited goes on to be: a sleep that ends for another reason costs
/// nothing.
struct awaited_descriptor {
    awaited_descriptor(asio::io_context& in, int d) : seat(in), descriptor(d) { seat.assign(d, failed); }
    ~awaited_descriptor() {
        if (seat.is_open()) seat.release();
    }
    bootstrap::boost_system::error_code failed;
    asio::posix::basic_stream_descriptor<bootstrap::executor> seat;
    int descriptor;
    bool is_read = false, is_written = false;
};

struct sleeper::context {
    std::unique_ptr<asio::io_context> made = bootstrap::made_context();
    asio::io_context& in = *made;
    asio::executor_work_guard<bootstrap::executor> lasts{in.get_executor()}; ///< also while nothing is awaited
    std::vector<std::shared_ptr<awaited_descriptor>> all;
};

TUTTI_COLD TUTTI_APART sleeper::sleeper() : context_(std::make_unique<context>()) {}
TUTTI_COLD TUTTI_APART sleeper::~sleeper() = default;

TUTTI_APART void sleeper::wake() noexcept {
    // Before stop(), whose mutex sleep() takes before it looks: either it sees the flag, or the sleep ends at once.
    woken_.store(true, std::memory_order_release);
    context_->in.stop();
}

TUTTI_APART void sleeper::look() {
    constexpr int most = 64; // so that a flood of strangers holds no call up
    context_->in.restart();
    for (int i = 0; i < most && context_->in.poll_one() > 0; ++i) {
    }
}

TUTTI_APART void sleeper::sleep(clock::time_point until, std::span<const awaited> of) {
    auto& all = context_->all;
    all.resize(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) {
        auto& a = all[i];
        if (a && a->descriptor != of[i].descriptor) {
            a->seat.release(); // its waits end, and with them the last to hold it
            a.reset();
        }
        if (of[i].descriptor < 0) continue;
        if (!a) a = std::make_shared<awaited_descriptor>(context_->in, of[i].descriptor);
        if (a->failed) { // as without memory: it is looked at soon, and awaited again
            a.reset();
            until = std::min(until, clock::now() + std::chrono::milliseconds(2));
            continue;
        }
        if (!a->is_read) {
            a->seat.async_wait(asio::posix::descriptor_base::wait_read, [a](const auto&) { a->is_read = false; });
            a->is_read = true; // no handler is called before this returns
        }
        if (of[i].to_write && !a->is_written) {
            a->seat.async_wait(asio::posix::descriptor_base::wait_write, [a](const auto&) { a->is_written = false; });
            a->is_written = true;
        }
    }
    context_->in.restart();
    if (woken_.load(std::memory_order_acquire)) return;
    const auto now = clock::now();
    const auto left = std::max(until, now) - now;
    if (left >= std::chrono::milliseconds(1)) { // the system counts in these
        context_->in.run_one_until(until);
    } else if (context_->in.poll_one() == 0 && left > clock::duration::zero()) {
        std::this_thread::sleep_for(std::min<clock::duration>(left, std::chrono::microseconds(50)));
    }
}

TUTTI_COLD TUTTI_APART void sleeper::forget() noexcept {
    for (const auto& a : context_->all)
        if (a) a->seat.release();
    context_->all.clear();
}

} // namespace tutti::transport::detail::connections
