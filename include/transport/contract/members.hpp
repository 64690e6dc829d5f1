// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/bytes.hpp"
#include "../../base/linkage.hpp"
#include "processor_matching.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// A rank's address in one of its fabrics. Only that fabric reads the bytes.
struct fabric_card {
    std::string fabric;           ///< its name
    std::vector<std::byte> bytes; ///< at most max_card_bytes
    friend bool operator==(const fabric_card&, const fabric_card&) = default;
};

/// One rank as the others must know it.
struct member {
    std::int32_t rank = -1;         ///< in the world
    std::int32_t size = 0;          ///< of the world that it expects
    std::string address;            ///< where it listens for data: a literal IPv4 or IPv6 address
    std::uint16_t port = 0;         ///< and a port; 0: none of its fabrics has sockets
    std::string host;               ///< host name, for people
    std::string host_id;            ///< equal exactly where ranks run on one kernel under one name, see identity::host
    allotment may_use;              ///< of its host
    std::int64_t pid = 0;           ///< its process
    std::vector<fabric_card> cards; ///< one for each fabric of its transport, in order
    std::string group{};            ///< the program's name for the world, at most max_group_bytes
    std::int32_t global_rank = -1;  ///< the program's number of the rank
    friend bool operator==(const member&, const member&) = default;
};

/// Everyone, as rank 0 found them; the same on every rank.
struct world_table {
    std::uint64_t world = 0;     ///< drawn by rank 0; goes into the hello of every data connection
    std::vector<member> members; ///< by rank
    bool encrypted = false;      ///< data over TCP stay inside TLS; the same on all ranks

    /// A processor of this rank's host that is its own, if the ranks there can have one each: share_out() gives it.
    /// Nothing where the host is crowded. Ranks of one host share it out alike.
    [[nodiscard]] std::optional<int> processor_of(int rank) const {
        const std::string& host = members[static_cast<std::size_t>(rank)].host_id;
        std::vector<allotment> here;
        std::size_t mine = 0;
        for (std::size_t r = 0; r < members.size(); ++r) {
            if (members[r].host_id != host) continue;
            if (r == static_cast<std::size_t>(rank)) mine = here.size();
            here.push_back(members[r].may_use);
        }
        const auto given = share_out(here);
        if (!given) return std::nullopt;
        return (*given)[mine];
    }

    /// The ranks of this rank's host cannot have a processor each: who waits must let others run.
    [[nodiscard]] bool crowded(int rank) const { return !processor_of(rank); }

    /// The host of each rank, numbered by first appearance.
    [[nodiscard]] std::vector<int> nodes() const {
        std::map<std::string_view, int> numbers;
        std::vector<int> all;
        for (const member& m : members)
            all.push_back(numbers.try_emplace(m.host_id, static_cast<int>(numbers.size())).first->second);
        return all;
    }
};

inline constexpr std::size_t max_name_bytes = 512;  ///< of any string of a member
inline constexpr std::size_t max_group_bytes = 63;  ///< of the program's name for a world
inline constexpr std::size_t max_cards = 8;         ///< of a member
inline constexpr std::size_t max_card_bytes = 4096; ///< of each

/// Writes a card into a frame of the control plane.
inline void write_card(tutti::detail::byte_writer& w, const fabric_card& c) {
    w.text(c.fabric, max_name_bytes);
    w.integer(static_cast<std::uint16_t>(c.bytes.size()));
    w.raw(c.bytes);
}

/// Reads what write_card() wrote. What is cut off or too long fails the reader.
[[nodiscard]] inline fabric_card read_card(tutti::detail::byte_reader& r) {
    fabric_card c;
    c.fabric = r.text(max_name_bytes);
    const auto length = r.integer<std::uint16_t>();
    const auto bytes = r.raw(std::min<std::size_t>(length, max_card_bytes + 1));
    if (bytes.size() <= max_card_bytes) c.bytes.assign(bytes.begin(), bytes.end());
    return c;
}

/// Writes what a member may use into a frame of the control plane.
inline void write_allotment(tutti::detail::byte_writer& w, const allotment& a) {
    w.integer(static_cast<std::uint8_t>(a.processors.words().size()));
    for (const std::uint64_t word : a.processors.words()) w.integer(word);
    w.integer(a.quota.thousandths);
    w.integer(a.quota.device);
    w.integer(a.quota.inode);
}

/// Reads what write_allotment() wrote. What is cut off, has too many words, or one more than it needs, fails the
/// reader.
[[nodiscard]] inline allotment read_allotment(tutti::detail::byte_reader& r) {
    allotment a;
    std::vector<std::uint64_t> words(r.integer<std::uint8_t>());
    if (words.size() > processor_set::max_words) r.fail();
    for (std::uint64_t& word : words) word = r.integer<std::uint64_t>();
    if (!words.empty() && words.back() == 0) r.fail();
    a.processors = processor_set(words);
    a.quota.thousandths = r.integer<std::uint32_t>();
    a.quota.device = r.integer<std::uint64_t>();
    a.quota.inode = r.integer<std::uint64_t>();
    return a;
}

/// Writes a member into a frame of the control plane.
TUTTI_COLD inline void write_member(tutti::detail::byte_writer& w, const member& m) {
    w.integer(m.rank);
    w.integer(m.size);
    w.text(m.address, max_name_bytes);
    w.integer(m.port);
    w.text(m.host, max_name_bytes);
    w.text(m.host_id, max_name_bytes);
    write_allotment(w, m.may_use);
    w.integer(m.pid);
    w.text(m.group, max_group_bytes);
    w.integer(m.global_rank);
    w.integer(static_cast<std::uint8_t>(m.cards.size()));
    for (const fabric_card& c : m.cards) write_card(w, c);
}

/// Reads what write_member() wrote. What is cut off or too long fails the reader.
TUTTI_COLD [[nodiscard]] inline member read_member(tutti::detail::byte_reader& r) {
    member m;
    m.rank = r.integer<std::int32_t>();
    m.size = r.integer<std::int32_t>();
    m.address = r.text(max_name_bytes);
    m.port = r.integer<std::uint16_t>();
    m.host = r.text(max_name_bytes);
    m.host_id = r.text(max_name_bytes);
    m.may_use = read_allotment(r);
    m.pid = r.integer<std::int64_t>();
    m.group = r.text(max_group_bytes);
    m.global_rank = r.integer<std::int32_t>();
    const auto cards = std::min<std::size_t>(r.integer<std::uint8_t>(), max_cards);
    for (std::size_t i = 0; i < cards && r.ok(); ++i) m.cards.push_back(read_card(r));
    return m;
}

/// The ranks that have come to the rendezvous so far. No I/O.
class roll_call {
public:
    /// Waits for so many ranks.
    explicit roll_call(int size) : seats_(static_cast<std::size_t>(size)), met_(static_cast<std::size_t>(size)) {}

    /// Seats a member, or says in words why it may not sit.
    TUTTI_COLD [[nodiscard]] std::optional<std::string> admit(const member& m) {
        const auto who = "rank " + std::to_string(m.rank);
        if (m.size != size())
            return who + " was told of " + std::to_string(m.size) + " ranks, rank 0 of " + std::to_string(size());
        if (!is_rank(m.rank)) return who + " is not one of the " + std::to_string(size()) + " ranks of this world";
        auto& seat = seats_[static_cast<std::size_t>(m.rank)];
        if (seat)
            return who + " has joined already, from " + seat->host + ", process " + std::to_string(seat->pid) +
                   "; process " + std::to_string(m.pid) + " on " + m.host + " has the same number";
        seat = m;
        ++present_;
        return std::nullopt;
    }

    /// A member went away before everyone had come; its rank may come again.
    void withdraw(int rank) {
        seats_[static_cast<std::size_t>(rank)].reset();
        --present_;
    }

    /// A process has had its part as that rank: a seat, or the word that there is none.
    void meet(int rank, std::uint64_t process) {
        if (is_rank(rank)) met_[static_cast<std::size_t>(rank)] = process;
    }
    /// It was the last one of that rank.
    [[nodiscard]] bool has_met(int rank, std::uint64_t process) const {
        return is_rank(rank) && met_[static_cast<std::size_t>(rank)] == process;
    }

    /// How many ranks are awaited in all.
    [[nodiscard]] int size() const noexcept { return static_cast<int>(seats_.size()); }
    /// How many have come.
    [[nodiscard]] int present() const noexcept { return present_; }
    /// All have come.
    [[nodiscard]] bool complete() const noexcept { return present_ == size(); }

    /// The ranks that have not come, ascending.
    [[nodiscard]] std::vector<int> missing() const {
        std::vector<int> all;
        for (int r = 0; r < size(); ++r)
            if (is_missing(r)) all.push_back(r);
        return all;
    }
    /// This rank has not come.
    [[nodiscard]] bool is_missing(int rank) const { return is_rank(rank) && !seats_[static_cast<std::size_t>(rank)]; }

    /// Everyone, by rank. Precondition: complete().
    [[nodiscard]] std::vector<member> members() const {
        std::vector<member> out;
        for (const auto& seat : seats_) out.push_back(*seat);
        return out;
    }

private:
    [[nodiscard]] bool is_rank(int rank) const noexcept { return rank >= 0 && rank < size(); }

    std::vector<std::optional<member>> seats_;
    std::vector<std::optional<std::uint64_t>> met_; // by rank: the process
    int present_ = 0;
};

} // namespace tutti::transport::bootstrap
