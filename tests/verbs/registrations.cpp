// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/fabrics/verbs/choice.hpp>
#include <transport/fabrics/verbs/registrations.hpp>

#include "support/catch.hpp"

#include <thread>

namespace verbs = tutti::transport::detail::verbs;

namespace {

std::vector<std::unique_ptr<verbs::rail>> rails_on(const std::string& names) {
    tutti::transport::verbs_limits limits;
    limits.devices = names;
    std::vector<std::unique_ptr<verbs::rail>> rails;
    for (verbs::candidate& c : verbs::chosen(verbs::all_candidates(), limits, "127.0.0.1"))
        rails.push_back(std::make_unique<verbs::rail>(std::move(c)));
    return rails;
}

constexpr std::size_t kib = 1024;

} // namespace

TEST_CASE("ordinary memory is registered while a message uses it, on every rail, and no longer") {
    const auto rails = rails_on("rxe1,rxe2");
    verbs::registrations all(rails, 0);
    std::vector<std::byte> data(64 * kib);
    {
        const auto whole = all.acquire(data.data(), data.size(), false);
        REQUIRE(whole);
        CHECK(all.registered_bytes() == data.size());
        const auto part = all.acquire(data.data() + kib, kib, false); // inside: the same registration
        REQUIRE(part);
        CHECK(part.remote(1) == whole.remote(1));
        CHECK(all.made() == 1);
        CHECK(all.acquire(data.data(), data.size(), true)); // to be written: nobody else may read it
        CHECK(all.made() == 2);
    }
    CHECK(all.registered_bytes() == 0);
    CHECK(all.acquire(data.data(), data.size(), false));
    CHECK(all.made() == 3);
}

TEST_CASE("memory that may only be read is found again for reading alone") {
    const auto rails = rails_on("rxe1");
    verbs::registrations all(rails, 1 << 20);
    static const std::array<std::byte, 4 * kib> constant{}; // in pages that nobody may write
    CHECK(all.acquire(constant.data(), constant.size(), false));
    CHECK(all.acquire(constant.data(), constant.size(), false));
    CHECK(all.made() == 1);
    CHECK_FALSE(all.acquire(constant.data(), constant.size(), true));
    CHECK(all.refusal().find("cannot register 4096 bytes for RDMA") != std::string::npos);
}

TEST_CASE("registrations are kept up to a limit, and what was used last stays") {
    const auto rails = rails_on("rxe1");
    verbs::registrations all(rails, 100 * kib);
    std::vector<std::vector<std::byte>> data(4, std::vector<std::byte>(40 * kib));
    const auto use = [&](std::size_t i) { REQUIRE(all.acquire(data[i].data(), data[i].size(), true)); };
    use(0), use(1), use(0);
    CHECK(all.made() == 2);
    use(2); // 1 was used least recently
    CHECK(all.registered_bytes() == 80 * kib);
    use(0), use(2);
    CHECK(all.made() == 3);
    use(1);
    CHECK(all.made() == 4);
    std::vector<std::byte> large(200 * kib);
    CHECK(all.acquire(large.data(), large.size(), true)); // never kept: it would push out all others
    CHECK(all.registered_bytes() == 80 * kib);
}

TEST_CASE("symmetric memory is registered until it is freed, by any thread, even after its world") {
    const auto rails = rails_on("rxe1");
    auto all = std::make_shared<verbs::registrations>(rails, 0);
    auto first = verbs::registrations::allocate(all, 10 * kib), second = verbs::registrations::allocate(all, kib);
    CHECK(all->registered_bytes() == 11 * kib);
    CHECK(all->acquire(first.get() + kib, 9 * kib, true));
    CHECK(all->made() == 2);
    std::thread([&] { first.reset(); }).join();
    CHECK(all->registered_bytes() == kib);
    all.reset();
    second.reset();
}

TEST_CASE("a registration is revoked from who has it alone") {
    const auto rails = rails_on("rxe1");
    verbs::registrations all(rails, 1 << 20);
    std::vector<std::byte> data(8 * kib);
    auto one = all.acquire(data.data(), data.size(), false);
    {
        const auto other = all.acquire(data.data(), data.size(), false);
        CHECK_FALSE(one.revoke());
    }
    CHECK(one.revoke());
    CHECK(all.registered_bytes() == 0);
    const auto anew = all.acquire(data.data(), data.size(), false);
    CHECK(all.made() == 2);
}
