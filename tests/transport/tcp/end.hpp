// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/fabrics/tcp/reader.hpp>
#include <transport/fabrics/tcp/writer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace tutti::test {

/// One end of a connection of three lanes without sockets: what is written lies in `wires`.
struct end {
    static constexpr int lanes = 3;
    using bytes = std::vector<std::byte>;
    using context = transport::context;
    using transfer = transport::transfer;
    using channel = transport::detail::tcp::channel;
    using reader = transport::detail::tcp::reader;
    using writer = transport::detail::tcp::writer;

    transport::tcp_limits limits;
    transport::detail::tcp::closed_contexts closed;
    transport::detail::tcp::multiplexer board{1, limits, closed};
    std::array<writer, lanes> out;
    std::array<reader, lanes> in{reader{board}, reader{board}, reader{board}};
    std::array<bytes, lanes> wires; // towards this end
    transport::transfer_queue done;

    explicit end(const transport::tcp_limits& l) : limits(l) { limits.lanes = lanes; }

    void opens(context k) { static_cast<void>(board.open(k)); }
    void send(context k, transfer& x) {
        x.owner = &done;
        channel& c = board.open(k);
        c.out.push(x);
        board.schedule_send(c);
    }
    void receive(context k, transfer& x) {
        x.owner = &done;
        channel& c = board.open(k);
        c.in.post(x);
        board.schedule_receive(c);
    }
    void close(context k) {
        closed.add(k);
        board.forget_announcement(k);
        channel* const c = board.find(k);
        if (!c) return;
        for (reader& r : in) r.forget(*c);
        for (writer& w : out) w.abandon(k);
        board.close(*c);
    }

    /// Writes some of what there is to one lane of the other end.
    void write(end& other, std::size_t lane, std::size_t most) {
        writer& w = out[lane];
        while (!w.full()) {
            const auto f = board.next(lane == 0);
            if (!f) break;
            w.push(*f);
        }
        const auto pieces = w.gather();
        std::size_t written = 0;
        for (std::size_t i = 0; i < pieces.count; ++i) {
            const auto piece = pieces.list[i].first(std::min(pieces.list[i].size(), most - written));
            other.wires[lane].insert(other.wires[lane].end(), piece.begin(), piece.end());
            written += piece.size();
        }
        w.written(written);
    }

    /// Reads some of what is there on one lane.
    void read(std::size_t lane, std::size_t most) {
        reader& r = in[lane];
        bytes& wire = wires[lane];
        if (r.paused() && !r.resume()) return;
        const std::size_t size = std::min(most, wire.size());
        const auto place = r.place();
        const std::size_t direct = std::min(size, place.size());
        std::copy_n(wire.begin(), direct, place.begin());
        if (direct > 0) r.placed(direct);
        r.take(std::span(wire).subspan(direct, size - direct));
        wire.erase(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(size));
    }

    /// Neither lane has brought what cannot be.
    [[nodiscard]] bool makes_sense() const {
        return std::none_of(in.begin(), in.end(), [](const reader& r) { return r.senseless(); });
    }
};

} // namespace tutti::test
