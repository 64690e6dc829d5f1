// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/routed.hpp>

#include "ranks.hpp"

#include <sys/resource.h>

#include <fcntl.h>

#include <algorithm>
#include <optional>

using namespace tutti;
using namespace tutti::test;

namespace {

/// While it lives, this process can have no descriptor more than it has: neither now nor by raising the limit.
class no_descriptors {
public:
    no_descriptors() {
        const rlimit none{static_cast<rlim_t>(limit()), static_cast<rlim_t>(limit())};
        expect(spare_ >= 0 && ::setrlimit(RLIMIT_NOFILE, &none) == 0, "a limit can be lowered");
    }
    no_descriptors(const no_descriptors&) = delete;
    no_descriptors& operator=(const no_descriptors&) = delete;
    ~no_descriptors() { ::close(spare_); } // the test itself needs one in the end

    [[nodiscard]] int limit() const noexcept { return spare_ + 1; }

private:
    int spare_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC); // the lowest that is free
};

using both = transport::routed<transport::shared_memory, transport::tcp>;

/// From now on this process may have so many more descriptors, which it may raise as far as it could before. With
/// `for_good` it may not.
void leave_free(int more, bool for_good = false) {
    rlimit limit{};
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC); // the lowest that is free
    if (next < 0) return;                                       // there is none already
    expect(::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max >= 100, "there is a limit to go to");
    limit.rlim_cur = static_cast<rlim_t>(next + more);
    if (for_good) limit.rlim_max = limit.rlim_cur;
    ::close(next);
    expect(::setrlimit(RLIMIT_NOFILE, &limit) == 0, "a limit can be lowered");
}

/// A world where rank 1 begins with so few descriptors, and once more before it allocates.
template <class Transport>
void go_on_with_few(int more) {
    CAPTURE(more);
    const reserved_port at;
    processes ranks(3, [&](int rank, account&) {
        if (rank == 1) leave_free(more);
        const communicator world{Transport{identity(rank, 3, at)}};
        if (rank == 1) leave_free(0);
        auto memory = world.template allocate<int>(100'000);
        std::fill(memory.begin(), memory.end(), 1);
        world.allreduce(memory, sum);
        expect(memory[99'999] == 3, "it is the sum of three ones");
        for (int peer = 0; peer < 3; ++peer)
            expect(peer == rank || world.way_to(peer).starts_with("shared memory"), world.way_to(peer));
    });
    check_ended(ranks);
}

/// All ranks of a world of three but `victim` have room; the first call needs connections.
void run_out(int victim) {
    CAPTURE(victim);
    const reserved_port at;
    processes ranks(3, [&](int rank, account& mine) {
        const world_of_processes world{transport::tcp{identity(rank, 3, at)}};
        mine.stage.store(1, std::memory_order_release);
        std::optional<no_descriptors> lack;
        if (rank == victim) mine.note = std::to_string(lack.emplace().limit());
        int x = 1;
        const auto called = [&] {
            world.with_deadline(patience).allreduce(std::span(&x, 1), sum, algorithm::one_shot{});
        };
        expect(fails(mine, called), "no rank can do without connections");
    });
    check_ended(ranks);
    const std::string limit = ranks.of(victim).note.str();
    for (int r = 0; r < 3; ++r) {
        const auto& e = ranks.of(r).error[0];
        const auto text = e.message.str();
        CAPTURE(r, text);
        CHECK(e.why == cause::aborted);
        CHECK(e.peer == victim);
        CHECK(text.find("rank " + std::to_string(victim) +
                        " cannot go on: it has run out of file descriptors, of "
                        "which it may have " +
                        limit + ": raise that limit (ulimit -n") != std::string::npos);
        CHECK(e.told - e.called < 3s);
    }
}

} // namespace

TEST_CASE("a rank that has no descriptor for a connection is named on all ranks, whichever side it is on") {
    for (const int victim : {0, 1, 2}) run_out(victim);
}

TEST_CASE("a rank that has no descriptor to meet the others says so at once") {
    const reserved_port at;
    processes ranks(1, [&](int, account& mine) {
        const no_descriptors lack;
        expect(fails(mine, [&] { transport::tcp{identity(1, 2, at)}; }), "a rank without descriptors meets nobody");
    });
    check_ended(ranks);
    const auto& e = ranks.of(0).error[0];
    const auto text = e.message.str();
    CAPTURE(text);
    CHECK(e.why == cause::bootstrap);
    CHECK(e.peer == 1);
    CHECK(text.find("it has run out of file descriptors") != std::string::npos);
    CHECK(e.told - e.called < 2s);
}

TEST_CASE("a rank raises its limit of descriptors for all that it opens") {
    for (const int more : {0, 1, 2, 3, 4, 5, 6, 8, 12}) {
        go_on_with_few<both>(more);
        go_on_with_few<transport::shared_memory>(more);
    }
}

TEST_CASE("a rank that may raise it no more fails with an error of the library, at any point of its start") {
    for (int more = 1; more < 16; ++more) { // with none it meets nobody: see above
        CAPTURE(more);
        const reserved_port at;
        processes ranks(2, [&](int rank, account& mine) {
            if (rank == 1) leave_free(more, true);
            const auto begin = [&] {
                const communicator world{both{identity(rank, 2, at)}};
                int x = 1;
                world.with_deadline(patience).allreduce(std::span(&x, 1), sum);
                expect(x == 2, "it is the sum of two ones");
            };
            static_cast<void>(fails(mine, begin)); // another exception would be a complaint
        });
        check_ended(ranks);
        CHECK(ranks.of(0).errors.load() == ranks.of(1).errors.load());
        const auto text = ranks.of(1).error[0].message.str();
        INFO(text);
        CHECK((ranks.of(1).errors.load() == 0 || text.find("ulimit -n") != std::string::npos));
    }
}
