// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Stream-ordered calls of processes that share a device, or have one each.
#include <transport/shared_memory.hpp>

#include "ranks.hpp"

#include "support/fake_stream_kernels.hpp"
#include "support/ordered_data.hpp"

#include <atomic>
#include <optional>
#include <random>

using namespace tutti;
using namespace tutti::test;

namespace {

using shared_world = tutti::communicator<transport::shared_memory>;
using ordered = stream_communicator<fake_cuda_streams, fake_stream_kernels, shared_world>;
constexpr std::size_t most = 6000; // elements of a call: several parts
const kernels::stream_limits little{.staging_bytes = 8192, .packet_bytes = 1024, .one_shot_bytes = 4096};

/// A rank with all that it calls by, and two streams of the user's.
struct stream_rank {
    stream_rank(int rank, int ranks, const reserved_port& at, int number = 0)
        : world{transport::shared_memory{identity(rank, ranks, at)}}, device(number),
          calls((world.default_deadline(deadline), device), world, {}, little), in(most, number), out(most, number),
          in_beside(most, number), out_beside(most, number) {
        device.use();
        for (auto& s : streams) s.emplace(device.make_stream());
    }
    void call(std::span<float> from, std::span<float> to, std::size_t number, std::size_t on = 0) {
        fake_cuda::stream* const s = &*streams[on];
        produce(from, world.rank(), number, s);
        calls.allreduce(from, to, sum, s);
        consume(to, world.size(), number, s, wrong);
    }
    void synchronize() {
        for (auto& s : streams) calls.synchronize(&*s);
    }
    /// Until it fails.
    void work(account& mine) {
        mine.stage.store(1, std::memory_order_release);
        std::size_t number = 0;
        call_until_error(mine, [&] {
            call(in.seen().first(500), out.seen().first(500), number++);
            calls.synchronize(&*streams[0]);
            expect(wrong == 0, "what is complete is right");
        });
        const auto refused = mine.error[0];
        try {
            calls.allreduce(in.seen(), sum, &*streams[0]);
            expect(false, "it is of no further use");
        } catch (const error& e) {
            expect(e.why() == refused.why && e.facts().peer == refused.peer, "it says the same again");
        }
    }

    shared_world world;
    fake_cuda_streams device;
    std::atomic<std::size_t> wrong{0};
    ordered calls;
    own_device_memory in, out, in_beside, out_beside; ///< for the first stream, and for the second
    std::optional<fake_cuda::stream> streams[2];      ///< joined first: they use the memory
};

} // namespace

TEST_CASE("processes allreduce in the order of their streams, from any memory, and leave when they like") {
    const auto [ranks, path] = GENERATE(table<int, kernels::stream_path>(
        {{2, kernels::stream_path::leader}, {3, kernels::stream_path::leader}, {2, kernels::stream_path::peers}}));
    const unsigned seed = GENERATE(1u, 2u);
    const reserved_port at;
    processes each(ranks, [&, path = path, ranks = ranks](int rank, account&) {
        {
            stream_rank r(rank, ranks, at, path == kernels::stream_path::peers ? rank : 0);
            expect(r.calls.path() == path, "who works");
            const auto window = r.calls.allocate<float>(most), beside = r.calls.allocate<float>(most);
            r.calls.register_memory(r.out.seen());
            const std::span<float> of_streams[2][3] = {
                {{window.data(), most}, r.in.seen(), r.out.seen()},
                {{beside.data(), most}, r.in_beside.seen(), r.out_beside.seen()}};
            const auto& places = of_streams[0];
            expect(r.calls.explain(places[0]).find("copied") == std::string::npos, "it is used where it is");
            expect(r.calls.explain(places[1]).find("copied") != std::string::npos, "it is copied");
            std::minstd_rand all(seed), own(seed + 100 * static_cast<unsigned>(rank));
            for (std::size_t number = 0; number < 60; ++number) {
                const std::size_t n = all() % 4 == 0 ? all() % 3 : all() % (all() % 3 == 0 ? most : 300);
                const auto from = own() % 3, to = own() % 3, on = own() % 2;
                const std::size_t begin = from == to ? own() % (most - n + 1) : 0;
                r.call(of_streams[on][from].subspan(begin, n), of_streams[on][to].subspan(begin, n), number, on);
                if (own() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(own() % 2000));
            }
            r.synchronize();
            expect(r.wrong == 0, std::to_string(r.wrong) + " elements are wrong");
            std::this_thread::sleep_for(std::chrono::milliseconds(own() % 50));
        }
        expect(fake_cuda::allocations() == 0, "all device memory is given back");
    });
    check_ended(each);
}

TEST_CASE("kernels that wait for a rank that makes no call, or another one, end by the deadline") {
    const bool differs = GENERATE(true, false);
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        stream_rank r(rank, 2, at, rank);
        r.call(r.in.seen().first(10), r.in.seen().first(10), 0);
        r.synchronize();
        if (rank == 1 && !differs) return std::this_thread::sleep_for(deadline / 2);
        expect(fails(mine,
                     [&] {
                         r.calls.allreduce(r.in.seen().first(rank == 1 ? 11 : 10), sum, &*r.streams[0]);
                         r.synchronize();
                     }),
               "the calls differ");
    });
    check_ended(ranks);
    if (!differs) return check_blames(ranks.of(0), cause::timeout, 1);
    for (int r = 0; r < 2; ++r) CHECK(ranks.of(r).error[0].why == cause::mismatch); // whoever finds it names the other
}

TEST_CASE("more calls on a stream than fit are under way") {
    const reserved_port at;
    processes each(2, [&](int rank, account&) {
        stream_rank r(rank, 2, at);
        for (std::size_t number = 0; number < 3 * kernels::detail::call_page::depth; ++number)
            r.call(r.in.seen().first(3), r.in.seen().first(3), number);
        r.synchronize();
        expect(r.wrong == 0, std::to_string(r.wrong) + " elements are wrong");
    });
    check_ended(each);
}

TEST_CASE("the time of a call on a stream begins when the one before it has ended") {
    const reserved_port at;
    processes each(2, [&](int rank, account&) {
        stream_rank r(rank, 2, at);
        for (std::size_t number = 0; number < 30; ++number) { // half as long again as the deadline, in all
            r.streams[0]->put([] { std::this_thread::sleep_for(deadline / 20); });
            r.call(r.in.seen().first(3), r.in.seen().first(3), number);
        }
        r.synchronize();
        expect(r.wrong == 0, std::to_string(r.wrong) + " elements are wrong");
    });
    check_ended(each);
}

TEST_CASE("a call that a stream comes to after the deadline writes nothing, and its rank may leave") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        std::optional<stream_rank> r;
        r.emplace(rank, 2, at);
        const auto data = r->calls.allocate<float>(500);
        produce({data.data(), 500}, rank, 1, &*r->streams[0]);
        r->synchronize();
        if (rank == 1) r->streams[0]->put([] { std::this_thread::sleep_for(3 * deadline); });
        r->calls.allreduce(data, sum, &*r->streams[0]);
        if (rank == 1) { // the stream is held by the rank's own work; what it will touch stays
            auto stream = std::move(r->streams[0]);
            r.reset();
            stream.reset();
            ::_exit(0);
        }
        expect(fails(mine, [&] { r->calls.synchronize(&*r->streams[0]); }), "rank 1 is late");
        std::this_thread::sleep_for(2 * deadline);
        const auto* const there = reinterpret_cast<const float*>(
            fake_cuda::reach(reinterpret_cast<const std::byte*>(data.data()), 500 * sizeof(float)));
        for (std::size_t i = 0; i < 500; ++i) expect(there[i] == ordered_input(0, 1, i), "it is as it was");
    });
    check_ended(ranks);
    check_blames(ranks.of(0), cause::timeout, 1);
}

TEST_CASE("calls of one length that are cut elsewhere are not taken for each other") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        stream_rank r(rank, 2, at);
        constexpr std::size_t part = 8192 / sizeof(float);
        expect(fails(mine,
                     [&] {
                         r.calls.allreduce(r.in.seen().first(part + (rank == 0 ? 0 : 1)), sum, &*r.streams[0]);
                         if (rank == 0) r.calls.allreduce(r.in.seen().first(1), sum, &*r.streams[0]);
                         r.synchronize();
                     }),
               "the calls differ");
    });
    check_ended(ranks);
    for (int r = 0; r < 2; ++r) CHECK(ranks.of(r).error[0].why == cause::mismatch);
}

TEST_CASE("a process that is killed between calls on its stream is named by all others, and no stream stays held") {
    std::mt19937 random(5);
    for (int i = 0; i < 10; ++i) {
        const bool devices = i % 5 > 2; // each has one of its own
        const int ranks = devices ? 2 : 3, victim = i % ranks;
        const reserved_port at;
        processes each(ranks, [&](int rank, account& mine) {
            stream_rank(rank, ranks, at, devices ? rank : 0).work(mine);
            if (devices) ::_exit(0); // what a lost rank's kernel may still use stays, with its descriptors
        });
        each.await_stage(1);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
        const moment killed = each.send(victim, SIGKILL);
        CHECK(each.end(victim) == "signal 9");
        check_ended(each, victim);
        for (int r = 0; r < ranks; ++r) {
            if (r == victim) continue;
            INFO("rank " << r);
            check_blames(each.of(r), cause::lost_peer, victim);
            CHECK(each.of(r).error[0].told - killed <= beyond);
        }
    }
}

TEST_CASE("a process that is stopped is named by the deadline, and learns of it when it goes on") {
    const int victim = GENERATE(0, 1);
    const reserved_port at;
    processes ranks(3, [&](int rank, account& mine) { stream_rank(rank, 3, at).work(mine); });
    ranks.await_stage(1);
    std::this_thread::sleep_for(10ms);
    const moment stopped = ranks.send(victim, SIGSTOP);
    for (int r = 0; r < 3; ++r) {
        if (r == victim) continue;
        INFO("rank " << r);
        ranks.await_error(r);
        check_blames(ranks.of(r), cause::timeout, victim);
        CHECK(ranks.of(r).error[0].told - stopped <= deadline + beyond);
    }
    ranks.send(victim, SIGCONT);
    check_ended(ranks);
}

TEST_CASE("processes that call different things on their streams are told so") {
    const reserved_port at;
    processes ranks(3, [&](int rank, account& mine) {
        stream_rank r(rank, 3, at);
        r.call(r.in.seen().first(10), r.in.seen().first(10), 0);
        r.synchronize();
        expect(fails(mine,
                     [&] {
                         r.calls.allreduce(r.in.seen().first(rank == 1 ? 11 : 10), sum, &*r.streams[0]);
                         r.synchronize();
                     }),
               "the calls differ");
    });
    check_ended(ranks);
    for (int r = 0; r < 3; ++r) check_blames(ranks.of(r), cause::mismatch, 1);
}

TEST_CASE("a process whose device fails is named by all others") {
    const int victim = GENERATE(0, 2);
    const reserved_port at;
    processes ranks(3, [&](int rank, account& mine) {
        stream_rank r(rank, 3, at);
        if (rank != victim) return r.work(mine);
        fake_cuda::copies_until_failure() = 9;
        bool lost = false;
        try {
            for (std::size_t number = 0; number < 100; ++number)
                r.call(r.in.seen().first(500), r.out.seen().first(500), number);
        } catch (const transport::device_error&) {
            lost = true;
        }
        expect(lost, "it is told what its device says");
    });
    check_ended(ranks);
    for (int r = 0; r < 3; ++r)
        if (r != victim) check_blames(ranks.of(r), cause::aborted, victim);
}

TEST_CASE("a launch that fails once ends the calls of all, though its rank goes on") {
    const bool apart = GENERATE(false, true);
    const int victim = apart ? 1 : 0; // else rank 0 alone launches
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        stream_rank r(rank, 2, at, apart ? rank : 0);
        fake_stream_kernels::launches_until_failure() = rank == victim ? 1 : -1;
        bool failed = false;
        std::size_t number = 0;
        call_until_error(mine, [&] {
            try {
                r.call(r.in.seen().first(500), r.out.seen().first(500), number);
            } catch (const std::runtime_error& e) {
                if (std::string(e.what()) != "a kernel cannot be launched") throw;
                failed = true;
            }
            ++number;
            r.calls.synchronize(&*r.streams[0]);
        });
        expect(failed == (rank == victim), "it is told of its launch");
        expect(number <= 2, "no call follows that");
    });
    check_ended(ranks);
    check_blames(ranks.of(victim), cause::aborted, victim);
    check_blames(ranks.of(1 - victim), apart ? cause::timeout : cause::aborted, victim);
}

TEST_CASE("where a rank lacks what calls on streams need, the host makes the calls of all") {
    const bool apart = GENERATE(false, true);
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        fake_cuda_streams::maps() = rank != 1;
        const stream_rank r(rank, 2, at, apart ? rank : 0);
        expect(r.calls.path() == kernels::stream_path::host, "rank 1 cannot");
        expect(r.world.allreduce(rank, sum) == 1, "the communicator works");
    });
    check_ended(ranks);
}

TEST_CASE("a process records no call into a graph") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        stream_rank r(rank, 2, at);
        fake_cuda_streams::capture() = 1;
        try {
            r.calls.allreduce(r.in.seen(), sum, &*r.streams[0]);
            expect(false, "it is refused");
        } catch (const error& e) {
            expect(e.why() == cause::invalid_argument, e.what());
        }
        fake_cuda_streams::capture() = 0;
        r.call(r.in.seen(), r.out.seen(), 4);
        r.synchronize();
        expect(r.wrong == 0, "the sum");
    });
    check_ended(ranks);
}

TEST_CASE("streams that cannot wait for words have their calls made by the host") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        fake_cuda_streams::has_words() = rank == 0;
        const stream_rank r(rank, 2, at);
        expect(r.calls.path() == kernels::stream_path::host, "one rank cannot");
        expect(r.calls.explain(r.in.seen()).find("cannot wait for words") != std::string::npos, "it says why");
    });
    check_ended(ranks);
}
