// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/world/world.ipp>

#include "courier.hpp"
#include "support/identity.hpp"
#include "support/run_ranks.hpp"

#include <atomic>
#include <memory>
#include <utility>

namespace tutti::test {

/// When a rank's fabric is to be destroyed, and that it was.
struct cut {
    std::atomic<bool> wanted{false}, done{false};
};

/// A fabric that can be destroyed while its world stays: all its links end, and the control plane lives on.
template <transport::fabric Described>
class cuttable {
    using inner = typename Described::fabric;

public:
    struct limits {
        typename Described::limits of{};
        test::cut* cut = nullptr; ///< null: never
    };
    using fabric = cuttable;
    using channel = typename Described::channel;
    static constexpr const char* name = Described::name;
    static constexpr transport::medium between = Described::between;
    static constexpr bool views = false, allocates = false, needs_sockets = Described::needs_sockets;

    explicit cuttable(const limits& how) : cut_(how.cut), it_(std::make_unique<inner>(how.of)) {}

    [[nodiscard]] std::vector<std::byte> card() const { return it_->card(); }
    [[nodiscard]] static bool reaches(const transport::fabric_end& a, const transport::fabric_end& b) {
        return inner::reaches(a, b);
    }
    [[nodiscard]] static std::string name_of(const transport::bootstrap::member& m) { return inner::name_of(m); }
    void join(const transport::joined_world& w) {
        rank_ = w.rank;
        size_ = static_cast<int>(w.table.members.size());
        it_->join(w);
    }

    [[nodiscard]] channel* open(transport::context k, int peer) { return it_->open(k, peer); }
    void send(channel& c, transport::transfer& x) { it_->send(c, x); }
    void receive(channel& c, transport::transfer& x) { it_->receive(c, x); }
    void close(transport::context k) {
        if (it_) it_->close(k);
    }
    [[nodiscard]] bool progress() {
        if (it_ && cut_ && cut_->wanted) return end();
        return it_ && it_->progress();
    }
    [[nodiscard]] std::optional<std::string> broken(int peer) { return it_->broken(peer); }

    [[nodiscard]] bool arm() { return it_ && it_->arm(); }
    void disarm() {
        if (it_) it_->disarm();
    }
    [[nodiscard]] int descriptor() const { return it_ ? it_->descriptor() : -1; }
    [[nodiscard]] transport::clock::time_point due() const {
        return it_ ? it_->due() : transport::clock::time_point::max();
    }
    void finish() {
        if (it_) it_->finish();
    }
    [[nodiscard]] std::size_t untaken(int peer) { return it_ ? it_->untaken(peer) : 0; }

    template <class Arrival>
    void connected(Arrival&& a)
        requires requires(inner& f) { f.connected(std::move(a)); }
    {
        if (it_) it_->connected(std::move(a));
    }
    [[nodiscard]] bool awaits_connections() const {
        if constexpr (requires(const inner& f) { f.awaits_connections(); }) return it_ && it_->awaits_connections();
        return false;
    }

private:
    /// In good order: what it had sent is not lost.
    bool end() {
        it_->finish();
        for (int peer = 0; peer < size_; ++peer)
            if (peer != rank_ && it_->untaken(peer) > 0) return it_->progress();
        it_.reset();
        cut_->done = true;
        return true;
    }

    test::cut* cut_;
    std::unique_ptr<inner> it_;
    int rank_ = 0, size_ = 0;
};

/// The links of rank 2 end while its process and its control plane live. The others get what it had sent; then
/// broken() says why it cannot be reached, and they go on talking to each other. For fabrics with links that can end
/// by themselves: of shared memory, only the control plane knows that a peer is gone.
template <transport::fabric Described>
void ended_links_show(const typename Described::limits& how = {}) {
    const reserved_port at;
    cut of_two;
    milestone ended, checked;
    run_ranks(3, [&](int rank) {
        transport::world<cuttable<Described>> t{identity(rank, 3, at), {how, rank == 2 ? &of_two : nullptr}};
        courier c{t};
        const bytes hello(8), last = pattern(8, 5);
        bytes in(8), never_in(8);
        for (int peer = 0; peer < 3; ++peer) {
            if (peer == rank) continue;
            c.send({1, 0}, peer, hello);
            c.receive({1, 0}, peer, in);
        }
        c.finish("all three know each other");
        if (rank == 2) {
            for (const int peer : {0, 1}) c.send({1, 0}, peer, last);
            c.finish("short sends complete");
            of_two.wanted = true;
            c.until([&] { return of_two.done.load(); }, "what it had sent is taken");
            ended.reach();
            return checked.await("the others have looked", 2);
        }
        c.meet(ended, 1, "the links of rank 2 end");
        const auto& arrived = c.receive({1, 0}, 2, in);
        const auto& never = c.receive({1, 0}, 2, never_in);
        c.until([&] { return t.broken(2).has_value(); }, "a link that has ended is broken");
        expect(is_done(arrived) && in == last, "what had arrived is delivered first");
        expect(is_pending(never), "what was never sent does not arrive");
        expect(!t.broken(2)->empty(), "it is said why");

        const int other = 1 - rank;
        c.send({1, 0}, other, last);
        const auto& received = c.receive({1, 0}, other, never_in);
        c.finish(received, "the others talk on");
        expect(!t.broken(other), "their link is not broken");
        checked.reach();
        c.meet(checked, 2, "both have looked");
        t.close({1, 0});
    });
}

} // namespace tutti::test
