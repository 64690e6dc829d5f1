// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "support/expect.hpp"
#include "support/milestone.hpp"

#include <transport/contract/transport.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace tutti::test {

using bytes = std::vector<std::byte>;

/// Data that tells by its content which message it is.
inline bytes pattern(std::size_t size, std::size_t seed) {
    bytes data(size);
    std::size_t state = seed * 0x9e3779b97f4a7c15U + 1;
    for (std::size_t i = 0; i < size; i += sizeof state) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const auto word = state ^ (state >> 32U);
        std::memcpy(data.data() + i, &word, std::min(sizeof word, size - i));
    }
    return data;
}

/// One rank's transfers: starts them, keeps them in place, drives the transport until they are complete.
template <transport::transport Transport>
class courier {
public:
    static constexpr std::uint64_t usual_signature = 0x7475747469;

    explicit courier(Transport& t) : t_(t) {}
    courier(const courier&) = delete;
    courier& operator=(const courier&) = delete;

    /// Who views it may write the message of that number to its memory.
    transport::transfer& send(transport::context k, int peer, const std::byte* from, std::size_t size,
                              std::uint64_t signature = usual_signature, std::uint32_t answer = 0) {
        auto& x = fresh(size, signature);
        x.from = from;
        x.answer = answer;
        t_.send(t_.open(k, peer), x);
        return x;
    }
    transport::transfer& send(transport::context k, int peer, const bytes& data) {
        return send(k, peer, data.data(), data.size());
    }

    transport::transfer& receive(transport::context k, int peer, std::byte* to, std::size_t size,
                                 std::uint64_t signature = usual_signature) {
        auto& x = fresh(size, signature);
        x.to = to;
        t_.receive(t_.open(k, peer), x);
        return x;
    }
    transport::transfer& receive(transport::context k, int peer, bytes& data) {
        return receive(k, peer, data.data(), data.size());
    }

    /// A receive of a message that may be shorter than its buffer.
    transport::transfer& receive_up_to(transport::context k, int peer, bytes& to) {
        auto& x = fresh(to.size(), usual_signature);
        x.to = to.data();
        x.may_be_shorter = true;
        t_.receive(t_.open(k, peer), x);
        return x;
    }

    /// What has been written to its receiver's memory already if `is_there`.
    transport::transfer& answer(transport::context k, int peer, const bytes& data, bool is_there) {
        auto& x = fresh(data.size(), usual_signature);
        x.from = data.data();
        x.is_answer = is_there;
        t_.send(t_.open(k, peer), x);
        return x;
    }
    /// A receive whose data may be there already.
    transport::transfer& receive_answer(transport::context k, int peer, std::byte* to, std::size_t size) {
        auto& x = fresh(size, usual_signature);
        x.to = to;
        x.is_answer = true;
        t_.receive(t_.open(k, peer), x);
        return x;
    }

    /// A receive that need not store what comes.
    transport::transfer& view(transport::context k, int peer, bytes& to) {
        auto& x = fresh(to.size(), usual_signature);
        x.to = to.data();
        x.may_view = true;
        t_.receive(t_.open(k, peer), x);
        return x;
    }

    /// to = local ∘ incoming, or incoming ∘ local.
    transport::transfer& reduce(transport::context k, int peer, bytes& to, const bytes& local, const reducer& op,
                                bool incoming_left) {
        auto& x = fresh(to.size(), usual_signature);
        x.to = to.data();
        x.from = local.data();
        x.reduce = &op;
        x.incoming_left = incoming_left;
        t_.receive(t_.open(k, peer), x);
        return x;
    }

    /// Drives the transport until `holds`; fails with `sentence` when that takes too long. Sleeps as long as the
    /// transport lets it, so that a lost wake-up shows.
    template <class Condition>
    void until(Condition holds, const std::string& sentence) {
        const auto deadline = transport::clock::now() + patience;
        for (collect(); !holds(); collect()) {
            if (t_.progress()) continue;
            t_.wait(deadline);
            expect(transport::clock::now() < deadline, sentence);
        }
    }

    /// Until every transfer that was started is complete.
    void finish(const std::string& sentence) {
        until([this] { return completed_ == started_.size(); }, sentence);
    }
    void finish(const transport::transfer& x, const std::string& sentence) {
        until([&x] { return x.status != transport::transfer_status::pending; }, sentence);
    }

    /// Drives the transport for a while, whatever happens.
    void linger(std::chrono::nanoseconds time) {
        const auto end = transport::clock::now() + time;
        for (; transport::clock::now() < end; collect())
            if (!t_.progress()) t_.wait(end);
    }

    /// Drives the transport until all have come to the milestone.
    void meet(const milestone& there, int times, const std::string& sentence) {
        const auto deadline = transport::clock::now() + patience;
        while (!there.reached(times)) {
            linger(std::chrono::microseconds{200});
            expect(transport::clock::now() < deadline, sentence);
        }
    }

    /// How many of all started transfers have come back as complete.
    [[nodiscard]] std::size_t completed() {
        collect();
        return completed_;
    }

    /// Waits for a notice of that kind and returns it; others are dropped.
    transport::notice await(transport::notice_kind kind, const std::string& sentence) {
        transport::notice n;
        until(
            [&] {
                while (t_.fetch(n))
                    if (n.kind == kind) return true;
                return false;
            },
            sentence);
        return n;
    }

private:
    transport::transfer& fresh(std::size_t size, std::uint64_t signature) {
        auto& x = started_.emplace_back();
        x.bytes = size;
        x.signature = signature;
        x.owner = &done_;
        return x;
    }

    void collect() {
        while (auto* x = done_.pop()) {
            expect(x->status != transport::transfer_status::pending, "a completed transfer has a final status");
            ++completed_;
        }
    }

    Transport& t_;
    std::deque<transport::transfer> started_; ///< a deque keeps them in place
    transport::transfer_queue done_;
    std::size_t completed_ = 0;
};

[[nodiscard]] inline bool is_done(const transport::transfer& x) { return x.status == transport::transfer_status::done; }
[[nodiscard]] inline bool is_pending(const transport::transfer& x) {
    return x.status == transport::transfer_status::pending;
}

} // namespace tutti::test
