// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The proof of the secret, with a stranger at the other end, or on the way between two who know the secret.
//
// Invariants: a stranger is never accepted; a byte that was changed on the way lets nobody in; unchanged,
// both accept exactly if the guest fits the rules, and know who the other is; what is kept and sent is bounded.

#include <transport/sockets/handshake.hpp>
#include <transport/sockets/tls.ipp>

#include "../support/free_talker.hpp"
#include "input.hpp"

using namespace tutti::transport::bootstrap;
using namespace tutti::fuzz;
namespace test = tutti::test;

namespace {

const secret key{"a secret of more than 16 bytes"};

hello hello_of(input& in) {
    hello h;
    h.what = in.flag() ? purpose::data : purpose::control;
    h.fabric = static_cast<std::uint8_t>(in.below(3));
    h.lane = static_cast<std::uint16_t>(in.below(3));
    h.rank = static_cast<std::int32_t>(in.below(5)) - 1;
    h.peer = static_cast<std::int32_t>(in.below(5)) - 1;
    h.size = static_cast<std::int32_t>(in.below(5));
    h.world = in.below(3);
    h.at.port = static_cast<std::uint16_t>(in.below(2));
    h.encrypted = in.flag();
    return h;
}

bool fits(const hello& h, const hello_rules& r) {
    if (h.what != r.what || h.lane >= r.lanes || h.fabric >= r.fabrics) return false;
    if (h.what == purpose::control) return h.peer == 0 && r.rank == 0;
    return h.world == r.world && h.size == r.size && h.peer == r.rank && h.rank >= 0 && h.rank < h.size &&
           h.rank != h.peer && h.at == r.at && h.encrypted == r.encrypted;
}

void with_stranger(handshake side, input& in) {
    constexpr auto longest = handshake::record_header_bytes + handshake::most_record_bytes;
    std::size_t sent = 0;
    while (!in.empty() && side.wanted() > 0) {
        demand(side.wanted() <= longest, "it wants no more than a record");
        side.feed(in.bytes(1 + in.below(80)));
        if (side.knocks()) side.let_in();
        sent += side.outgoing().size();
        side.sent(side.outgoing().size());
    }
    demand(!side.accepted(), "a stranger is not accepted");
    demand(!side.refused_for_good(), "nor believed");
    demand(sent <= 1024, "and hears little");
}

/// Carries what one side wants to say; true if anything moved. The byte at `changed` of all that was carried becomes
/// another by `mask`.
bool carry(handshake& from, handshake& to, std::size_t most, std::size_t& carried, std::size_t changed,
           std::byte mask) {
    const auto out = from.outgoing();
    const auto n = std::min({out.size(), to.wanted(), most});
    if (n == 0) return false;
    std::vector<std::byte> piece(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n));
    if (changed >= carried && changed < carried + n) piece[changed - carried] ^= mask;
    carried += n;
    from.sent(n);
    to.feed(piece);
    if (to.knocks()) to.let_in();
    return true;
}

void between_two(input& in) {
    const auto said = hello_of(in);
    const auto wanted = hello_of(in);
    const hello_rules rules{wanted.what, wanted.peer, wanted.size,      wanted.world,
                            wanted.lane, wanted.at,   wanted.encrypted, wanted.fabric};
    const std::byte mask{in.number<std::uint8_t>()};
    const std::size_t changed = in.below(800);
    auto guest = handshake::connecting(key, said);
    auto host = handshake::accepting(key, rules);
    std::size_t carried = 0;
    for (bool moved = true; moved;) {
        moved = carry(guest, host, 1 + in.below(100), carried, changed, mask);
        moved = carry(host, guest, 1 + in.below(100), carried, changed, mask) || moved;
    }
    const bool tampered = mask != std::byte{0} && changed < carried;
    const bool both = guest.accepted() && host.accepted();
    // The lower byte of the version of each side's first record means nothing.
    demand(!guest.refused_for_good() || (host.theirs() == said && !fits(said, rules)),
           "only the host's word is believed");
    if (tampered && !both) return;
    demand(!tampered || fits(said, rules), "a changed byte lets nobody in");
    demand(both == fits(said, rules), "who fits the rules is accepted, and nobody else");
    const bool turned_away =
        said.what != rules.what || said.peer != rules.rank || (said.what == purpose::data && said.world != rules.world);
    demand(both || turned_away || guest.refused_for_good(), "a refusal by one who knows the secret is believed");
    demand(turned_away || host.theirs() == said, "the host knows who has come");
}

/// Who knows the secret, and says inside whatever it likes.
void with_insider(input& in) {
    const auto said = hello_of(in);
    const hello_rules rules{said.what, said.peer, said.size, said.world, 3, said.at, said.encrypted, 3};
    test::free_talker guest(key, said);
    auto host = handshake::accepting(key, rules);
    if (!guest.shake(host)) return; // another purpose or rank
    static_cast<void>(guest.say(in.bytes(1 + in.below(300)), host));
    demand(host.wanted() > 0 || host.accepted() || host.refused(), "it waits for more, or is done");
    demand(!host.accepted() || fits(host.theirs(), rules), "who is let in fits the rules");
    demand(guest.hear(host).size() <= 7, "the answer is one");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    switch (in.below(4)) {
    case 0: with_stranger(handshake::accepting(key, {}), in); break;
    case 1: with_stranger(handshake::connecting(key, hello_of(in)), in); break;
    case 2: with_insider(in); break;
    default: between_two(in); break;
    }
    return 0;
}
