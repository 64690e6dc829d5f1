// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What a rank hears from the rendezvous: the table of ranks, then notices, or anything else. A thread plays the
// rendezvous: it lets the rank in, says the bytes of the input, inside TLS or not, and closes.
//
// Invariants: the only exception is tutti::error; a table that is taken names all ranks in order, and without a secret
// no address beyond loopback; what is heard ends with the news that rank 0 is gone.

#include <transport/contract/members.ipp>
#include <transport/control/control.hpp>
#include <transport/sockets/tls.ipp>

#include "../support/connect_to.hpp"
#include "../support/say.hpp"
#include "input.hpp"

#include <future>

using namespace tutti::transport;
using namespace tutti::transport::bootstrap;
using namespace tutti::fuzz;

namespace {

using bytes = std::vector<std::byte>;

constexpr std::chrono::seconds patience{60};

/// One guest after the other: says what it was given, and waits until the guest has gone.
class rendezvous_of_input {
public:
    rendezvous_of_input() : listener_(listen_on(*address::literal("127.0.0.1", 0))) {}

    [[nodiscard]] address where() const { return local_address(listener_.get()); }

    void serve(const bytes& words, bool within) const {
        auto [guest, proven] = let_in();
        std::optional<tls::stream> inside;
        if (guest) inside.emplace(std::move(proven), guest.get());
        for (auto left = std::span(words); guest && !left.empty();) {
            const auto r = within ? tutti::test::say(*inside, left) : write_some(guest.get(), left);
            left = left.subspan(r.bytes);
            const bool full = r.bytes == 0 && !r.ended;
            if (r.ended || (full && !wait_ready(guest.get(), POLLOUT, clock::now() + patience))) break;
        }
        ::shutdown(guest.get(), SHUT_WR);
        std::array<std::byte, 4096> heard;
        while (wait_ready(guest.get(), POLLIN, clock::now() + patience) && !read_some(guest.get(), heard).ended) {
        }
        const linger at_once{1, 0}; // the port is free again at once
        ::setsockopt(guest.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }

private:
    /// The rank, once it has proven itself.
    [[nodiscard]] proven_socket let_in() const {
        for (const auto until = clock::now() + patience; wait_ready(listener_.get(), POLLIN, until);) {
            descriptor guest = accept_from(listener_.get());
            auto proof = handshake::accepting({}, {});
            const auto why = bootstrap::detail::prove(guest.get(), proof, until);
            if (why.empty()) return {std::move(guest), proof.release()};
        }
        return {};
    }

    descriptor listener_;
};

/// A table and notices, more or less.
bytes words_of(input& in, int size) {
    bytes out;
    std::int32_t next = 0;
    while (!in.empty() && out.size() < 30'000) {
        bytes body;
        tutti::detail::byte_writer w(body);
        switch (in.below(8)) {
        case 0: {
            const auto some = in.bytes(in.below(32));
            out.insert(out.end(), some.begin(), some.end());
            continue;
        }
        case 1:
            w.integer(std::uint64_t{in.number<std::uint8_t>()});
            append_frame(out, frame_type::start, body);
            continue;
        case 2: append_frame(out, static_cast<frame_type>(in.below(5)), in.bytes(in.below(64))); continue;
        case 3: {
            notice n;
            n.kind = static_cast<notice_kind>(in.below(static_cast<std::size_t>(notice_kind::verdict) + 1));
            n.rank = static_cast<std::int32_t>(in.below(8)) - 2;
            append_frame(out, frame_type::talk, encode(n));
            continue;
        }
        default: break;
        }
        member m;
        m.rank = in.below(8) == 0 ? static_cast<std::int32_t>(in.number<std::uint32_t>()) : next++;
        m.size = size;
        m.address = in.below(8) == 0 ? std::string(text_of(in.bytes(in.below(20)))) : "127.0.0.1";
        m.host_id = std::string(in.below(3), 'h');
        write_member(w, m);
        append_frame(out, frame_type::member, body);
    }
    return out;
}

void hear(const identity& me, const address& where) {
    control plane(me, connect_to(where, std::chrono::steady_clock::now() + std::chrono::seconds(5)));
    const world_table& table = plane.join({});
    demand(table.members.size() == static_cast<std::size_t>(me.size), "all ranks are in the table");
    for (int rank = 0; rank < me.size; ++rank) {
        const member& m = table.members[static_cast<std::size_t>(rank)];
        const auto there = address::literal(m.address, m.port);
        demand(m.rank == rank && there && there->loopback(), "in order, and on loopback");
    }
    demand(table.nodes().size() == table.members.size(), "each rank has a host");
    bool zero_is_gone = false;
    for (notice n; plane.fetch(n) || !plane.gone();)
        zero_is_gone |= n.rank == 0 && (n.kind == notice_kind::lost || n.kind == notice_kind::departed);
    demand(zero_is_gone, "the news that rank 0 is gone comes in the end");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const rendezvous_of_input zero;
    input in(data, size);
    identity me;
    me.size = static_cast<int>(1 + in.below(3));
    me.rank = static_cast<int>(in.below(static_cast<std::size_t>(me.size)));
    me.timeout = patience;
    const bool within = in.below(8) > 0;
    const bytes words = words_of(in, me.size);
    const auto served = std::async(std::launch::async, [&] { zero.serve(words, within); });
    try {
        hear(me, zero.where());
    } catch (const tutti::error& e) {
        demand(e.why() == tutti::cause::bootstrap, "a refusal is a bootstrap error");
    }
    return 0;
}
