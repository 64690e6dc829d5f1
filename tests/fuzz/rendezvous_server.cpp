// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The rendezvous, with up to four guests on its connections: strangers, guests who know the secret (here: there is
// none), members. Each step one of them says something: a request, a notice, a frame of no sense, any bytes.
//
// Invariants: what a guest sends ends at worst its own connection; what a guest hears are frames of the protocol; a
// world starts when all ranks are there, with a table of them all; memory is bounded.

#include <transport/contract/members.ipp>
#include <transport/control/rendezvous_server.hpp>
#include <transport/sockets/tls.ipp>

#include "../support/say.hpp"
#include "input.hpp"

#include <fcntl.h>

#include <cstdlib>
#include <optional>
#include <thread>

using namespace tutti::transport;
using namespace tutti::transport::bootstrap;
using namespace tutti::fuzz;

namespace {

/// A guest's own end of its connection.
struct caller {
    descriptor end;
    std::optional<handshake> proof; // under way
    std::optional<tls::stream> inside;
    frame_cutter heard;
    int members = 0;
    bool spoils = false; // has said what is no record
};

class room {
public:
    explicit room(input& in)
        : in_(in), size_(static_cast<int>(1 + in.below(3))),
          desk_(size_, {}, "here", times(), stderr_writer(nowhere())) {}

    void run() {
        for (int step = 0; step < 100 && !in_.empty() && !desk_.is_over(); ++step) {
            caller& c = callers_[in_.below(callers_.size())];
            if (!c.end) {
                call(c);
                continue;
            }
            switch (in_.below(8)) {
            case 0:
                c.spoils = true;
                say(c, in_.bytes(in_.below(64)));
                break;
            case 1: c = {}; break;
            case 2:
                if (in_.below(16) == 0) desk_.run_out("nothing");
                if (in_.below(4) == 0) std::this_thread::sleep_for(std::chrono::microseconds(in_.below(2'000)));
                break;
            case 3: say_frame(c, frame_type::talk, encode(notice_of())); break;
            case 4: say_frame(c, static_cast<frame_type>(in_.below(6)), in_.bytes(in_.below(64))); break;
            default: say_frame(c, frame_type::join, request()); break;
            }
            attend();
        }
    }

private:
    /// Short ones, in one of four worlds, are over while it lasts.
    rendezvous_thread::settings times() {
        rendezvous_thread::settings all;
        if (in_.below(4) > 0) return all;
        all.timeout = all.stranger_time = all.first_word = std::chrono::milliseconds(in_.below(4));
        return all;
    }
    /// The user hears nothing.
    static int nowhere() {
        static const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        return null;
    }
    void call(caller& c) {
        std::array<int, 2> ends{};
        demand(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0, "a socket");
        c = {};
        c.end = descriptor(ends[0]);
        const auto rank = static_cast<std::int32_t>(in_.below(4));
        if (in_.below(4) > 0) c.proof = handshake::connecting({}, {purpose::control, 0, rank, 0, size_, 0});
        desk_.welcome(descriptor(ends[1]));
        attend();
    }

    /// The rendezvous does what is to do; callers hear what it says.
    void attend() {
        for (int turn = 0; turn < 3; ++turn) {
            desk_.poll();
            for (caller& c : callers_) hear(c);
        }
        using stage = rendezvous_server::stage;
        const auto all = desk_.count(stage::proving) + desk_.count(stage::asking) + desk_.count(stage::member);
        demand(desk_.is_over() || all <= callers_.size(), "a guest that has gone is forgotten");
    }

    void hear(caller& c) {
        if (!c.end) return;
        std::array<std::byte, 4096> landing;
        for (;;) {
            const auto most = c.proof ? c.proof->wanted() : landing.size();
            if (c.proof) {
                say(c, c.proof->outgoing());
                c.proof->sent(c.proof->outgoing().size());
                if (c.proof->accepted()) {
                    c.inside.emplace(c.proof->release(), c.end.get());
                    c.proof.reset();
                }
                if (c.proof && c.proof->wanted() == 0) return;
                if (!c.proof) continue;
            }
            const auto room = std::span(landing).first(std::min(most, landing.size()));
            const auto r = c.inside ? c.inside->read(room) : read_some(c.end.get(), room);
            demand(!c.inside || !c.inside->forged() || c.spoils, "what is heard is what was said");
            if (r.ended) c = {};
            if (r.bytes == 0) return;
            if (c.proof)
                c.proof->feed(std::span(landing).first(r.bytes));
            else
                understand(c, std::span(landing).first(r.bytes));
        }
    }
    void understand(caller& c, std::span<const std::byte> bytes) {
        if (!c.inside) return;
        c.heard.feed(bytes);
        while (const auto f = c.heard.next()) {
            if (f->type == frame_type::member) ++c.members;
            if (f->type == frame_type::start) demand(c.members == size_, "a world starts with all ranks");
            if (f->type == frame_type::talk) demand(decode_notice(f->body).has_value(), "a notice is one");
            demand(f->type != frame_type::join, "a rendezvous does not ask to join");
        }
    }

    static void say(caller& c, std::span<const std::byte> bytes) {
        if (c.end && !bytes.empty()) static_cast<void>(write_some(c.end.get(), bytes));
    }
    /// Inside, as far as the caller has proven itself.
    static void say_frame(caller& c, frame_type type, std::span<const std::byte> body) {
        std::vector<std::byte> frames;
        append_frame(frames, type, body);
        if (c.inside)
            static_cast<void>(tutti::test::say(*c.inside, frames));
        else
            say(c, frames);
    }
    [[nodiscard]] std::vector<std::byte> request() {
        std::vector<std::byte> out;
        tutti::detail::byte_writer w(out);
        member m;
        m.rank = static_cast<std::int32_t>(in_.below(4));
        m.size = size_ + (in_.below(16) == 0);
        m.host_id = std::string(in_.below(8) == 0 ? max_name_bytes : 1, 'h');
        write_member(w, m);
        w.integer(std::uint32_t{in_.number<std::uint16_t>()});
        w.integer(static_cast<std::uint8_t>(in_.below(32) == 0));
        return out;
    }
    [[nodiscard]] notice notice_of() {
        notice n;
        n.kind = static_cast<notice_kind>(in_.below(static_cast<std::size_t>(notice_kind::verdict) + 1));
        n.communicator = in_.below(2);
        n.members = static_cast<std::int32_t>(in_.below(5)) - 1;
        n.peer = static_cast<std::int32_t>(in_.below(5)) - 1;
        n.call = std::string(in_.below(2) * max_call_bytes, 'c');
        return n;
    }

    input& in_;
    int size_;
    rendezvous_server desk_;
    std::array<caller, 4> callers_;
};

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ::setenv("TUTTI_STATUS", "0", 1); // no socket for `tutti ps`
    input in(data, size);
    room(in).run();
    return 0;
}
