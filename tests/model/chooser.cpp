// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/choice/chooser.hpp>

#include <collectives/choice/explain.hpp>
#include <collectives/model/candidates.hpp>
#include <collectives/model/decisions.hpp>
#include <collectives/model/price.hpp>
#include <collectives/model/simulate.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using tutti::algorithm::any;
using tutti::model::candidate_price;
using tutti::model::chooser;
using tutti::model::decisions;
using tutti::model::explain;
using tutti::model::loggp;
using tutti::model::machine;
using tutti::model::topology;
using tutti::model::tuner;
using tutti::schedule::operation;

namespace {

/// 1 us to begin and to end a message, 1 ns a byte, 0.1 ns to reduce it.
machine a_network() { return tutti::model::uniform(loggp{2e-6, 1e-6, 0, 1e-9, 1e-10}); }

chooser by_model(int size, int ranks_per_node, const machine& m) {
    const topology on{size, ranks_per_node};
    return chooser(on, std::make_shared<const decisions>(on, m));
}
chooser by_model(int size) { return by_model(size, size, a_network()); }

std::string chosen_by(const chooser& c, std::size_t bytes, operation what = operation::allreduce) {
    return std::string(c.choose(what, bytes).how.name());
}

double cheapest(const std::vector<candidate_price>& offers) {
    return std::min_element(offers.begin(), offers.end(),
                            [](const candidate_price& a, const candidate_price& b) { return a.seconds < b.seconds; })
        ->seconds;
}

} // namespace

TEST_CASE("classes of sizes follow each other, and no size is an eighth larger than the least of its class") {
    using sizes = tutti::model::detail::size_class;
    std::size_t last = 0;
    for (std::size_t bytes = 0; bytes < 100'000; ++bytes) {
        const std::size_t number = sizes::of(bytes);
        CAPTURE(bytes, number);
        REQUIRE((number == last || number == last + 1));
        REQUIRE(sizes::least(number) <= bytes);
        REQUIRE(bytes - sizes::least(number) <= bytes / 8);
        last = number;
    }
    REQUIRE(sizes::of(~std::size_t{0}) < sizes::count);
    REQUIRE(sizes::least(sizes::of(std::size_t{1} << 40)) == std::size_t{1} << 40);
}

TEST_CASE("a model takes a candidate near the least price, and takes it again") {
    for (const int size : {2, 3, 4, 8})
        for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}, std::size_t{1} << 20, std::size_t{64} << 20})
            for (const operation what : tutti::schedule::operations) {
                const topology on{size};
                const decisions by(on, a_network());
                const auto first = by.choose(what, bytes), again = by.choose(what, bytes);
                CAPTURE(size, bytes, std::string(name_of(what)), std::string(first.how.name()));
                CHECK((first.how == again.how && first.segments == again.segments));
                const double price = price_s({what, first.how, size, bytes, 0, first.segments, true}, on, a_network());
                CHECK(price <= cheapest(by.prices(what, bytes)) * 1.1);
            }
}

TEST_CASE("a machine whose calls are priced by Hockney's rule chooses by the times of that rule") {
    machine m = a_network();
    m.receiver = tutti::model::receiver_rule::hockney;
    tutti::model::simulation_settings by_ports;
    by_ports.receiver = m.receiver;
    for (const int size : {3, 8, 32, 64})
        for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}, std::size_t{1} << 20})
            for (const operation what : tutti::schedule::operations) {
                const topology on{size};
                double least = 1e9;
                for (const auto& one : tutti::model::candidates(what, on))
                    least = std::min(
                        least, simulate({what, one.how, size, bytes, 0, one.segments, true}, m, on, by_ports).finish_s);
                const auto chosen = decisions(on, m).choose(what, bytes);
                CAPTURE(size, bytes, std::string(name_of(what)), std::string(chosen.how.name()));
                CHECK(simulate({what, chosen.how, size, bytes, 0, chosen.segments, true}, m, on, by_ports).finish_s <=
                      least * 1.1);
            }
    // Of a gather a root pays alpha for each message: 31 (4 us + 32 KiB at 1 ns).
    const double at_root =
        price_s({operation::gather, tutti::algorithm::naive{}, 32, 1 << 20, 0, 1, true}, topology{32}, m);
    CHECK(at_root == Approx(31 * (4e-6 + 32768e-9)));
}

TEST_CASE("within a class of sizes the choice loses no more than a tenth, and an explanation says what it loses") {
    for (const int size : {2, 3, 4, 6})
        for (std::size_t bytes = 1000; bytes < 1'000'000; bytes += bytes / 30) {
            const auto e = explain(by_model(size), operation::allreduce, bytes);
            const double least = cheapest(e.ranking), taken = e.ranking.front().seconds;
            CAPTURE(size, bytes, e.text());
            CHECK(taken <= least * 1.1);
            const bool loses = taken > least * 1.001;
            CHECK((e.reason.find("though") != std::string::npos) == loses);
        }
}

TEST_CASE("little data goes in few rounds, much of it with few bytes a rank") {
    const chooser c = by_model(8);
    const any little = c.choose(operation::allreduce, 8).how, much = c.choose(operation::allreduce, 64 << 20).how;
    CHECK(little.stated(operation::allreduce, 8).depth <= 3);
    CHECK(much.stated(operation::allreduce, 8).sent < 2 * much.chunks(operation::allreduce, 8));
    CHECK(little.name() != much.name());
}

TEST_CASE("of a thousand ranks every candidate has a price") {
    const chooser c = by_model(1000);
    CHECK(c.choose(operation::allreduce, 8).how.stated(operation::allreduce, 1000).depth <= 22);
    for (const candidate_price& o : c.model()->prices(operation::allreduce, 1 << 20)) {
        CAPTURE(std::string(o.what.how.name()));
        CHECK(o.seconds > 0);
    }
    CHECK(chosen_by(c, std::size_t{1} << 30) != chosen_by(c, 8));
}

TEST_CASE("with many ranks a price counts what they share, simulated or not") {
    machine m = a_network();
    m.near = loggp{1e-7, 1e-7, 0, 1e-11, 1e-11};
    const auto price = [&](const any& how, int size, int ranks_per_node) {
        return price_s({operation::allreduce, how, size, 16 << 20, 0, 1, true}, {size, ranks_per_node}, m);
    };
    using namespace tutti::algorithm;
    for (const int size : {128, 1024}) // a ring of 1024 ranks in nodes is too long to simulate
        for (const any& how : {any(ring{}), any(butterfly{}), any(halving_doubling{}), any(naive{})}) {
            CAPTURE(size, std::string(how.name()));
            m.nics = 0, m.oversubscription = 1, m.fan_in = {};
            const double free = price(how, size, 8);
            m.nics = 1;
            const double shared = price(how, size, 8);
            m.oversubscription = 8;
            const double narrow = price(how, size, 8);
            m.fan_in = {1, 1e-8};
            CHECK(shared >= free * 0.999);
            CHECK(narrow >= shared * 0.999);
            if (how == any(butterfly{})) CHECK(shared > 4 * free); // all 8 ranks of a node send across at once
            if (how == any(butterfly{})) CHECK(narrow > 4 * shared);
            if (how == any(naive{})) CHECK(price(how, size, 8) > 2 * narrow);
        }
}

TEST_CASE("cores and adapters that are enough for all ranks of a node change no price") {
    machine m = a_network();
    const auto price = [&](int ranks_per_node) {
        const any how = tutti::algorithm::ring{};
        return price_s({operation::allreduce, how, 1000, 1 << 20, 0, 1, true}, {1000, ranks_per_node}, m);
    };
    const double free = price(1);
    m.cores = 2, m.nics = 1, m.switch_s = m.crowded_latency_s = 1e-3;
    CHECK(price(1) == free);
    CHECK(price(1000) > 2 * free); // 500 ranks a core
}

TEST_CASE("prices do not jump where simulation ends for some") {
    for (const operation what : {operation::allreduce, operation::broadcast})
        for (const std::size_t bytes : {std::size_t{1024}, std::size_t{16} << 20}) {
            const double at_32 = cheapest(by_model(32).model()->prices(what, bytes));
            const double at_33 = cheapest(by_model(33).model()->prices(what, bytes));
            CAPTURE(std::string(name_of(what)), bytes, at_32, at_33);
            CHECK(at_33 < 1.6 * at_32); // one rank more is folded in and out: five message delays for three
            CHECK(at_33 > 0.9 * at_32);
        }
}

TEST_CASE("of many ranks the choice, which prices few candidates, is as good as if it had priced all") {
    machine m = a_network();
    m.near = loggp{3e-7, 1e-7, 0, 2e-11, 2e-11};
    for (const auto& [nics, oversubscription] : {std::pair{0, 1.}, {1, 1.01}, {2, 4.}})
        for (const topology& on :
             {topology{33}, topology{64, 8}, topology{100, 10}, topology{100, 1}, topology{90, 16}})
            for (const operation what : tutti::schedule::operations)
                for (const std::size_t bytes : {std::size_t{8}, std::size_t{28'672}, std::size_t{16} << 20}) {
                    m.nics = nics;
                    m.oversubscription = oversubscription;
                    const decisions by(on, m);
                    const auto taken = by.choose(what, bytes);
                    const double price = price_s({what, taken.how, on.size, bytes, 0, taken.segments, true}, on, m);
                    CAPTURE(nics, oversubscription, on.size, on.ranks_per_node, std::string(name_of(what)), bytes,
                            std::string(taken.how.name()), taken.segments);
                    CHECK(price <= cheapest(by.prices(what, bytes)) * 1.1);
                }
}

TEST_CASE("communicators whose ranks lie alike share what was decided, wherever they were made") {
    const topology world{64, 8}, part{16, 8};
    const decisions first(world, a_network());
    const auto of = [](const std::shared_ptr<const tuner>& a) { return &dynamic_cast<const decisions&>(*a).table(); };
    const auto child = first.on(part);
    CHECK(of(first.on(world)) == &first.table());
    CHECK(of(first.on(part)) == of(child));
    CHECK(of(child->on(world)) == &first.table());
    CHECK(of(child) != &first.table());
    for (int size = 2; size < 100; ++size) CHECK(first.on(topology{size}) != nullptr); // forgets some of them
    CHECK(of(child->on(part))->topology() == part);
    CHECK(&decisions(world, a_network()).table() != &first.table());
}

TEST_CASE("over nodes whose network is slow a model takes a hierarchical allreduce") {
    machine m = a_network();
    m.near = loggp{1e-7, 1e-7, 0, 1e-11, 1e-11};
    m.far = loggp{5e-5, 1e-6, 0, 1e-8, 1e-11};
    m.nics = 1;
    CHECK(chosen_by(by_model(8, 4, m), 1 << 20).starts_with("hierarchical"));
    CHECK_FALSE(chosen_by(by_model(8, 8, m), 1 << 20).starts_with("hierarchical"));
}

TEST_CASE("without a model, for operands in order and for symmetric memory, the rule chooses") {
    const topology on{4};
    const chooser rule(on), model = by_model(4);
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{1} << 20}) {
        const auto same = [&](const chooser& c, bool commutative, bool symmetric) {
            const auto a = c.choose(operation::allreduce, bytes, commutative, symmetric);
            return a.how == tutti::model::choose(operation::allreduce, bytes, on, commutative, symmetric).how;
        };
        CHECK(same(rule, true, false));
        CHECK(same(model, false, false));
        CHECK(same(model, true, true));
    }
    CHECK(rule.model() == nullptr);
}

TEST_CASE("the chooser of other ranks goes by the same parameters") {
    const chooser eight = by_model(8), two = eight.on(topology{2});
    CHECK(two.topology().size == 2);
    CHECK(chosen_by(two, 1 << 20) == chosen_by(by_model(2), 1 << 20));
    CHECK(chooser(topology{8}).on(topology{2}).model() == nullptr);
}

TEST_CASE("an explanation ranks all candidates by price, the chosen one first, and says by how much and why") {
    const auto e = explain(by_model(8), operation::allreduce, 1 << 20);
    REQUIRE(e.ranking.size() > 8);
    CHECK(e.ranking.front().what.how == e.chosen.how);
    CHECK(std::is_sorted(e.ranking.begin() + 1, e.ranking.end(),
                         [](const candidate_price& a, const candidate_price& b) { return a.seconds < b.seconds; }));
    CHECK(e.margin() >= -1e-6);
    const std::string text = e.text();
    CHECK(text.find("allreduce of 1048576 bytes on 8 ranks: " + std::string(e.chosen.how.name())) == 0);
    CHECK(text.find("because: the model expects the next best algorithm to take ") != std::string::npos);
    for (const candidate_price& o : e.ranking) CHECK(text.find(o.what.how.name()) != std::string::npos);
}

TEST_CASE("an explanation marks what is estimated, and saves nothing of what costs nothing") {
    const auto of = [](int ranks, double s_per_byte) {
        const machine m = tutti::model::uniform(loggp{0, 0, 0, s_per_byte, 0});
        return explain(by_model(ranks, ranks, m), operation::reduce_scatter, 1000).text();
    };
    CHECK(of(33, 0).find("nan") == std::string::npos);
    CHECK(of(32, 1e-9).find('~') == std::string::npos); // all are simulated
    CHECK(of(400, 1e-9).find('~') != std::string::npos);
}

TEST_CASE("an explanation of the rule's choice says so") {
    const auto e = explain(chooser(topology{4}), operation::broadcast, 100);
    CHECK(e.ranking.empty());
    CHECK(e.margin() == 0);
    CHECK(e.text() ==
          "broadcast of 100 bytes on 4 ranks: binomial_tree\nbecause: by rule, since few messages are sent in "
          "all, in few rounds (no machine's parameters are given; tutti fit finds them)\n");
    CHECK(explain(chooser(topology{1}), operation::broadcast, 1).text().starts_with("broadcast of 1 byte on 1 rank: "));
    const auto symmetric = explain(by_model(4), operation::allreduce, 1 << 20, true, true);
    CHECK(symmetric.reason.find("the model prices plain buffers") != std::string::npos);
}

TEST_CASE("by a model a barrier and an alltoall over nodes go by levels where that is cheapest, wherever ranks lie") {
    machine m = a_network();
    m.near = loggp{3e-7, 1e-7, 0, 2e-11, 2e-11};
    m.far = loggp{8e-6, 1e-6, 1e-6, 8e-11, 2e-11};
    const auto by = [&](const std::vector<int>& nodes) {
        const topology on =
            tutti::model::topology_of(nodes, tutti::transport::medium::memory, tutti::transport::medium::network);
        return chooser(on, std::make_shared<const decisions>(on, m));
    };
    std::vector<int> uneven, in_turn;
    for (const int node : {0, 1, 2, 3})
        for (int k = 0; k < (node == 2 ? 4 : 8); ++k) uneven.push_back(node);
    for (int r = 0; r < 16; ++r) in_turn.push_back(r % 4);
    CHECK(by(uneven).choose(operation::allreduce, 0).how.has_levels());
    CHECK(by(in_turn).choose(operation::alltoall, 16 * 64).how.has_levels());
    for (const auto& nodes : {uneven, in_turn})
        for (const operation what : {operation::allreduce, operation::alltoall, operation::allgather}) {
            const auto all = by(nodes).model()->prices(what, 1024);
            const auto chosen = by(nodes).choose(what, 1024);
            const auto own = std::find_if(all.begin(), all.end(), [&](const candidate_price& o) {
                return o.what.how == chosen.how && o.what.segments == chosen.segments;
            });
            REQUIRE(own != all.end());
            CHECK(own->seconds <= 1.1 * cheapest(all));
        }
}

TEST_CASE("messages between ranks of a node are priced as near, wherever these lie") {
    machine m = a_network();
    m.near = loggp{1e-8, 1e-9, 0, 1e-12, 0};
    const auto price = [&](const std::vector<int>& nodes) {
        const topology on =
            tutti::model::topology_of(nodes, tutti::transport::medium::memory, tutti::transport::medium::network);
        return price_s({operation::allreduce, tutti::algorithm::butterfly{}, 4, 1000, 0, 1, true}, on, m);
    };
    CHECK(price({0, 1, 0, 1}) == price({0, 0, 1, 1}));
    CHECK(price({0, 1, 0, 1}) < price({0, 1, 2, 3}));
    CHECK(price({0, 0, 1, 1}) < price({0, 1, 2, 3}));
}
