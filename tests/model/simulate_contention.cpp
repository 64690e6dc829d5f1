// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "simulated.hpp"

#include <collectives/model/candidates.hpp>
#include <collectives/model/counts.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace tutti::algorithm;
using tutti::model::collective;
using tutti::model::loggp;
using tutti::model::machine;
using tutti::model::receiver_rule;
using tutti::model::simulate;
using tutti::model::simulation_settings;
using tutti::schedule::operation;
using tutti::test::allreduce_of;
using tutti::test::near_to;

namespace {

constexpr double nanosecond = 1e-9;

/// What no schedule can be faster than: what the network, the adapters and the cores of all nodes can do, where all
/// links cost the same and all nodes are full. The first byte of a message is free.
double bound_s(const machine& m, const collective& c, int ranks_per_node) {
    const tutti::model::counts of = tutti::model::count(c, ranks_per_node);
    const int nodes = c.size / ranks_per_node,
              adapters = m.nics > 0 ? std::min(m.nics, ranks_per_node) : ranks_per_node;
    const double messages = static_cast<double>(of.messages), far = static_cast<double>(of.levels->far) - messages,
                 of_node = static_cast<double>(of.levels->node_sent_max) - messages;
    const loggp& cost = m.far.at(1);
    const double by_network = far * m.oversubscription / (adapters * nodes), by_adapters = of_node / adapters,
                 by_cores = m.cores > 0 && m.cores < ranks_per_node ? 2 * messages / (m.cores * nodes) : 0;
    return std::max(std::max(by_network, by_adapters) * cost.gap_s_per_byte, by_cores * cost.overhead_s);
}

/// Nanoseconds. Each simulation is held against what is possible.
double finish_on(const machine& m, const collective& c, int ranks_per_node, const simulation_settings& s = {}) {
    const double finish_s = simulate(c, m, ranks_per_node, s).finish_s;
    if (c.size % ranks_per_node == 0) CHECK(finish_s >= bound_s(m, c, ranks_per_node) * (1 - 1e-12));
    return finish_s / nanosecond;
}

collective broadcast_by_root(int size, std::size_t bytes) {
    return {operation::broadcast, naive{}, size, bytes, 0, 1, true};
}

/// Nothing but o, so that all that counts is whose processor is busy.
machine busy_processors(double overhead_s) { return tutti::model::uniform(loggp{0, overhead_s}); }
/// Nothing but G, so that all that counts is what a port carries.
machine narrow_ports(double per_byte_s) { return tutti::model::uniform(loggp{0, 0, 0, per_byte_s}); }

} // namespace

TEST_CASE("where there is enough of all that is shared, contention changes nothing") {
    const loggp cost{700 * nanosecond, 90 * nanosecond,  130 * nanosecond,
                     0.7 * nanosecond, 0.2 * nanosecond, 0.1 * nanosecond};
    for (const receiver_rule rule : {receiver_rule::serial, receiver_rule::full_duplex})
        for (int size = 2; size <= 9; ++size)
            for (const any& how : all(tutti::schedule::operation::allreduce, 1))
                for (const std::size_t bytes : {1, 1000, 54'321}) {
                    const collective c = allreduce_of(how, size, bytes);
                    machine m = tutti::model::uniform(cost);
                    simulation_settings s;
                    s.receiver = rule;
                    const double alone = finish_on(m, c, 1, s);
                    m.fan_in = {size, nanosecond}; // one sender too few: what is shared is looked at, and costs nothing
                    CHECK(near_to(finish_on(m, c, 1, s), alone));
                    CHECK(near_to(finish_on(m, c, size, s), alone));
                    m.cores = m.nics = 1;
                    CAPTURE(std::string(how.name()), size, bytes, rule == receiver_rule::serial);
                    CHECK(near_to(finish_on(m, c, 1, s), alone));
                    m.nics = 0;
                    m.cores = size;
                    CHECK(near_to(finish_on(m, c, size, s), alone));
                }
}

TEST_CASE("ranks that share a core work one after the other") {
    // The root sends 3 times, each of 3 ranks receives once: 6 times 100 ns of work.
    machine m = busy_processors(100 * nanosecond);
    const collective c = broadcast_by_root(4, 8);
    CHECK(near_to(finish_on(m, c, 4), 400)); // the last message is sent at 300
    m.cores = 1;
    CHECK(near_to(finish_on(m, c, 4), 600));
    m.cores = 2;
    CHECK(near_to(finish_on(m, c, 4), 400));
    m.cores = 1;
    CHECK(near_to(finish_on(m, c, 2), 400)); // the other node's ranks have their own
}

TEST_CASE("a core that changes ranks is lost for a while, and one that keeps its rank is not") {
    machine m = busy_processors(100 * nanosecond);
    m.cores = 1;
    m.switch_s = 7 * nanosecond;
    // The root's sends follow each other; then come three ranks. The first to work also takes its core over.
    CHECK(near_to(finish_on(m, broadcast_by_root(4, 8), 4), 600 + 4 * 7));
}

TEST_CASE("messages take longer to ranks that share cores, and only to those") {
    machine m = busy_processors(100 * nanosecond);
    m.crowded_latency_s = 50 * nanosecond;
    m.cores = 2;
    CHECK(near_to(finish_on(m, broadcast_by_root(2, 8), 2), 200));
    CHECK(near_to(finish_on(m, broadcast_by_root(3, 8), 3), 350)); // sent at 0 and 100, noticed 50 later
}

TEST_CASE("ranks of a node that share an adapter send to other nodes one after the other") {
    machine m = narrow_ports(1 * nanosecond);
    const collective c{operation::allgather, ring{}, 2, 2002, 0, 1, true};
    CHECK(near_to(finish_on(m, c, 1), 1000));
    const collective pairs{operation::allreduce, hierarchical<ring, ring>{2}, 4, 4004, 0, 1, true};
    const double own = finish_on(m, pairs, 2);
    m.nics = 2;
    CHECK(near_to(finish_on(m, pairs, 2), own));
    m.nics = 1;
    const double shared = finish_on(m, pairs, 2);
    // Between nodes each rank's 2002 bytes go by a ring of two, in two messages of 1001. With one adapter for both
    // ranks, it carries four.
    CHECK(shared > own + 1990);
    CHECK(shared < own + 2010);
}

TEST_CASE("an oversubscribed network carries so much less") {
    machine m = narrow_ports(1 * nanosecond);
    const collective c{operation::allgather, ring{}, 8, 8 * 1001, 0, 1, true};
    // In each of 7 rounds 8 ranks send 1000 bytes behind the first one, and the network carries what two of them send.
    const double full = finish_on(m, c, 1);
    CHECK(near_to(full, 7 * 1000));
    m.oversubscription = 4;
    CHECK(near_to(finish_on(m, c, 1), 7 * 4000));
    CHECK(near_to(finish_on(m, c, 8), full)); // within a node nothing is oversubscribed
}

TEST_CASE("a message cannot be there before a slow network has carried it, the last one too") {
    // Two nodes with an adapter each, a quarter of whose speed is half of one of them: 16 MiB take twice as long.
    machine m = tutti::model::uniform(loggp{5e-6, 0, 0, 0.3 * nanosecond});
    const collective c{operation::broadcast, naive{}, 2, std::size_t{16} << 20, 0, 1, true};
    for (const receiver_rule rule : {receiver_rule::serial, receiver_rule::full_duplex})
        for (const double x : {1., 1.5, 2., 3., 4., 16.}) {
            CAPTURE(x, rule == receiver_rule::serial);
            m.oversubscription = x;
            simulation_settings s;
            s.receiver = rule;
            const double sent = ((16 << 20) - 1) * 0.3; // the network carries it as fast as its adapter, or slower
            CHECK(near_to(finish_on(m, c, 1, s), 5000 + sent * std::max(1., x / 2)));
        }
}

TEST_CASE("on a slow network all takes as long as the flows do, without a jump, and never less where it is slower") {
    // 8 nodes of 8 ranks, an adapter each, 16 MiB. What crosses, by adapter, in MiB:
    // ring: 126 rounds of 16/64, by one rank of each node, which its neighbour takes from the same node meanwhile;
    // halving and doubling: 8 ranks, to nodes at a distance of 4, 2 and 1, each 8 + 4 + 2, there and back; within a
    // node 1 + 1/2 + 1/4, there and back, at once; hierarchical: 8 ranks, each of its 2 by a ring of 8, in 14 rounds;
    // within a node 14 rounds of 2 before and after.
    struct expected {
        any how;
        double far, near;
    };
    const double mib = 1024 * 1024 * 0.3 / 1e6; // ms
    const std::vector<expected> all{{ring{}, 126. / 4 * mib, 0},
                                    {halving_doubling{}, 2 * 8 * 14 * mib, 2 * 1.75 * mib},
                                    {hierarchical<ring, ring>{8}, 8 * 14 * 2. / 8 * mib, 14 * 2 * mib}};
    machine m = tutti::model::uniform(loggp{5e-6, 1e-6, 2e-6, 0.3 * nanosecond});
    m.nics = 1;
    for (const receiver_rule rule : {receiver_rule::serial, receiver_rule::full_duplex})
        for (const auto& [how, far, near] : all) {
            simulation_settings s;
            s.receiver = rule;
            m.oversubscription = 1;
            const collective c = allreduce_of(how, 64, std::size_t{16} << 20);
            double before = finish_on(m, c, 8, s) / 1e6;
            for (const double x : {1., 1.0001, 1.01, 1.5, 2., 3., 4., 8., 16.}) {
                m.oversubscription = x;
                const double took = finish_on(m, c, 8, s) / 1e6;
                CAPTURE(std::string(how.name()), x, rule == receiver_rule::serial, took, before);
                CHECK(took == Approx(far * x + near).epsilon(x < 1.1 ? 0.1 : 0.05)); // 126 times 8 us are among them
                CHECK(took >= before);
                if (x == 1.0001) CHECK(took < before * 1.001);
                before = took;
            }
        }
}

TEST_CASE("a root takes in what comes by its own port, however few adapters its node has") {
    machine m = tutti::model::uniform(loggp{5e-6, 1e-6, 2e-6, 0.3 * nanosecond});
    const collective c{operation::gather, naive{}, 16, std::size_t{4} << 20};
    const double port = 15 * (262'144 - 1) * 0.3; // messages of a sixteenth, one after the other
    double before = 0;
    for (const int adapters : {4, 3, 2, 1}) { // of nodes of four
        m.nics = adapters;
        const double took = finish_on(m, c, 4);
        CAPTURE(adapters, took, before);
        CHECK(took == Approx(port).epsilon(0.01)); // 7 us more
        CHECK(took >= before * (1 - 1e-12));
        before = took;
    }
}

TEST_CASE("many messages under way from one sender are those of one") {
    const machine without = tutti::model::uniform(loggp{5000 * nanosecond, 1000 * nanosecond, 0, 0.3 * nanosecond});
    machine with = without;
    with.fan_in = {1, 1 * nanosecond};
    for (const int segments : {1, 2, 8, 16}) {
        const collective tree{operation::broadcast, double_binary_tree{}, 2, 262'144, 0, segments, true};
        const collective line{operation::scan, chain{}, 3, 262'144, 0, segments, true};
        CHECK(near_to(finish_on(with, tree, 1), finish_on(without, tree, 1)));
        CHECK(near_to(finish_on(with, line, 1), finish_on(without, line, 1)));
    }
    CHECK(near_to(finish_on(with, allreduce_of(ring{}, 8, 8192), 1),
                  finish_on(without, allreduce_of(ring{}, 8, 8192), 1)));
    // Two send to rank 0 at once.
    const collective both = allreduce_of(naive{}, 3, 262'144);
    CHECK(finish_on(with, both, 1) > finish_on(without, both, 1));
}

TEST_CASE("many senders to one rank cost more beyond the threshold, by each byte") {
    machine m = busy_processors(100 * nanosecond);
    const collective c{operation::reduce, naive{}, 5, 1000};
    const double none = finish_on(m, c, 5);
    m.fan_in = {4, 1 * nanosecond};
    CHECK(near_to(finish_on(m, c, 5), none)); // 4 senders
    m.fan_in.threshold = 2;
    CHECK(near_to(finish_on(m, c, 5), none + 2000 + 1000)); // with 4, with 3, and then with 2 and 1 on their way
}

TEST_CASE("stragglers are late by chance: by the seed alone, never early, and about as much as asked for") {
    const machine m = busy_processors(100 * nanosecond);
    const collective c = broadcast_by_root(200, 8);
    simulation_settings s;
    const double none = finish_on(m, c, 200, s);
    s.straggling = 0.5;
    const double once = finish_on(m, c, 200, s);
    CHECK(finish_on(m, c, 200, s) == once);
    s.seed = 2;
    const double again = finish_on(m, c, 200, s);
    CHECK(again != once);
    for (const double late : {once, again}) {
        CHECK(late > none * 1.35);
        CHECK(late < none * 1.65);
    }
}

TEST_CASE("ranks that stand for all cannot share cores") {
    simulation_settings s;
    s.symmetric_beyond = 1;
    machine m = busy_processors(100 * nanosecond);
    const collective c = allreduce_of(ring{}, 8, 800);
    CHECK(simulate(c, m, 8, s).by_symmetry);
    m.cores = 2;
    CHECK_THROWS_AS(simulate(c, m, 8, s), tutti::error);
}

TEST_CASE("ranks that stand for all may have cores, adapters and a network that are enough for them") {
    simulation_settings s;
    s.symmetric_beyond = 1;
    machine m = busy_processors(100 * nanosecond);
    const collective c = allreduce_of(ring{}, 8, 800);
    const double alone = simulate(c, m, 1, s).finish_s, together = simulate(c, m, 8, s).finish_s;
    m.cores = m.nics = 1;
    CHECK(simulate(c, m, 1, s).by_symmetry);
    CHECK(simulate(c, m, 1, s).finish_s == alone);
    m.oversubscription = 4;
    CHECK_THROWS_AS(simulate(c, m, 1, s), tutti::error);
    m.cores = 8;
    CHECK(simulate(c, m, 8, s).by_symmetry); // on one node nothing goes over the network
    CHECK(simulate(c, m, 8, s).finish_s == together);
}
