// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"

#include <sys/resource.h>

#include <fcntl.h>

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
