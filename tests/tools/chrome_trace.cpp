// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/common/chrome_trace.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

using nlohmann::json;
using tutti::schedule::action;
using tutti::schedule::activity;
using tutti::tools::chrome_trace;

namespace {

json events_of(const std::vector<activity>& activities) {
    return json::parse(chrome_trace(activities)).at("traceEvents");
}

std::vector<json> of_phase(const json& events, const std::string& phase) {
    std::vector<json> some;
    std::ranges::copy_if(events, std::back_inserter(some), [&](const json& e) { return e.at("ph") == phase; });
    return some;
}

/// A ring of `size` ranks in which each sends two messages at once and then reduces, in microseconds.
std::vector<activity> busy_ring(int size) {
    constexpr double us = 1e-6;
    std::vector<activity> list;
    for (int rank = 0; rank < size; ++rank)
        for (int k = 0; k < 2; ++k) {
            const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
            list.push_back({rank, 3 * k, action::send, next, 1000, k * us, (k + 4) * us});
            list.push_back({rank, 3 * k + 1, action::receive_reduce, previous, 1000, 0, (k + 5) * us});
            list.push_back({rank, 3 * k + 2, action::reduce, -1, 1000, (k + 5) * us, (k + 6) * us});
        }
    std::ranges::reverse(list); // any order will do
    return list;
}

/// The slice that an arrow's end belongs to.
std::vector<json> slices_at(const json& events, const json& end) {
    std::vector<json> found;
    for (const json& x : of_phase(events, "X"))
        if (x.at("pid") == end.at("pid") && x.at("tid") == end.at("tid") && x.at("ts") <= end.at("ts") &&
            end.at("ts").get<double>() < x.at("ts").get<double>() + x.at("dur").get<double>())
            found.push_back(x);
    return found;
}

} // namespace

TEST_CASE("an activity is a slice in microseconds that tells step, bytes and peer") {
    const auto slices = of_phase(events_of({{2, 7, action::receive, 1, 4096, 1.5e-6, 4e-6}}), "X");
    REQUIRE(slices.size() == 1);
    CHECK(slices[0].at("name") == "receive from 1");
    CHECK(slices[0].at("pid") == 2);
    CHECK(slices[0].at("ts").get<double>() == Approx(1.5));
    CHECK(slices[0].at("dur").get<double>() == Approx(2.5));
    CHECK(slices[0].at("args") == json{{"step", 7}, {"bytes", 4096}, {"peer", 1}});
    const auto local = of_phase(events_of({{0, 0, action::copy, -1, 8, 0, 1}}), "X");
    CHECK(local.at(0).at("name") == "copy");
    CHECK(!local.at(0).at("args").contains("peer"));
}

TEST_CASE("what a rank does at the same time is on lanes that do not overlap, as few as there can be") {
    const json events = events_of(busy_ring(3));
    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> lanes;
    for (const json& x : of_phase(events, "X")) lanes[{x.at("pid"), x.at("tid")}].emplace_back(x.at("ts"), x.at("dur"));
    CHECK(lanes.size() == 3 * 4); // two sends and two receives at once
    for (auto& [lane, slices] : lanes) {
        std::ranges::sort(slices);
        for (std::size_t i = 1; i < slices.size(); ++i)
            CHECK(slices[i - 1].first + slices[i - 1].second <= slices[i].first + 1e-9);
    }
    std::set<std::string> names;
    for (const json& e : of_phase(events, "M"))
        if (e.at("name") == "thread_name") names.insert(e.at("args").at("name").get<std::string>());
    CHECK(names.size() == lanes.size());
    CHECK(names.contains("rank 2, lane 4"));
}

TEST_CASE("each send has an arrow to its receive: the k-th to the k-th of the channel") {
    const json events = events_of(busy_ring(3));
    const auto begins = of_phase(events, "s"), ends = of_phase(events, "f");
    CHECK(begins.size() == 3 * 2);
    REQUIRE(begins.size() == ends.size());
    std::set<int> ids;
    for (std::size_t i = 0; i < begins.size(); ++i) {
        CHECK(begins[i].at("id") == ends[i].at("id"));
        CHECK(ids.insert(begins[i].at("id").get<int>()).second);
        CHECK(begins[i].at("ts") <= ends[i].at("ts"));
        CHECK(ends[i].at("bp") == "e");
        const auto sends = slices_at(events, begins[i]), receives = slices_at(events, ends[i]);
        REQUIRE(sends.size() == 1);
        REQUIRE(receives.size() == 1);
        const json &sent = sends[0].at("args"), &received = receives[0].at("args");
        CHECK(sent.at("step").get<int>() + 1 == received.at("step").get<int>());
        CHECK(sent.at("peer") == receives[0].at("pid"));
        CHECK(received.at("peer") == sends[0].at("pid"));
    }
}

TEST_CASE("ends belong together in the order of the list, whichever began first") {
    // Both receives are posted before their messages come, and the second one before the first.
    const json events = events_of({{0, 0, action::send, 1, 8, 0, 1e-6},
                                   {0, 1, action::send, 1, 8, 2e-6, 3e-6},
                                   {1, 0, action::receive, 0, 8, 5e-7, 2e-6},
                                   {1, 1, action::receive, 0, 8, 0, 4e-6}});
    const auto begins = of_phase(events, "s"), ends = of_phase(events, "f");
    REQUIRE(begins.size() == 2);
    REQUIRE(ends.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto sent = slices_at(events, begins[i]), received = slices_at(events, ends[i]);
        REQUIRE(sent.size() == 1);
        REQUIRE(received.size() == 1);
        CHECK(sent[0].at("args").at("step") == received[0].at("args").at("step"));
    }
}

TEST_CASE("a message of which only one end is there has no arrow, and nothing at all is a trace too") {
    const json events = events_of({{0, 0, action::send, 1, 8, 0, 1}, {1, 0, action::receive, 2, 8, 0, 1}});
    CHECK(of_phase(events, "X").size() == 2);
    CHECK(of_phase(events, "s").empty());
    CHECK(of_phase(events, "f").empty());
    CHECK(events_of({}).empty());
}
