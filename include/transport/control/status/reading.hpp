// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../../contract/notice.hpp"
#include "image.hpp"
#include "place.hpp"
#include "process.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti::transport::status {

inline constexpr int most_ranks = 1 << 20; ///< as TUTTI_SIZE has it

/// A call under way, as its rank's page tells.
struct call_told {
    std::uint64_t communicator = 0, request = 0, signature = 0;
    std::int64_t since = 0, deadline = 0;
    int step = -1, steps = 0, done = 0;
    bool blocks = false, local = false;
    std::vector<int> peers; ///< the first eight that it waits for
    int waits_for = 0;      ///< how many these are in all
    std::string words;
};

struct traffic_told {
    int peer = -1; ///< -1: all that have no row of their own
    std::uint64_t messages = 0, bytes = 0;
};

/// What a page says, with nothing in it that makes no sense. Times as on the page.
struct rank_told {
    std::uint64_t world = 0, process_start = 0;
    int rank = 0, size = 1, node = 0, hosts = 1;
    std::int64_t pid = 0, joined = 0, joined_wall = 0, copied = 0;
    std::int64_t global_rank = -1; ///< -1: none
    std::string host, zero_host, command, group;

    std::uint64_t request = 0; ///< of the last call that started
    unsigned what = 0;         ///< schedule::operation, or messages_code
    std::uint32_t under_way = 0;
    std::int64_t entered = 0; ///< when it started; 0: there was none

    std::int64_t looked = 0, stalled_since = 0;
    std::vector<call_told> calls;
    std::uint32_t calls_in_all = 0;
    std::string failure;
    std::vector<traffic_told> sent;
};

namespace detail {

/// Control characters become '?': the text goes to terminals.
[[nodiscard]] inline std::string printable(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return text;
}

/// The text of a field, up to its first zero.
template <std::size_t N>
[[nodiscard]] std::string text_in(const std::array<char, N>& field) {
    return printable({field.begin(), std::find(field.begin(), field.end(), '\0')});
}

[[nodiscard]] inline call_told call_in(const call_entry& e, int size) {
    call_told c;
    c.communicator = e.communicator, c.request = e.request, c.signature = e.signature;
    c.since = e.since, c.deadline = e.deadline;
    c.step = e.step, c.steps = e.steps, c.done = e.done;
    c.blocks = e.blocks != 0, c.local = e.local != 0;
    c.words = text_in(e.words);
    const std::size_t listed = std::min<std::size_t>(e.waits_for, e.peers.size());
    for (std::size_t k = 0; k < listed; ++k)
        if (e.peers[k] >= 0 && e.peers[k] < size) c.peers.push_back(e.peers[k]);
    c.waits_for = std::max<int>(e.waits_for, static_cast<int>(c.peers.size()));
    return c;
}

} // namespace detail

/// Nothing if the image is no rank's. Whatever is in it, the result has bounded size.
[[nodiscard]] inline std::optional<rank_told> told_by(const image& i) {
    const page_head& h = i.head;
    if (h.layout != this_layout || h.size < 1 || h.size > most_ranks || h.rank < 0 || h.rank >= h.size)
        return std::nullopt;
    rank_told r;
    r.world = h.world, r.process_start = h.process_start;
    r.rank = h.rank, r.size = h.size, r.node = h.node, r.hosts = std::max(1, h.hosts);
    r.pid = h.pid, r.joined = h.joined, r.joined_wall = h.joined_wall, r.copied = i.copied;
    r.host = detail::text_in(h.host), r.zero_host = detail::text_in(h.zero_host),
    r.command = detail::text_in(h.command), r.group = detail::text_in(h.group);
    r.global_rank = h.global_rank;
    r.request = i.word >> 24, r.what = static_cast<unsigned>(i.word >> 20 & 15);
    r.under_way = static_cast<std::uint32_t>(i.word & call_line::count_mask);
    r.entered = i.entered;
    if (i.has_details == 1) {
        r.looked = i.what.looked, r.stalled_since = i.what.stalled_since;
        r.calls_in_all = i.what.under_way;
        const std::size_t listed = std::min<std::size_t>(i.what.listed, i.what.calls.size());
        for (std::size_t k = 0; k < listed; ++k) r.calls.push_back(detail::call_in(i.what.calls[k], h.size));
        r.failure = detail::text_in(i.what.failure);
    }
    for (std::size_t k = 0; k + 1 < i.sent.size(); ++k)
        if (i.sent[k].peer > 0 && i.sent[k].peer <= h.size)
            r.sent.push_back({static_cast<int>(i.sent[k].peer - 1), i.sent[k].messages, i.sent[k].bytes});
    if (i.sent.back().messages > 0) r.sent.push_back({-1, i.sent.back().messages, i.sent.back().bytes});
    return r;
}

/// What the system says of a page's process.
enum class process_state : std::uint8_t {
    alive,
    stopped, ///< by a signal or a debugger
    dead,    ///< it has ended, and its rank has not left
};

/// A copy of a page that some process of this user has made; nothing if it is gone or no page. Another process may
/// write it meanwhile; none shortens it.
[[nodiscard]] inline std::optional<image> image_in(int file) {
    struct stat facts {};
    if (::fstat(file, &facts) != 0 || facts.st_size != static_cast<off_t>(page_bytes)) return std::nullopt;
    void* const where = ::mmap(nullptr, page_bytes, PROT_READ, MAP_SHARED, file, 0);
    if (where == MAP_FAILED) return std::nullopt;
    const image copy = image_of(*static_cast<const page*>(where));
    ::munmap(where, page_bytes);
    return copy.head.layout == this_layout ? std::optional(copy) : std::nullopt;
}

/// A page of this host, and what the system says of its process.
struct seen_page {
    image copy;
    process_state process = process_state::alive;
};

/// Nothing if there is no such page.
TUTTI_COLD [[nodiscard]] inline std::optional<seen_page> look_at(const place& in, const page_name& n) {
    const auto file = in.file_of(n);
    if (!file) return std::nullopt;
    const bool held = is_held(file.get()); // first: what is copied of a dead process's page is its last word
    const auto copy = image_in(file.get());
    if (!copy || copy->head.world != n.world || copy->head.rank != n.rank) return std::nullopt;
    seen_page seen{*copy, held ? process_state::alive : process_state::dead};
    const auto facts = facts_of_process(std::to_string(copy->head.pid));
    // Another process may have that number, where the rank has a process namespace of its own.
    const bool is_it = facts && facts->start == copy->head.process_start;
    if (held && is_it && (facts->state == 'T' || facts->state == 't')) seen.process = process_state::stopped;
    return seen;
}

/// What rank 0 is told that asks what a rank of this host does: itself, which has a page or none, or one that does not
/// answer.
[[nodiscard]] TUTTI_COLD inline notice answer_about(int rank, std::uint64_t world, bool has_page) {
    notice n;
    n.kind = notice_kind::state;
    n.rank = rank;
    const auto in = has_page ? place::open(false) : std::nullopt;
    const auto seen = in ? look_at(*in, {world, rank}) : std::nullopt;
    if (seen) {
        const auto bytes = bytes_of(seen->copy);
        n.text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        n.step = static_cast<std::int64_t>(seen->process);
    }
    return n;
}

} // namespace tutti::transport::status
