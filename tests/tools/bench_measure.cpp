// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/bench/bench.hpp"
#include "../../tools/tutti/common/meeting.hpp"
#include "../../tools/tutti/common/threads.hpp"
#include "folder.hpp"

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

using namespace tutti::tools;
using namespace std::chrono_literals;

namespace {

/// The only row of a bench whose calls do nothing but sleep, on ranks that are threads.
nlohmann::json row_of(bench_settings settings, int ranks, std::chrono::milliseconds call_takes) {
    const tools_test::folder here;
    settings.transport = "memory";
    settings.ranks = ranks;
    settings.iterations = 3;
    settings.warm_up = settings.checks = 0;
    settings.where = place::out;
    settings.json = here.path("rows");
    const auto room = shared_room::create(ranks);
    CHECK(run_as_threads(ranks, [&](int rank) {
        shared_meeting others{room, rank, settings.deadline(), nullptr};
        const binder sleep = [&](const job& what, const buffers&) -> call {
            return [=] {
                if (what.takes_part(what.rank)) std::this_thread::sleep_for(call_takes);
            };
        };
        const participant self{rank, ranks, others, sleep, host_allocator_of(settings), {}, CLOCK_THREAD_CPUTIME_ID};
        static_cast<void>(take_part(self, settings));
    }));
    const auto rows = nlohmann::json::parse(here.read("rows"));
    REQUIRE(rows.size() == 1);
    return rows[0];
}

bench_settings of(const char* operation, std::size_t bytes) {
    bench_settings s;
    s.operation = operation;
    s.bytes = {bytes, bytes, 2, 0};
    return s;
}

} // namespace

TEST_CASE("a pingpong's time and bandwidth are those of one message, half of the round trip, as IMB and OSU have it") {
    for (const char* what : {"pingpong", "multi_latency"}) {
        const auto row = row_of(of(what, 4'000'000), 2, 20ms); // there and back
        for (const char* key : {"min_us", "p50_us", "time_us", "avg_us"}) {
            INFO(what << " " << key);
            CHECK(row.at(key).get<double>() >= 10'000); // half of what it slept; on a busy host more
            CHECK(row.at(key).get<double>() < 20'000);
        }
        // 4 MB in 10 ms are 0.4 GB/s.
        CHECK(row.at("algbw_GBps").get<double>() == Approx(4'000 / row.at("time_us").get<double>()).epsilon(1e-3));
        CHECK(row.at("algbw_GBps").get<double>() <= 0.4);
        CHECK(row.at("busbw_GBps") == row.at("algbw_GBps"));
    }
}

TEST_CASE("64 messages of a stream count, 128 of one each way, of a sendrecv the one that is sent") {
    // 100 kB at least 10 ms: 0.01 GB/s a message.
    CHECK(row_of(of("stream", 100'000), 2, 10ms).at("algbw_GBps").get<double>() == Approx(0.64).epsilon(0.5));
    CHECK(row_of(of("bistream", 100'000), 2, 10ms).at("algbw_GBps").get<double>() == Approx(1.28).epsilon(0.5));
    CHECK(row_of(of("sendrecv", 100'000), 2, 10ms).at("algbw_GBps").get<double>() == Approx(0.01).epsilon(0.5));
}

TEST_CASE("the average is of the ranks that take part: an idle third one makes nothing shorter") {
    CHECK(row_of(of("stream", 8), 3, 10ms).at("avg_us").get<double>() >= 10'000);
}
