// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The control plane's memory, told anything by ranks: each step is a notice, the loss of a rank, or time that passes.
//
// Invariants: it never throws; what it says goes to ranks of the world that have not left, fits a frame, and survives
// it; each rank hears of a loss once, and of a farewell whenever it asks; a communicator has one verdict; every case
// ends in time.

#include <transport/control/control_frames.hpp>
#include <transport/control/coordinator.hpp>
#include <transport/control/notice_codec.hpp>

#include "input.hpp"

#include <set>

using namespace tutti::transport;
using namespace tutti::transport::bootstrap;
using namespace tutti::fuzz;

namespace {

notice notice_of(input& in, int size) {
    const auto someone = [&] { return static_cast<std::int32_t>(in.below(static_cast<std::size_t>(size) + 2)) - 1; };
    notice n;
    n.kind = static_cast<notice_kind>(in.below(static_cast<std::size_t>(notice_kind::verdict) + 1));
    n.why = static_cast<tutti::cause>(in.below(static_cast<std::size_t>(tutti::cause::bootstrap) + 1));
    n.communicator = in.below(3);
    n.members = someone();
    n.rank = someone();
    n.peer = someone();
    n.request = in.below(4);
    n.step = in.number<std::uint8_t>();
    n.call = std::string(in.below(3) * 3000, 'c');
    n.text = std::string(in.below(3) * 8000, 't');
    for (auto k = in.below(3); k > 0; --k)
        n.waits.push_back({in.below(3), in.below(4), in.below(2) == 0, {someone(), someone()}, "a call"});
    for (auto k = in.below(3); k > 0; --k) n.calls.push_back({in.below(3), in.below(4), in.below(2), "a call"});
    return n;
}

/// What the ranks were told.
class told {
public:
    void hear(const coordinator::outgoing& o, int size) {
        const auto body = encode(o.what);
        demand(body.size() < max_frame_bytes - 2 && decode_notice(body) == o.what, "a notice fits a frame");
        demand(o.what.peer >= -1 && o.what.peer < size, "who is at fault is a rank of the world");
        for (const int to : o.to) hear(o.what, to, size);
    }

    void leaves(int rank) { gone_.insert(rank); }

private:
    void hear(const notice& what, int to, int size) {
        demand(to >= 0 && to < size, "notices go to ranks of the world");
        if (what.kind == notice_kind::lost)
            demand(losses_.insert({to, what.rank}).second, "of a loss each rank hears once");
        if (what.kind == notice_kind::lost) gone_.insert(what.rank);
        if (what.kind != notice_kind::verdict || gone_.count(to) > 0) return;
        const auto known = verdicts_.try_emplace(what.communicator, what).first;
        demand(known->second == what, "a communicator has one verdict");
    }

    std::set<int> gone_; // whom the others gave up, or who leaves: they are told so, and nobody else
    std::set<std::pair<int, int>> losses_;
    std::map<std::uint64_t, notice> verdicts_;
};

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    const int ranks = static_cast<int>(1 + in.below(5));
    const auto anyone = [&] { return static_cast<int>(in.below(static_cast<std::size_t>(ranks))); };
    coordinator book(ranks);
    told all;
    std::vector<bool> left(static_cast<std::size_t>(ranks));
    clock::time_point now{};
    const auto listen = [&] {
        for (const auto& o : book.drain()) {
            all.hear(o, ranks);
            for (const int to : o.to)
                demand(!left[static_cast<std::size_t>(to)], "nobody is told anything who has left");
        }
    };
    for (int step = 0; step < 200 && !in.empty(); ++step) {
        switch (in.below(8)) {
        case 0: book.lost(anyone(), "its connection was closed", now); break;
        case 1: now += std::chrono::milliseconds(in.number<std::uint8_t>()); break;
        default: {
            const int from = anyone();
            const notice n = notice_of(in, ranks);
            if (n.kind == notice_kind::leaving) all.leaves(from);
            book.take(from, n, now);
            listen();
            if (n.kind == notice_kind::left) left[static_cast<std::size_t>(from)] = true;
        }
        }
        book.tick(now);
        listen();
        demand(book.next_tick() > now, "what is due is done");
    }
    now += coordinator::report_grace + coordinator::accusation_grace;
    book.tick(now);
    demand(book.next_tick() == clock::time_point::max(), "every case ends");
    return 0;
}
