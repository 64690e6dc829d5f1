// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/join/launchers/pmix_client.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/surroundings.hpp"

#include <thread>

#if __has_include(<pmix.h>)
#include <pmix.h>

// The types of the binary interface, beside those of the header.
namespace mine = tutti::transport::bootstrap::detail::pmix;
static_assert(sizeof(mine::process) == sizeof(pmix_proc_t) &&
              offsetof(mine::process, rank) == offsetof(pmix_proc_t, rank));
static_assert(sizeof(mine::value) == sizeof(pmix_value_t) && alignof(mine::value) == alignof(pmix_value_t));
static_assert(offsetof(mine::value, text) == offsetof(pmix_value_t, data.string));
static_assert(offsetof(mine::value, truth) == offsetof(pmix_value_t, data.flag));
static_assert(sizeof(mine::info) == sizeof(pmix_info_t) && offsetof(mine::info, value) == offsetof(pmix_info_t, value));
static_assert(static_cast<int>(mine::value_type::text) == PMIX_STRING);
static_assert(static_cast<int>(mine::value_type::truth) == PMIX_BOOL);
static_assert(mine::to_all == PMIX_GLOBAL && mine::success == PMIX_SUCCESS);
static_assert(mine::done_at_once == PMIX_OPERATION_SUCCEEDED);
static_assert(std::string_view(mine::collect_data) == PMIX_COLLECT_DATA);
#endif

using namespace tutti;
using namespace std::chrono_literals;
using transport::bootstrap::detail::pmix::answer;
using pmix_client = transport::bootstrap::detail::pmix::client;

TEST_CASE("an answer comes, or does not come in time", "[pmix]") {
    const auto one = std::make_shared<answer>();
    CHECK_FALSE(one->wait(std::chrono::steady_clock::now() + 20ms));
    std::thread other([own = one->lend()] { answer::finish(own, -7, "text"); });
    const auto came = one->wait(std::chrono::steady_clock::now() + 5s);
    other.join();
    REQUIRE(came);
    CHECK(came->first == -7);
    CHECK(came->second == "text");
    answer::forget(one->lend());
    CHECK(one.use_count() == 1);
}

TEST_CASE("without variables of PMIx the error says what to set", "[pmix]") {
    const test::surroundings none({});
    try {
        static_cast<void>(pmix_client::of_this_process().exchange(0, "text", std::chrono::steady_clock::now()));
        FAIL("there is no launcher");
    } catch (const error& e) {
        CHECK(e.why() == cause::bootstrap);
        CHECK(test::has(e.what(), "PMIX_NAMESPACE or PMIX_RANK is not set"));
        CHECK(test::has(e.what(), "set TUTTI_ADDRESS"));
    }
}
