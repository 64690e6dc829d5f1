// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "address.hpp"
#include "asio.hpp"
#include "socket.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// A socket at which rank 0 listens. Worlds of one address that are there at once share it: the rendezvous that began
/// last takes who comes, since only that one can still wait for ranks, and when it ends the one before does. Any
/// thread.
class shared_listener {
public:
    explicit shared_listener(descriptor listening) : socket_(std::move(listening)) {}

    /// That of this process at exactly that address, or a new one. Null on failure, errno says why.
    TUTTI_COLD [[nodiscard]] static std::shared_ptr<shared_listener> at(const address& where) {
        static std::mutex& mutex = *new std::mutex; // never destroyed, as own_descriptors
        static auto& known = *new std::vector<std::weak_ptr<shared_listener>>;
        const std::lock_guard lock(mutex);
        std::erase_if(known, [](const auto& k) { return k.expired(); });
        for (const auto& k : known) // not in a child of the process that listens: see own_descriptors
            if (auto there = k.lock(); there && local_address(there->get()) == where) return there;
        descriptor fresh = listen_on(where);
        if (!fresh) return nullptr;
        return known.emplace_back(std::make_shared<shared_listener>(std::move(fresh))).lock();
    }

    [[nodiscard]] int get() const noexcept { return socket_.get(); }

    /// A rendezvous begins, whose coroutines run in `in`.
    void enter(asio::io_context& in) {
        const std::lock_guard lock(mutex_);
        users_.push_back(&in);
    }
    /// It has ended. The one before, whose turn it is again, is stopped to look at that.
    void leave(asio::io_context& in) {
        const std::lock_guard lock(mutex_);
        std::erase(users_, &in);
        if (!users_.empty()) users_.back()->stop();
    }
    [[nodiscard]] bool is_turn_of(const asio::io_context& in) {
        const std::lock_guard lock(mutex_);
        return !users_.empty() && users_.back() == &in;
    }

private:
    descriptor socket_;
    std::mutex mutex_;
    std::vector<asio::io_context*> users_; // the last one takes who comes
};

} // namespace tutti::transport::bootstrap
