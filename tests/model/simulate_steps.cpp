// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/simulate.hpp>

#include <collectives/schedule/lowering/pack.hpp>

#include "simulated.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace tutti;
using namespace tutti::model;
using schedule::operation;
using tutti::schedule::activity;

namespace {

constexpr loggp some_cost{1e-6, 2e-7, 3e-7, 1e-9, 2e-10};

/// A run with all that happened.
simulated recorded(const collective& c, receiver_rule rule) {
    simulation_settings s;
    s.receiver = rule;
    s.activities = true;
    return simulate(c, uniform(some_cost), 1, s);
}

std::vector<collective> cases() {
    std::vector<collective> list;
    for (const algorithm::any& a : algorithm::all(2))
        for (const operation o : schedule::operations)
            for (int size = 1; a.offers(o) && size <= 9; ++size)
                list.push_back({o, a, size, 1001, size / 2, 1 + size % 3, size % 2 == 0, size % 4 == 0 ? 4U : 1U});
    return list;
}

std::string title_of(const collective& c) {
    return std::string(c.how.name()) + ", " + std::string(name_of(c.what)) + ", " + std::to_string(c.size);
}

schedule::program as_run(const collective& c) {
    return schedule::packed(c.how.write(c.what, c.size, c.root, c.in_place, c.segments));
}

/// By (from, to), in the order of the sender's or receiver's steps.
using messages = std::map<std::pair<int, int>, std::vector<activity>>;
messages by_channel(std::vector<activity> all, bool sends) {
    std::sort(all.begin(), all.end(), [](const activity& a, const activity& b) { return a.step < b.step; });
    messages found;
    for (const activity& a : all) {
        const bool is_send = a.what == schedule::action::send;
        if (a.peer >= 0 && is_send == sends)
            found[sends ? std::pair(a.rank, a.peer) : std::pair(a.peer, a.rank)].push_back(a);
    }
    return found;
}

} // namespace

TEST_CASE("every step of every rank is executed once, as the schedule has it") {
    for (const collective& c : cases()) {
        INFO(title_of(c));
        const schedule::program p = as_run(c);
        const simulated found = recorded(c, receiver_rule::full_duplex);
        std::size_t steps = 0, sends = 0;
        for (const auto& rank : p.ranks)
            for (std::size_t i = 0; i < rank.size(); ++i) {
                if (!schedule::leads(rank, i)) continue; // all parts of a message are one
                ++steps;
                sends += schedule::sends(rank[i]) ? 1 : 0;
            }
        CHECK(found.steps == steps);
        CHECK(found.messages == sends);
        REQUIRE(found.activities.size() == steps);
        std::vector<std::vector<char>> done;
        for (const auto& rank : p.ranks) done.emplace_back(rank.size(), 0);
        for (const activity& a : found.activities) {
            const auto r = static_cast<std::size_t>(a.rank), i = static_cast<std::size_t>(a.step);
            CHECK(!std::exchange(done.at(r).at(i), 1));
            CHECK(a.what == p.ranks[r][i].what);
            CHECK(a.peer == p.ranks[r][i].peer);
        }
    }
}

TEST_CASE("a message is received as long as it was sent, and o + L after its send began at the earliest") {
    for (const receiver_rule rule : {receiver_rule::serial, receiver_rule::full_duplex})
        for (const collective& c : cases()) {
            INFO(title_of(c));
            const simulated found = recorded(c, rule);
            const messages sent = by_channel(found.activities, true), received = by_channel(found.activities, false);
            REQUIRE(sent.size() == received.size());
            for (const auto& [channel, out] : sent) {
                const std::vector<activity>& in = received.at(channel);
                REQUIRE(out.size() == in.size());
                for (std::size_t k = 0; k < out.size(); ++k) {
                    CHECK(out[k].bytes == in[k].bytes);
                    CHECK(in[k].begin_s - out[k].begin_s >= 0.999999 * (some_cost.overhead_s + some_cost.latency_s));
                    if (k > 0) CHECK((out[k].begin_s >= out[k - 1].begin_s && in[k].begin_s >= in[k - 1].begin_s));
                }
            }
        }
}

TEST_CASE("a rank does one thing at a time, and its data in the order of its schedule") {
    for (const collective& c : cases()) {
        INFO(title_of(c));
        const schedule::program p = as_run(c);
        const simulated found = recorded(c, receiver_rule::serial);
        for (int r = 0; r < c.size; ++r) {
            std::vector<activity> by_step(p.ranks[static_cast<std::size_t>(r)].size());
            double free = 0;
            for (const activity& a : found.activities) { // in order of their begin
                if (a.rank != r) continue;
                CHECK(a.begin_s >= free);
                free = a.end_s;
                by_step[static_cast<std::size_t>(a.step)] = a;
            }
            CHECK(found.rank_finish_s[static_cast<std::size_t>(r)] == free);
            const schedule::order o = schedule::order_of(p, r);
            for (std::size_t i = 0; i < by_step.size(); ++i)
                for (auto f = o.first[i]; f < o.first[i + 1]; ++f)
                    CHECK(by_step[o.followers[f]].begin_s >= by_step[i].end_s);
        }
    }
}

TEST_CASE("the bytes of a simulation are those of the layout") {
    const collective c{operation::allgather, algorithm::ring{}, 4, 44, 0, 1, true, 4}; // 11 elements: 3, 3, 3, 2
    std::vector<std::size_t> sent;
    for (const activity& a : recorded(c, receiver_rule::serial).activities)
        if (a.rank == 0 && a.what == schedule::action::send) sent.push_back(a.bytes);
    CHECK(sent == std::vector<std::size_t>{12, 8, 12});
}

TEST_CASE("the same again is the same to the bit") {
    for (const collective& c : cases()) {
        const simulated once = recorded(c, receiver_rule::full_duplex), again = recorded(c, receiver_rule::full_duplex);
        CHECK(once.rank_finish_s == again.rank_finish_s);
        CHECK(once.finish_s == *std::max_element(once.rank_finish_s.begin(), once.rank_finish_s.end()));
    }
}
