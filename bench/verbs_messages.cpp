// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What a message over RDMA takes, between the two ranks of a world that a launcher has started; see
// tools/compare-perftest.
//
//   verbs_messages latency ROUNDS PORT PORT     half a round trip of 8 bytes, us: the median
//   verbs_messages bandwidth ROUNDS PORT PORT   messages of 1 MiB from rank 0 to rank 1, 16 under way, MB/s
//
// The ports are those of rank 0 and of rank 1, as TUTTI_VERBS_DEVICE names them.

#include <transport/join/identity.hpp>
#include <transport/verbs.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <vector>

using namespace tutti::transport;

namespace {

constexpr context where{1, 0};
constexpr std::chrono::seconds patience{30};

/// One transfer at a time, or several, of one rank.
class line {
public:
    line(verbs& t, std::vector<std::byte>& memory) : t_(t), c_(t.open(where, 1 - t.rank())), memory_(memory) {}

    void send(transfer& x) { start(x, true); }
    void receive(transfer& x) { start(x, false); }
    /// Returns when so many have completed since the last call.
    void await(std::size_t count) {
        const auto until = tutti::transport::clock::now() + patience;
        while (count > 0) {
            while (count > 0 && done_.pop()) --count;
            if (count == 0 || t_.progress()) continue;
            t_.wait(until);
            if (tutti::transport::clock::now() >= until) throw std::runtime_error("nothing came for 30 s");
        }
    }

private:
    void start(transfer& x, bool out) {
        x = {};
        x.from = memory_.data();
        x.to = memory_.data();
        x.bytes = memory_.size();
        x.owner = &done_;
        out ? t_.send(c_, x) : t_.receive(c_, x);
    }

    verbs& t_;
    verbs::channel& c_;
    std::vector<std::byte>& memory_;
    transfer_queue done_;
};

void round_trip(line& l, bool first) {
    transfer out, in;
    if (!first) l.receive(in), l.await(1);
    l.send(out);
    l.await(1);
    if (first) l.receive(in), l.await(1);
}

double latency_us(verbs& t, int rounds) {
    std::vector<std::byte> memory(8);
    line l(t, memory);
    std::vector<double> halves;
    for (int i = -10; i < rounds; ++i) {
        const auto begun = tutti::transport::clock::now();
        round_trip(l, t.rank() == 0);
        const std::chrono::duration<double, std::micro> whole = tutti::transport::clock::now() - begun;
        if (i >= 0) halves.push_back(whole.count() / 2);
    }
    std::nth_element(halves.begin(), halves.begin() + rounds / 2, halves.end());
    return halves[static_cast<std::size_t>(rounds) / 2];
}

double bandwidth(verbs& t, int rounds) {
    constexpr std::size_t under_way = 16;
    std::vector<std::byte> memory(1 << 20), word(8);
    line l(t, memory), back(t, word);
    std::array<transfer, under_way> all;
    tutti::transport::clock::time_point begun;
    for (int i = -1; i < rounds; ++i) { // the first connects
        if (i == 0) begun = tutti::transport::clock::now();
        for (transfer& x : all) t.rank() == 0 ? l.send(x) : l.receive(x);
        l.await(under_way);
    }
    round_trip(back, t.rank() == 0); // all of it is there
    const std::chrono::duration<double> took = tutti::transport::clock::now() - begun;
    return static_cast<double>(memory.size() * under_way) * rounds / took.count() / 1e6;
}

} // namespace

int main(int count, char** arguments) {
    try {
        if (count != 5) throw std::invalid_argument("usage: verbs_messages latency|bandwidth ROUNDS PORT PORT");
        const int rounds = std::max(1, std::atoi(arguments[2]));
        auto me = bootstrap::identity_from_environment();
        verbs_limits limits;
        limits.devices = arguments[me.rank == 0 ? 3 : 4];
        verbs t{std::move(me), limits};
        if (t.size() != 2) throw std::invalid_argument("it takes two ranks");
        const bool short_ones = std::string_view(arguments[1]) == "latency";
        const double found = short_ones ? latency_us(t, rounds) : bandwidth(t, rounds);
        if (t.rank() == 0) std::printf("%.3f\n", found);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "verbs_messages: %s\n", e.what());
        return 1;
    }
}
