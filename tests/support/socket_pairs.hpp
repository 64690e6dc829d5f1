// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/contract/fabric.hpp>
#include <transport/sockets/socket.hpp>
#include <transport/world/receive_reduce.hpp>

#include <sys/epoll.h>

#include <array>
#include <map>
#include <mutex>
#include <tuple>

namespace tutti::test {

/// A fabric as simple as can be: a pair of sockets for each channel between two ranks that are threads of one process.
class socket_pairs {
public:
    /// Ranks of one island reach each other.
    struct limits {
        int island = 0;
    };
    using fabric = socket_pairs;
    static constexpr const char* name = "socket pairs";
    static constexpr transport::medium between = transport::medium::network;
    static constexpr bool views = false, allocates = false, needs_sockets = false;

    class channel {
    public:
        channel(transport::bootstrap::descriptor end, int peer) : peer(peer), end_(std::move(end)) {}
        [[nodiscard]] bool advance() {
            bool moved = false;
            // So many at a time: other channels have their turn though this one's peer keeps up with it.
            for (int i = 0; i < 16 && !sends.empty() && write(*sends.front()); ++i) moved = true;
            for (int i = 0; i < 16 && !receives.empty() && read(*receives.front()); ++i) moved = true;
            return moved;
        }
        [[nodiscard]] bool busy() const { return !sends.empty() || !receives.empty(); }
        [[nodiscard]] std::uint32_t events() const {
            return (sends.empty() ? 0u : EPOLLOUT) | (receives.empty() ? 0u : EPOLLIN);
        }
        [[nodiscard]] int descriptor() const { return end_.get(); }

        const int peer;
        transport::transfer_queue sends, receives;

    private:
        using header = std::array<std::uint64_t, 2>; // length and signature

        bool write(transport::transfer& x) {
            const header h{x.bytes, x.signature};
            const std::array<iovec, 2> both{
                transport::bootstrap::piece(std::as_bytes(std::span(h)).subspan(std::min(written_, sizeof h))),
                transport::bootstrap::piece({x.from + x.moved, x.bytes - x.moved})};
            const std::size_t some = transport::bootstrap::write_some(end_.get(), both).bytes;
            const std::size_t of_header = std::min(some, sizeof h - std::min(written_, sizeof h));
            written_ += some;
            x.moved += some - of_header;
            if (written_ < sizeof h + x.bytes) return some > 0;
            written_ = 0;
            complete(*sends.pop());
            return true;
        }

        bool read(transport::transfer& x) {
            if (have_ < sizeof incoming_) {
                const auto rest = std::as_writable_bytes(std::span(incoming_)).subspan(have_);
                have_ += transport::bootstrap::read_some(end_.get(), rest).bytes;
                if (have_ < sizeof incoming_) return false;
                left_ = incoming_[0];
                fits_ = transport::accepts(x, incoming_[0], incoming_[1]);
                if (fits_) to_.begin(x);
            }
            std::array<std::byte, 64 * 1024> landing;
            const auto room = std::span(landing).first(std::min<std::size_t>(left_, landing.size()));
            const std::size_t some = left_ ? transport::bootstrap::read_some(end_.get(), room).bytes : 0;
            to_.take(room.first(some));
            left_ -= some;
            if (left_ > 0) return some > 0;
            have_ = 0;
            to_.end();
            complete(*receives.pop(),
                     fits_ ? transport::transfer_status::done : transport::transfer_status::mismatched);
            return true;
        }

        transport::bootstrap::descriptor end_;
        header incoming_{};
        std::size_t written_ = 0, have_ = 0, left_ = 0;
        bool fits_ = false;
        transport::detail::delivery to_;
    };

    explicit socket_pairs(const limits& how) : island_(how.island), ready_(::epoll_create1(EPOLL_CLOEXEC)) {}

    [[nodiscard]] std::vector<std::byte> card() const {
        const std::array<std::int64_t, 2> where{::getpid(), island_};
        const auto bytes = std::as_bytes(std::span(where));
        return {bytes.begin(), bytes.end()};
    }
    [[nodiscard]] static bool reaches(const transport::fabric_end& a, const transport::fabric_end& b) {
        return std::ranges::equal(a.card, b.card);
    }
    [[nodiscard]] static std::string name_of(const transport::bootstrap::member& m) {
        return "thread " + std::to_string(m.rank);
    }
    void join(const transport::joined_world& w) {
        rank_ = w.rank;
        world_ = w.table.world;
    }

    [[nodiscard]] channel* open(transport::context k, int peer) {
        lines_.try_emplace(peer, claim({}, peer));
        const auto known = open_.find({k, peer});
        if (known != open_.end()) return &known->second;
        return &open_.try_emplace({k, peer}, claim(k, peer), peer).first->second;
    }
    void send(channel& c, transport::transfer& x) {
        start(c.sends, x);
        static_cast<void>(c.advance());
    }
    void receive(channel& c, transport::transfer& x) { start(c.receives, x); }
    void close(transport::context k) {
        std::erase_if(open_, [&](const auto& each) { return each.first.first == k; });
    }
    [[nodiscard]] bool progress() {
        bool moved = false;
        for (auto& [where, c] : open_) moved = c.advance() || moved;
        return moved;
    }
    /// A peer's end of the line is closed when it leaves; nothing it had sent is left then when nothing moves.
    [[nodiscard]] std::optional<std::string> broken(int peer) {
        std::array<std::byte, 1> none;
        const auto line = lines_.find(peer);
        if (line == lines_.end() || !transport::bootstrap::read_some(line->second.get(), none).ended || progress())
            return std::nullopt;
        return "its thread has left";
    }

    [[nodiscard]] bool arm() { return each_busy(EPOLL_CTL_ADD); }
    void disarm() { static_cast<void>(each_busy(EPOLL_CTL_DEL)); }
    [[nodiscard]] int descriptor() const { return ready_.get(); }
    [[nodiscard]] static transport::clock::time_point due() { return transport::clock::time_point::max(); }
    void finish() {}
    [[nodiscard]] static std::size_t untaken(int) { return 0; } // what was written stays with the other end

private:
    static void start(transport::transfer_queue& in, transport::transfer& x) {
        x.status = transport::transfer_status::pending;
        x.moved = 0;
        in.push(x);
    }
    bool each_busy(int change) {
        for (auto& [where, c] : open_) {
            epoll_event e{c.events(), {}};
            if (c.busy()) ::epoll_ctl(ready_.get(), change, c.descriptor(), &e);
        }
        return false;
    }

    /// This rank's end of the pair that it and a peer have for a purpose: the first of them makes it.
    [[nodiscard]] transport::bootstrap::descriptor claim(transport::context k, int peer) const {
        static std::mutex guard;
        static std::map<std::tuple<std::uint64_t, transport::context, int, int>, transport::bootstrap::descriptor> left;
        const std::lock_guard lock{guard};
        const auto mine = left.find({world_, k, rank_, peer});
        if (mine != left.end()) return std::move(left.extract(mine).mapped());
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0)
            throw std::system_error(errno, std::generic_category(), "no pair of sockets");
        left.try_emplace({world_, k, peer, rank_}, ends[1]);
        return transport::bootstrap::descriptor{ends[0]};
    }

    int island_;
    int rank_ = 0;
    std::uint64_t world_ = 0;
    transport::bootstrap::descriptor ready_;
    std::map<int, transport::bootstrap::descriptor> lines_; // by peer: open as long as it is there
    std::map<std::pair<transport::context, int>, channel> open_;
};

} // namespace tutti::test
