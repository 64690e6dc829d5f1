// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/tcp.hpp>

#include "support/catch.hpp"
#include "support/counted_new.hpp"
#include "support/expect.hpp"
#include "world.hpp"

#include <vector>

using namespace tutti;
using namespace tutti::test;

namespace {

void add(std::byte* to, const std::byte* left, const std::byte* right, std::size_t count, const void*) {
    for (std::size_t i = 0; i < 12 * count; ++i)
        to[i] = static_cast<std::byte>(std::to_integer<int>(left[i]) + std::to_integer<int>(right[i]));
}

/// A message each way, early or late, received plainly or reduced.
void exchange(transport::tcp& t, std::vector<std::byte>& from, std::vector<std::byte>& to, bool early) {
    static constexpr reducer op{add, nullptr, 12};
    transport::transfer_queue done;
    transport::transfer sent;
    transport::transfer received;
    sent.owner = received.owner = &done;
    sent.bytes = received.bytes = from.size();
    sent.from = from.data();
    received.to = to.data();
    if (from.size() % 12 == 0) received.reduce = &op;
    received.from = to.data();
    const transport::context k{1, 0};
    if (!early) t.receive(t.open(k, 1 - t.rank()), received);
    t.send(t.open(k, 1 - t.rank()), sent);
    const auto deadline = transport::clock::now() + patience;
    if (early) {
        for (int i = 0; i < 20; ++i) t.progress();
        t.receive(t.open(k, 1 - t.rank()), received);
    }
    for (int complete = 0; complete < 2;) {
        if (done.pop())
            ++complete;
        else if (!t.progress())
            t.wait(deadline);
        if (transport::clock::now() >= deadline) expect(false, "an exchange ends");
    }
}

} // namespace

TEST_CASE("once warm, messages of any size take no memory from the heap") {
    CHECK_NOTHROW(run_tcp(2, "127.0.0.1", {}, [](transport::tcp& t) {
        for (const std::size_t size : {std::size_t{0}, std::size_t{8}, std::size_t{1200}, std::size_t{48'000},
                                       std::size_t{1'000'000}, std::size_t{1'200'000}}) {
            std::vector<std::byte> from(size);
            std::vector<std::byte> to(size);
            for (int i = 0; i < 100; ++i) exchange(t, from, to, i % 2 == 0);
            const auto before = allocations;
            for (int i = 0; i < 100; ++i) exchange(t, from, to, i % 2 == 0);
            const auto made = allocations - before;
            // A buffer may still grow when a message happens to be earlier than any before. An allocation a message
            // would be two hundred.
            expect(made < 20, std::to_string(size) + " bytes took " + std::to_string(made) + " allocations");
        }
    }));
}
