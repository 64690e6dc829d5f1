// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What a peer sends over RDMA, and what it tells of its ports.
//
// Invariants: a packet that is taken has the payload that it says, and written again it is the same bytes; a card has
// no more ports than there may be, and two ranks find the same ports in common.

#include <transport/fabrics/verbs/announcement.hpp>
#include <transport/fabrics/verbs/card.hpp>
#include <transport/fabrics/verbs/packet.hpp>

#include "input.hpp"

#include <algorithm>

using namespace tutti::fuzz;
namespace verbs = tutti::transport::detail::verbs;

namespace {

void look_at_packet(std::span<const std::byte> bytes) {
    const auto p = verbs::decode(bytes);
    if (!p) return;
    demand(verbs::has_frame(p->kind) || bytes.size() == verbs::packet_bytes, "only frames have data behind them");
    if (!verbs::has_frame(p->kind)) return; // what stands where the frame would be is nobody's
    demand(p->frame.bytes == bytes.size() - verbs::packet_bytes, "the payload is as long as it says");
    verbs::packet_image again;
    verbs::encode(*p, again);
    demand(std::equal(again.begin(), again.begin() + tutti::transport::detail::tcp::frame_bytes, bytes.begin()),
           "a frame written again is the same");
}

void look_at_cards(std::span<const std::byte> one, std::span<const std::byte> other) {
    const auto a = verbs::decode_card(one), b = verbs::decode_card(other);
    demand(a.size() <= verbs::max_rails, "there are not so many ports");
    for (const bool same_host : {false, true})
        demand(verbs::rails_between(a, b, same_host) == verbs::rails_between(b, a, same_host), "both find the same");
    demand(verbs::decode_card(verbs::encode(a)).size() == a.size(), "a card written again has as many ports");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    const bool is_card = in.below(2) == 0;
    const std::size_t first = in.below(100);
    const auto rest = in.rest();
    if (!is_card) {
        look_at_packet(rest);
    } else {
        const std::size_t cut = std::min<std::size_t>(first, rest.size());
        look_at_cards(rest.first(cut), rest.subspan(cut));
    }
    return 0;
}
