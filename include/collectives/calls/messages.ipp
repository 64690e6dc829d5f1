// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "messages.hpp"

#include <limits>
#include <string>

namespace tutti::detail {

TUTTI_INLINE void check_message(const message_arguments& a, int size) {
    const bool sends = a.way == engine::message::direction::send;
    const auto refuse = [&](const std::string& why) { reject(sends ? "send" : "receive", why); };
    if ((a.peer < 0 || a.peer >= size) && (sends || a.peer != engine::any_rank))
        refuse("there is no rank " + std::to_string(a.peer) + " among " + std::to_string(size));
    if (a.tag < 0) refuse("tags are 0 or more, not " + std::to_string(a.tag));
    if (!is_usable(a.data)) refuse(flaw_of(a.data));
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    if (a.data.count > most / a.element_bytes || (a.apart.blocks > 0 && a.apart.distance > most / a.apart.blocks))
        refuse(std::to_string(a.data.count) + " elements are more than memory can hold");
    if (a.apart.blocks > 1 && a.apart.distance < a.apart.block_bytes)
        refuse("its blocks of " + std::to_string(a.apart.block_bytes / a.element_bytes) + " elements lie " +
               std::to_string(a.apart.distance / a.element_bytes) + " elements apart");
}

TUTTI_INLINE void fill(engine::message& m, const message_arguments& a) noexcept {
    m.way = a.way;
    m.peer = a.peer;
    m.probes = a.probes;
    m.tag = a.tag;
    m.data = a.data.data;
    m.bytes = a.data.count * a.element_bytes;
    m.element_bytes = a.element_bytes;
    m.type = engine::type_of_packet(a.type);
    m.type_name = a.type_name;
    m.allocate = a.allocate;
    m.allocate_state = a.allocate_state;
    m.apart = a.apart;
}

} // namespace tutti::detail
