// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"

#include "../../connections/manager.hpp"
#include "../../contract/fabric.hpp"
#include "../../flow/lane_set.hpp"
#include "../../sockets/address.hpp"
#include "checked.hpp"
#include "choice.hpp"
#include "peer_link.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::transport::detail::verbs {

/// This rank's RDMA ports and its links to all others, which are connected when a context first needs them.
class fabric {
public:
    using channel = verbs::channel;

    /// Throws tutti::error (invalid_argument) where they make no sense.
    static const verbs_limits& checked(const verbs_limits& limits) { return verbs::checked(limits); }

    explicit fabric(const verbs_limits& limits) : all_(limits) {}
    fabric(const fabric&) = delete;
    fabric& operator=(const fabric&) = delete;
    ~fabric() {
        links_.clear();
        if (all_.memory) all_.memory->end(); // another thread may be about to free symmetric memory
    }

    /// Opens the ports that this rank uses, by the address of its data. Throws a bootstrap error.
    void locate(const std::string& data_address) {
        // Before any registration: kernels before 5.12 must be asked to leave registered pages with the parent.
        if (ibv_is_fork_initialized() == IBV_FORK_DISABLED) static_cast<void>(ibv_fork_init());
        for (candidate& c : chosen(all_candidates(), all_.limits, data_address)) {
            if (all_.rails.size() == max_rails)
                bootstrap::bootstrap_failed("more than " + std::to_string(max_rails) + " RDMA ports are named");
            all_.rails.push_back(std::make_unique<rail>(std::move(c)));
        }
    }

    [[nodiscard]] std::vector<std::byte> card() const {
        std::vector<rail_card> mine;
        for (const auto& r : all_.rails) mine.push_back(r->card());
        return encode(mine);
    }
    [[nodiscard]] static bool reaches(const fabric_end& a, const fabric_end& b) {
        return rails_between(decode_card(a.card), decode_card(b.card), a.of.host_id == b.of.host_id) > 0;
    }
    [[nodiscard]] static std::string why_not(const fabric_end& self, const fabric_end& peer) {
        return why_apart(decode_card(self.card), decode_card(peer.card), peer.of.rank);
    }
    [[nodiscard]] static std::string name_of(const bootstrap::member& m) {
        for (const bootstrap::fabric_card& c : m.cards)
            if (const auto rails = decode_card(c.bytes); c.fabric == "verbs" && !rails.empty())
                return rails.front().device + " " + text_of(rails.front().gid);
        return bootstrap::endpoint{m.address, m.port}.text();
    }

    /// "rxe1:1 gid 1 ::ffff:10.9.0.1 (RoCE v2) to rxe2 ::ffff:10.9.0.2".
    [[nodiscard]] std::string way_to(int peer) const {
        const auto cards = rails_to(peer);
        std::string text;
        for (std::size_t i = 0; i < cards.size(); ++i)
            text += (i == 0 ? "" : "; ") + words_of(all_.rails[i]->port()) + " to " + cards[i].device + " " +
                    text_of(cards[i].gid);
        return text;
    }

    void join(const joined_world& w) {
        world_.emplace(w);
        links_.resize(w.table.members.size());
        if (all_.rails.empty()) return; // then no rank is reached by it
        if (w.table.encrypted)
            bootstrap::bootstrap_failed("data over RDMA are not encrypted, and TUTTI_ENCRYPT is set",
                                        "unset it, or use transport::routed or tcp");
        const auto peers = static_cast<std::uint32_t>(w.table.members.size());
        for (const auto& r : all_.rails) {
            const std::uint64_t entries = std::uint64_t{peers} * (all_.slots_of_link() + all_.depth());
            r->make_queue(static_cast<int>(std::min<std::uint64_t>(entries, most_entries)));
            const short events = POLLIN;
            const auto number = static_cast<std::uint32_t>(&r - all_.rails.data());
            if (!sockets_.watch(r->completions(), 0, events, {no_peer, 2 * number}) ||
                !sockets_.watch(r->faults(), 0, events, {no_peer, 2 * number + 1}))
                bootstrap::bootstrap_failed("the system gives no memory to watch an RDMA device");
        }
        most_links_ = world_->table.members.size();
        for (const auto& r : all_.rails)
            most_links_ = std::min<std::size_t>(most_links_, static_cast<std::size_t>(r->queue()->cqe) /
                                                                 (all_.slots_of_link() + all_.depth()));
        all_.memory = std::make_shared<registrations>(all_.rails, all_.limits.kept_registrations);
        all_.packets.emplace(*all_.rails.front(), packet_bytes + all_.limits.slot_bytes, peers * all_.slots_of_link());
        all_.places.emplace(all_.rails, all_.limits.landing_bytes);
        by_number_.resize(all_.rails.size());
    }

    [[nodiscard]] channel* open(context k, int peer) {
        all_.closed.reopen(k);
        const bool first = !links_[static_cast<std::size_t>(peer)];
        peer_link& link = link_to(peer);
        if (first) world_->sockets->connect(world_->fabric, peer, 0);
        return &link.open(k);
    }
    void send(channel& c, transfer& x) { c.link.send(c, x); }
    void receive(channel& c, transfer& x) {
        c.link.receive(c, x);
        touch(c.link); // reads are asked for when all that has come was looked at
    }

    /// Waits until no device touches memory of the context: for this rank's reads under way, and for the peers' answers
    /// that they do not read. A peer that does not answer for 100 ms does not read either: its earlier reads were done
    /// long ago, and the registration that later ones would need is ended.
    void close(context k) {
        all_.closed.add(k);
        all_.refused.erase(k);
        for (peer_link* link : active_) link->close(k);
        const auto wait_while = [this](clock::duration most, auto holds) {
            const auto until = clock::now() + most;
            const auto any = [&] { return std::any_of(active_.begin(), active_.end(), holds); };
            while (any() && clock::now() < until) rest_unless(progress());
        };
        wait_while(patience_of_close, [k](peer_link* l) { return l->closing(k); });
        for (peer_link* link : active_) link->give_up(k);
        wait_while(patience_of_reads, [k](peer_link* l) { return l->reading(k); });
        for (peer_link* link : active_)
            if (link->reading(k)) link->fail("did not answer reads for a second when their context was closed");
        wait_while(patience_of_reads, [k](peer_link* l) { return l->reading(k); }); // they are flushed
    }

    /// A socket that was dialled, here or by the peer, is there; or it never will be.
    void connected(connections::arrival&& a) {
        if (all_.rails.empty() || rails_to(a.peer).empty()) return; // no rank of this library wants that
        peer_link& link = link_to(a.peer);
        if (!a.why.empty()) return link.fail(a.why);
        if (!link.wire().pairs().empty()) return; // a second one
        if (active_.size() > most_links_)
            all_.shortage = "it has no room in its completion queue for another peer: RDMA device " +
                            all_.rails.front()->port().device + " allows " +
                            std::to_string(all_.rails.front()->facts().max_cqe) + " entries";
        else
            link.begin(std::move(a.connected.socket));
        for (std::size_t i = 0; i < link.wire().pairs().size(); ++i)
            by_number_[i][link.wire().pairs()[i].number()] = &link;
        const int socket = link.wire().descriptor();
        if (socket < 0)
            return unwanted_.push_back(std::move(a.connected)); // the peer is to hear the reason, not an end
        if (!sockets_.watch(socket, 0, POLLIN, {static_cast<std::uint32_t>(link.peer()), 0}))
            all_.shortage =
                "its system has no memory to watch another connection: free some, or run fewer processes there";
        touch(link);
    }
    [[nodiscard]] bool awaits_connections() const {
        return std::any_of(active_.begin(), active_.end(), [this](peer_link* link) {
            return link->peer() < world_->rank && link->wire().pairs().empty() && !link->broken();
        });
    }

    void blame(const culprit& by) {
        for (peer_link* link : active_) {
            link->blame(by);
            touch(*link);
        }
    }
    [[nodiscard]] culprit blamed_by(int peer) const {
        const auto& link = links_[static_cast<std::size_t>(peer)];
        return link ? link->blamed() : culprit{};
    }
    [[nodiscard]] std::optional<std::string> broken(int peer) const {
        const auto& link = links_[static_cast<std::size_t>(peer)];
        if (!link || !link->broken()) return std::nullopt;
        for (const auto& r : all_.rails)
            if (!r->fault().empty()) return *link->broken() + "; its " + r->fault() + " before";
        return link->broken();
    }
    [[nodiscard]] std::optional<std::string> shortage() const {
        if (!all_.shortage.empty()) return all_.shortage;
        return all_.refused.empty() ? std::nullopt : std::optional(all_.refused.begin()->second);
    }

    /// Any thread. Memory that is registered once. Throws a bootstrap error.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) const {
        if (!all_.memory) return nullptr;
        return registrations::allocate(all_.memory, bytes);
    }

    /// Any thread. Memory of another fabric, registered as long as it lives; or as it is, where the system refuses.
    [[nodiscard]] std::shared_ptr<std::byte> adopt(std::shared_ptr<std::byte> memory, std::size_t bytes) const {
        if (!all_.memory) return memory;
        try {
            return registrations::adopt(all_.memory, memory, bytes);
        } catch (const error&) { // then each message that uses it is registered by itself
            return memory;
        }
    }

    bool progress() {
        bool moved = poll();
        if (slept_ || ++calls_ % look_around == 0) moved = look() || moved;
        return moved;
    }
    [[nodiscard]] bool arm() {
        bool all = true;
        for (const auto& r : all_.rails) all = r->request_event() && all;
        return poll() || !all;
    }
    [[nodiscard]] int descriptor() const noexcept { return sockets_.descriptor(); }
    [[nodiscard]] clock::time_point due() const noexcept {
        auto first = clock::time_point::max();
        for (const auto& r : all_.rails) first = std::min(first, r->given_up_at());
        return first;
    }
    void disarm() noexcept {
        slept_ = true;
        for (const auto& r : all_.rails) r->take_events();
    }

    void finish() noexcept {}
    [[nodiscard]] std::size_t untaken(int peer) {
        progress();
        const auto& link = links_[static_cast<std::size_t>(peer)];
        return link ? link->untaken() : 0;
    }

private:
    static constexpr std::uint32_t no_peer = 0xffffffff;
    static constexpr std::uint64_t most_entries = 1U << 22;
    /// So often, even while data moves, sockets and devices are looked at.
    static constexpr std::uint32_t look_around = 64;
    static constexpr int batch = 16;       ///< completions at a time
    static constexpr int most_batches = 8; ///< in one call, so that the control plane has its turn
    static constexpr std::chrono::milliseconds patience_of_close{100};
    static constexpr std::chrono::seconds patience_of_reads{1};

    peer_link& link_to(int peer) {
        auto& link = links_[static_cast<std::size_t>(peer)];
        if (!link) {
            link = std::make_unique<peer_link>(peer, all_, rails_to(peer));
            active_.push_back(link.get());
        }
        return *link;
    }

    /// The peer's ends of the rails that this rank has in common with it.
    [[nodiscard]] std::vector<rail_card> rails_to(int peer) const {
        const auto& mine = world_->table.members[static_cast<std::size_t>(world_->rank)];
        const auto& its = world_->table.members[static_cast<std::size_t>(peer)];
        auto cards = decode_card(world_->card_of(peer));
        cards.resize(rails_between(decode_card(world_->card_of(world_->rank)), cards, mine.host_id == its.host_id));
        return cards;
    }

    void touch(peer_link& link) {
        if (!std::exchange(link.touched, true)) touched_.push_back(&link);
    }

    /// Takes completions. Reads are asked for only once all that had come was taken, so that a withdrawal among it
    /// stops what was announced before.
    bool poll() {
        bool all = true;
        const std::uint64_t before = taken_;
        for (std::size_t i = 0; i < all_.rails.size(); ++i) all = poll(i) && all;
        const bool moved = taken_ != before;
        if (moved && !all_.packets->post()) all_.shortage = "its RDMA device takes no receive requests";
        if (!all) return true;
        if (moved) // a landing place may have come free; links that wait for one come first
            for (peer_link* link : active_)
                if (link->hungry) link->hungry = link->advance();
        if (touched_.empty()) return moved;
        advancing_.swap(touched_); // both keep their memory
        for (peer_link* link : advancing_) {
            link->touched = false;
            link->hungry = link->advance();
        }
        advancing_.clear();
        return true;
    }
    /// False if there may be more.
    bool poll(std::size_t rail) {
        std::array<ibv_wc, batch> done;
        for (int i = 0; i < most_batches; ++i) {
            const int count = ibv_poll_cq(all_.rails[rail]->queue(), batch, done.data());
            for (int k = 0; k < count; ++k) take(rail, done[static_cast<std::size_t>(k)]);
            taken_ += static_cast<std::uint64_t>(std::max(count, 0));
            if (count < batch) return true;
        }
        return false;
    }
    void take(std::size_t rail, const ibv_wc& done) {
        peer_link* const link = link_of(rail, done.qp_num);
        if (link) touch(*link);
        if ((done.wr_id & slot_set::tag) == 0) {
            if (link) link->completed(rail, done.wr_id, done.status);
            return;
        }
        const auto slot = static_cast<std::uint32_t>(done.wr_id & ~slot_set::tag);
        if (link && done.status != IBV_WC_SUCCESS) link->fail(words_of(done.status));
        if (link && !link->broken()) link->take(all_.packets->content(slot, done.byte_len));
        all_.packets->free(slot);
    }

    [[nodiscard]] peer_link* link_of(std::size_t rail, std::uint32_t number) const {
        const auto found = by_number_[rail].find(number);
        return found == by_number_[rail].end() ? nullptr : found->second;
    }

    /// Handles data from sockets, and events of devices.
    bool look() {
        slept_ = false;
        bool moved = false;
        for (const auto& r : all_.rails)
            if (clock::now() >= r->given_up_at()) {
                all_.shortage = "it has lost its " + r->fault();
                r->give_up();
            }
        sockets_.each_ready([&](tcp::lane_set::name ready) {
            if (ready.peer == no_peer) {
                if (ready.lane % 2 == 1) listen(*all_.rails[ready.lane / 2]);
                return;
            }
            moved = true;
            peer_link& link = *links_[ready.peer];
            touch(link); // messages that came before it was connected wait to be read
            if (!link.step()) return;
            while (poll()) continue; // its earlier messages
            link.end();
            static_cast<void>(sockets_.watch(link.wire().descriptor(), POLLIN, 0, ready));
        });
        return moved;
    }
    void listen(rail& r) {
        r.take_faults([&](const ibv_async_event& e) {
            const std::string words = "RDMA port " + r.port().device + ":" + std::to_string(r.port().port) +
                                      ", which told \"" + ibv_event_type_str(e.event_type) + '"';
            switch (e.event_type) {
            case IBV_EVENT_PORT_ACTIVE: r.forget_fault(); break;
            case IBV_EVENT_DEVICE_FATAL:
            case IBV_EVENT_CQ_ERR:
            case IBV_EVENT_SRQ_ERR: all_.shortage = "it has lost its " + words; break;
            case IBV_EVENT_PORT_ERR: // it may come back, and nothing is lost then
                r.remember_fault(words, clock::now() + all_.retry_limits_on(r).whole());
                break;
            case IBV_EVENT_GID_CHANGE: r.check_gid(words, clock::now() + all_.retry_limits_on(r).whole()); break;
            case IBV_EVENT_LID_CHANGE:
            case IBV_EVENT_PKEY_CHANGE: r.remember_fault(words, clock::time_point::max()); break;
            case IBV_EVENT_QP_FATAL:
            case IBV_EVENT_QP_REQ_ERR:
            case IBV_EVENT_QP_ACCESS_ERR:
                for (peer_link* link : active_)
                    for (const queue_pair& q : link->wire().pairs())
                        if (&q.on() == &r && q.number() == e.element.qp->qp_num) link->fail(words);
                break;
            default: break;
            }
        });
    }

    static void rest_unless(bool moved) {
        if (!moved) std::this_thread::sleep_for(std::chrono::microseconds{20});
    }

    resources all_;
    std::optional<joined_world> world_;
    tcp::lane_set sockets_;
    std::vector<std::unique_ptr<peer_link>> links_;  // by rank; null until one side wants it
    std::vector<peer_link*> active_;                 // those that are not null
    std::vector<bootstrap::proven_socket> unwanted_; // of peers that this rank lacks room for
    std::vector<peer_link*> touched_;                // to be advanced when completions have been taken
    std::vector<peer_link*> advancing_;              // those of them that are
    std::vector<std::unordered_map<std::uint32_t, peer_link*>> by_number_; // of queue pairs, by rail
    std::size_t most_links_ = 0;
    std::uint64_t taken_ = 0; // completions
    std::uint32_t calls_ = 0; // of progress()
    bool slept_ = false;      // since sockets were looked at
};

} // namespace tutti::transport::detail::verbs
