// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What a peer sends over TCP after its handshake: two lanes of frames, taken apart and brought to the receives of three
// contexts. The peer is honest, sends fragments whose fields were changed, or bytes of no sense; this rank posts,
// closes and reads between them, in whatever pieces.
//
// Invariants: nothing is written but the memory of posted receives (which the sanitizer watches, they have their own
// blocks), and nothing after their context was closed; each completes once at most; from an honest peer they hold what
// was sent; more than was granted is not taken, so that what is kept of early messages is bounded.

#include <transport/fabrics/tcp/reader.hpp>

#include "input.hpp"

#include <array>
#include <list>
#include <memory>
#include <utility>

using namespace tutti::transport;
using namespace tutti::transport::detail::tcp;
using namespace tutti::fuzz;

namespace {

constexpr std::size_t lanes = 2, contexts = 3;

/// The byte of a message at an offset; messages differ.
std::byte byte_of(std::size_t where, std::uint32_t sequence, std::uint64_t offset) {
    return static_cast<std::byte>(where * 101 + sequence * 31 + offset);
}

void maximum(std::byte* to, const std::byte* left, const std::byte* right, std::size_t n, const void*) {
    for (std::size_t i = 0; i < 4 * n; ++i) to[i] = std::max(left[i], right[i]);
}
const tutti::reducer of_four{&maximum, nullptr, 4, nullptr};

struct receive {
    std::unique_ptr<std::byte[]> to; // of its length exactly
    transfer x;
    std::uint32_t sequence;
};

struct side {
    std::uint64_t number = 0; // of the context: another one each time that it was closed
    std::list<receive> posted;
    std::uint32_t received = 0;
    std::uint32_t sequence = 0; // of the message that the honest peer sends, and how far it is
    std::uint64_t length = 0, offset = 0;
    bool begun = false;
    standing stands = standing::first;    // of the next frame
    std::uint64_t spent = 0, granted = 0; // credits; those that the window gives left out
};

class connection {
public:
    explicit connection(input& in) : in_(in), generous_(in.flag()) {
        limits_.lanes = lanes;
        limits_.window_bytes = generous_ ? 1 << 24 : 4096;
        for (std::size_t k = 0; k < contexts; ++k) sides_[k].number = k;
    }

    void run() {
        for (int step = 0; step < 300 && !in_.empty(); ++step) {
            switch (in_.below(8)) {
            case 0: post(in_.below(contexts)); break;
            case 1: close(in_.below(contexts)); break;
            case 2: changed(in_.below(contexts)); break;
            case 3: senseless(); break;
            case 4: bare(in_.below(contexts)); break;
            case 5: read(in_.below(lanes), in_.below(300)); break;
            default: send(in_.below(contexts)); break;
            }
        }
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t lane = 0; lane < lanes; ++lane) moved = read(lane, 1 << 20) || moved;
        }
        const bool senseless = std::ranges::any_of(readers_, [](const reader& r) { return r.senseless(); });
        for (std::size_t lane = 0; lane < lanes && honest_ && !senseless; ++lane)
            demand(wires_[lane].empty() && !readers_[lane].paused(), "all that an honest peer sends is taken");
        for (const side& s : sides_)
            demand(!honest_ || senseless || s.spent <= std::max(limits_.window_bytes, s.granted),
                   "more than was granted is not taken");
        for (std::size_t k = 0; k < contexts; ++k) judge(sides_[k], k);
    }

private:
    [[nodiscard]] static context context_of(const side& s) { return {s.number, 1}; }

    /// Of the messages of a context lengths follow their sequence, so that an honest peer and receives agree.
    [[nodiscard]] static std::uint64_t length_of(std::size_t k, std::uint32_t sequence) {
        constexpr std::array<std::uint64_t, 5> lengths{4, 0, 40, 700, 20'000};
        return lengths[(sequence + k) % lengths.size()];
    }

    void post(std::size_t k) {
        side& s = sides_[k];
        const std::uint64_t length = in_.below(16) == 0 ? 4 * in_.below(64) : length_of(k, s.received);
        receive& r = s.posted.emplace_back();
        r.to = std::make_unique<std::byte[]>(length);
        r.sequence = s.received++;
        r.x.to = r.to.get();
        r.x.bytes = length;
        r.x.signature = k;
        r.x.owner = &done_;
        if (in_.flag()) {
            r.x.from = r.x.to; // the maximum of zeros and what comes is what comes
            r.x.reduce = &of_four;
        }
        channel& c = board_.open(context_of(s));
        c.in.post(r.x);
        board_.schedule_receive(c);
        while (const auto told = board_.next(true))
            for (side& each : sides_)
                if (told->head.kind == frame_kind::credit && told->head.where == context_of(each)) {
                    each.granted = told->head.length;
                    each.stands = standing::open;
                }
    }

    void close(std::size_t k) {
        side& s = sides_[k];
        closed_.add(context_of(s));
        board_.forget_announcement(context_of(s));
        if (channel* const c = board_.find(context_of(s))) {
            for (reader& r : readers_) r.forget(*c);
            board_.close(*c);
        }
        judge(s, k);
        done_.clear();
        s = {};
        s.number = (next_number_ += contexts) + k;
    }

    /// The next fragment of an honest peer: the message that is under way, on any lane.
    void send(std::size_t k) {
        side& s = sides_[k];
        if (!s.begun) {
            s.length = length_of(k, s.sequence);
            s.offset = 0;
        }
        const auto bytes = std::min<std::uint64_t>(s.length - s.offset, 1 + in_.below(6000));
        write(in_.below(lanes), fragment_of(k, bytes));
        s.stands = after(s.stands);
        s.spent += bytes + (s.offset == 0 ? message_cost : 0);
        s.offset += bytes;
        s.begun = s.offset < s.length;
        s.sequence += !s.begun;
    }
    [[nodiscard]] frame fragment_of(std::size_t k, std::uint64_t bytes) const {
        const side& s = sides_[k];
        return {frame_kind::data, static_cast<std::uint32_t>(bytes), context_of(s), s.sequence, s.length, k, s.offset,
                s.stands};
    }

    /// A fragment of which some fields are others.
    void changed(std::size_t k) {
        honest_ = false;
        frame f = fragment_of(k, 1 + in_.below(6000));
        for (std::size_t more = 1 + in_.below(3); more > 0; --more) change(f);
        const std::size_t lane = in_.below(lanes);
        f.bytes = std::min<std::uint32_t>(f.bytes, 1 << 16);
        write(lane, f);
    }
    void change(frame& f) {
        const auto by = in_.number<std::uint64_t>() >> in_.below(64);
        switch (in_.below(7)) {
        case 0: f.bytes += static_cast<std::uint32_t>(by); break;
        case 1: f.where.slot += static_cast<std::uint32_t>(by); break;
        case 2: f.sequence += static_cast<std::uint32_t>(by); break;
        case 3: f.length += by; break;
        case 4: f.signature += by; break;
        case 5: f.stands = static_cast<standing>(in_.below(3)); break;
        default: f.offset += by; break;
        }
    }
    void senseless() {
        honest_ = false;
        const auto bytes = in_.bytes(in_.below(64));
        auto& wire = wires_[in_.below(lanes)];
        wire.insert(wire.end(), bytes.begin(), bytes.end());
    }
    /// A frame without data.
    void bare(std::size_t k) {
        frame f;
        f.kind = static_cast<frame_kind>(2 + in_.below(5));
        if (f.kind == frame_kind::blame)
            f.length =
                tutti::transport::culprit{static_cast<std::int32_t>(in_.below(1000)), tutti::cause::timeout}.word();
        if (f.kind != frame_kind::places && f.kind != frame_kind::blame) f.where = context_of(sides_[k]);
        const bool grants = f.kind == frame_kind::places || f.kind == frame_kind::credit;
        if (grants) f.length = in_.number<std::uint64_t>() >> in_.below(64);
        if (f.kind == frame_kind::credit) f.stands = std::exchange(sides_[k].stands, after(sides_[k].stands));
        write(in_.below(lanes), f);
    }
    [[nodiscard]] static standing after(standing s) { return s == standing::open ? s : standing::ahead; }

    void write(std::size_t lane, const frame& f) {
        frame_image image;
        encode(f, image);
        auto& wire = wires_[lane];
        wire.insert(wire.end(), image.begin(), image.end());
        for (std::uint32_t i = 0; i < f.bytes; ++i)
            wire.push_back(byte_of(static_cast<std::size_t>(f.signature), f.sequence, f.offset + i));
    }

    /// True if anything moved.
    bool read(std::size_t lane, std::size_t most) {
        reader& r = readers_[lane];
        auto& wire = wires_[lane];
        const bool resumed = r.paused() && r.resume();
        if (r.senseless() || r.paused()) return resumed;
        const auto piece = std::min(most, wire.size());
        const auto place = r.place();
        const auto direct = std::min(piece, place.size());
        std::copy_n(wire.begin(), direct, place.begin());
        if (direct > 0) r.placed(direct);
        r.take(std::span(wire).subspan(direct, piece - direct));
        wire.erase(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(piece));
        demand(!r.senseless() || !honest_ || !generous_, "an honest peer makes sense");
        return resumed || piece > 0;
    }

    void judge(const side& s, std::size_t k) {
        for (const receive& r : s.posted) {
            demand(r.x.moved <= r.x.bytes || r.x.status == transfer_status::mismatched,
                   "no more is delivered than there is room for");
            if (!honest_ || r.x.status != transfer_status::done) continue;
            demand(r.x.moved == r.x.bytes, "what is complete is whole");
            for (std::size_t i = 0; i < r.x.bytes; ++i)
                demand(r.to[i] == byte_of(k, r.sequence, i), "an honest peer's bytes arrive");
        }
    }

    input& in_;
    tcp_limits limits_;
    closed_contexts closed_;
    multiplexer board_{1, limits_, closed_};
    std::array<reader, lanes> readers_{reader{board_}, reader{board_}};
    std::array<std::vector<std::byte>, lanes> wires_;
    std::array<side, contexts> sides_;
    transfer_queue done_;
    std::uint64_t next_number_ = 0;
    bool honest_ = true;
    bool generous_; // the window is larger than all that comes: the peer, who minds no credits, cannot send too much
};

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    connection(in).run();
    return 0;
}
