// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/bytes.hpp"
#include "../../base/linkage.hpp"
#include "../contract/members.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::transport::bootstrap {

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

} // namespace tutti::transport::bootstrap
