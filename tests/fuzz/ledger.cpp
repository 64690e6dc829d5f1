// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The control plane's memory, told anything by ranks: each step is a notice, the loss of a rank, or time that passes.
//
// Invariants: it never throws; what it says goes to ranks of the world that have not left, fits a frame, and survives
// it; each rank hears of a loss and of a farewell once; a communicator has one verdict; every case ends in time.

#include <transport/bootstrap/frame.hpp>
#include <transport/bootstrap/ledger.hpp>
#include <transport/bootstrap/notice_codec.hpp>

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
    return n;
}

/// What the ranks were told.
class told {
public:
    void hear(const ledger::outgoing& o, int size) {
        demand(o.to >= 0 && o.to < size, "notices go to ranks of the world");
        const auto body = encode(o.what);
        demand(body.size() < max_frame_bytes - 2 && decode_notice(body) == o.what, "a notice fits a frame");
        if (o.what.kind == notice_kind::lost || o.what.kind == notice_kind::departed)
            demand(ends_.insert({o.to, o.what.rank}).second, "of the end of a rank each hears once");
        if (o.what.kind != notice_kind::verdict || o.what.peer == o.to) return;
        const auto known = verdicts_.try_emplace(o.what.communicator, o.what).first;
        demand(o.what.peer >= -1 && o.what.peer < size, "who is at fault is a rank of the world");
        demand(known->second.peer == o.to || known->second == o.what, "a communicator has one verdict");
    }

private:
    std::set<std::pair<int, int>> ends_;
    std::map<std::uint64_t, notice> verdicts_;
};

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    const int ranks = static_cast<int>(1 + in.below(5));
    const auto anyone = [&] { return static_cast<int>(in.below(static_cast<std::size_t>(ranks))); };
    ledger book(ranks);
    told all;
    std::vector<bool> left(static_cast<std::size_t>(ranks));
    clock::time_point now{};
    const auto listen = [&] {
        for (const auto& o : book.drain()) {
            all.hear(o, ranks);
            demand(!left[static_cast<std::size_t>(o.to)], "nobody is told anything who has left");
        }
    };
    for (int step = 0; step < 200 && !in.empty(); ++step) {
        switch (in.below(8)) {
        case 0: book.lost(anyone(), "its connection was closed", now); break;
        case 1: now += std::chrono::milliseconds(in.number<std::uint8_t>()); break;
        default: {
            const int from = anyone();
            const notice n = notice_of(in, ranks);
            book.take(from, n, now);
            listen();
            if (n.kind == notice_kind::left) left[static_cast<std::size_t>(from)] = true;
        }
        }
        book.tick(now);
        listen();
        demand(book.next_tick() > now, "what is due is done");
    }
    now += ledger::case_grace + ledger::accusation_grace;
    book.tick(now);
    demand(book.next_tick() == clock::time_point::max(), "every case ends");
    return 0;
}
