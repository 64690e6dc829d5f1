// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/bench/bench.hpp"
#include "../../tools/tutti/common/meeting.hpp"
#include "../../tools/tutti/common/threads.hpp"
#include "folder.hpp"

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

using namespace tutti::tools;
using namespace std::chrono_literals;

namespace {

/// The only row of a bench whose calls do nothing but sleep, on ranks that are threads.
nlohmann::json row_of(
    bench_settings settings, int ranks, std::chrono::milliseconds call_takes,
    const std::function<bool(const job&)>& is_busy = [](const job& what) { return what.takes_part(what.rank); }) {
    const tools_test::folder here;
    settings.transport = "memory";
    settings.ranks = ranks;
    settings.warm_up = settings.checks = 0;
    settings.where = place::out;
    settings.json = here.path("rows");
    const auto room = shared_room::create(ranks);
    CHECK(run_as_threads(ranks, [&](int rank) {
        shared_meeting others{room, rank, settings.deadline(), nullptr};
        const binder sleep = [&](const job& what, const buffers&) -> call {
            return [=] {
                if (is_busy(what)) std::this_thread::sleep_for(call_takes);
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
    s.iterations = 3;
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
        }
        CHECK(row.at("min_us").get<double>() < 20'000);
        // 4 MB in 10 ms are 0.4 GB/s.
        CHECK(row.at("algbw_GBps").get<double>() == Approx(4'000 / row.at("time_us").get<double>()).epsilon(1e-3));
        CHECK(row.at("algbw_GBps").get<double>() <= 0.4);
        CHECK(row.at("busbw_GBps") == row.at("algbw_GBps"));
    }
}

TEST_CASE("times of messages that are answered are of the rank that begins, whenever the other one comes") {
    const auto with_busy = [](const char* what, int busy) {
        return row_of(of(what, 8), 2, 20ms, [=](const job& j) { return j.rank == busy; });
    };
    for (const std::string what : {"pingpong", "multi_latency", "stream", "message_rate"}) {
        INFO(what);
        const double least =
            what == "stream" || what == "message_rate" ? 20'000 : 10'000; // else half of there and back
        const auto row = with_busy(what.c_str(), 0);
        CHECK(row.at("min_us").get<double>() >= least);
        for (const char* key : {"avg_us", "rank_min_us"}) CHECK(row.at(key).get<double>() >= least);
        CHECK(row.at("rank_min_us") == row.at("rank_max_us"));
        CHECK(row.at("slowest_rank") == 0);
        CHECK(with_busy(what.c_str(), 1).at("min_us").get<double>() < least); // it is not among those timed
    }
    const auto both = with_busy("bistream", 1);
    CHECK(both.at("min_us").get<double>() >= 20'000);
    CHECK(both.at("avg_us").get<double>() >= 10'000); // (0 + 20) / 2 ms
    CHECK(both.at("rank_min_us").get<double>() < both.at("rank_max_us").get<double>());
}

TEST_CASE("of a loop, bandwidths and comparisons go by the average over ranks, as those of OSU and nccl-tests") {
    bench_settings s = of("allreduce", 8);
    s.how = timing::loop;
    const auto row = row_of(s, 3, 30ms, [](const job& what) { return what.rank == 1; });
    CHECK(row.at("rank_max_us").get<double>() >= 30'000);
    CHECK(row.at("time_us") == row.at("avg_us"));
    CHECK(row.at("time_us").get<double>() >= 10'000); // (0 + 30 + 0) / 3 ms
    CHECK(row.at("time_us").get<double>() < 30'000);
    CHECK(row.at("algbw_GBps").get<double>() == Approx(0.008 / row.at("time_us").get<double>()).epsilon(1e-3));
    CHECK(!row.contains("mean_us"));
}

TEST_CASE("64 messages of a stream count, 128 of one each way, of a sendrecv the one that is sent") {
    const auto counted = [](const char* what) { // messages of 100 kB, where GB/s are 1,000 bytes a microsecond
        const auto row = row_of(of(what, 100'000), 2, 2ms);
        return row.at("algbw_GBps").get<double>() * row.at("time_us").get<double>() * 1000 / 100'000;
    };
    CHECK(counted("stream") == Approx(64).epsilon(1e-3));
    CHECK(counted("bistream") == Approx(128).epsilon(1e-3));
    CHECK(counted("message_rate") == Approx(64).epsilon(1e-3)); // of one pair
    CHECK(counted("sendrecv") == Approx(1).epsilon(1e-3));
    CHECK(counted("pingpong") == Approx(1).epsilon(1e-3));
}

TEST_CASE("the average is of the ranks that take part: an idle third one makes nothing shorter") {
    CHECK(row_of(of("stream", 8), 3, 10ms).at("avg_us").get<double>() >= 10'000);
}

TEST_CASE("averages are told of the fastest and of the slowest rank, and whose the latter is") {
    bench_settings s = of("allreduce", 8);
    // Rank 1 takes 30 ms of each call, the others none.
    const auto row = row_of(s, 3, 30ms, [](const job& what) { return what.rank == 1; });
    CHECK(row.at("slowest_rank") == 1);
    CHECK(row.at("rank_max_us").get<double>() >= 30'000);
    CHECK(row.at("rank_min_us").get<double>() < 30'000);
    CHECK(row.at("avg_us").get<double>() >= 10'000); // of three ranks
}

TEST_CASE("a row is repeated until the interval of its median is within the precision, or its time is over") {
    bench_settings s = of("allreduce", 8);
    s.iterations = 0;
    s.precision = 1; // 100 %: as soon as there is an interval, which takes 11 of such calls
    const auto soon = row_of(s, 2, 5ms);
    CHECK(soon.at("iterations").get<int>() >= 11);
    REQUIRE(!soon.at("p50_high_us").is_null());
    CHECK(soon.at("p50_high_us").get<double>() <= 2 * soon.at("p50_us").get<double>());
    s.precision = 1e-9;
    s.seconds = 0.2;
    CHECK(row_of(s, 2, 5ms).at("iterations").get<int>() <= 41); // 40 of 5 ms are 0.2 s
}

TEST_CASE("without a number there are 1,000 iterations, or those of a second, or 20") {
    bench_settings s = of("allreduce", 8);
    s.iterations = 0;
    CHECK(row_of(s, 1, 0ms).at("iterations") == 1000);
    CHECK(row_of(s, 1, 100ms).at("iterations") == 20);
    const int between = row_of(s, 1, 4ms).at("iterations").get<int>();
    CHECK(between >= 20);
    CHECK(between <= 251); // 250 of 4 ms are a second
}
