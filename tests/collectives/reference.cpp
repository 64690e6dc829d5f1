// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The examples of the API reference: what stands between two marks of a name is shown there, and runs here.
#include <collectives/collectives.hpp>

#include <collectives/algorithm/preserves_order.hpp>
#include <collectives/algorithm/prove.hpp>
#include <collectives/any_communicator.hpp>
#include <collectives/cartesian.hpp>
#include <collectives/completion_queue.hpp>
#include <collectives/machine.hpp>
#include <collectives/model/simulate.hpp>
#include <collectives/reduction/accumulator.hpp>
#include <collectives/runtime_call.hpp>
#include <collectives/schedule/draw.hpp>
#include <transport/invitation.hpp>
#include <transport/shared_memory.hpp>
#include <transport/tcp.hpp>

#include "support/catch.hpp"
#include "support/identity.hpp"
#include "support/world.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace tutti::test;

TEST_CASE("reference: reductions to all ranks") {
    run_world(4, [](communicator& world) {
        //! [allreduce]
        std::vector<float> gradient(1000, 1.0F);
        world.allreduce(gradient, tutti::sum);                               // in place: 4.0F everywhere on 4 ranks
        world.allreduce(gradient, tutti::maximum, tutti::algorithm::ring{}); // by a named algorithm
        const int largest = world.allreduce(world.rank(), tutti::maximum);   // of one value: 3
        //! [allreduce]
        expect(gradient[999] == 4 && largest == 3, "an allreduce");

        //! [reduce_scatter]
        std::vector<int> all(4 * 10, 1), part(10); // `all` has size() parts
        world.reduce_scatter(all, part, tutti::sum);
        //! [reduce_scatter]
        expect(part[9] == 4, "a reduce_scatter");

        //! [barrier]
        world.barrier();
        //! [barrier]
    });
}

TEST_CASE("reference: data that are gathered, spread and exchanged") {
    run_world(4, [](communicator& world) {
        //! [allgather]
        const std::vector<int> mine(3, world.rank());
        std::vector<int> of_all(3 * 4);
        world.allgather(mine, of_all);
        const std::vector<int> ranks = world.allgather(world.rank()); // of one value: 0, 1, 2, 3
        //! [allgather]
        expect(of_all[11] == 3 && ranks[2] == 2, "an allgather");

        //! [gather]
        std::vector<int> at_root(world.rank() == 0 ? 3 * 4 : 0); // elsewhere it may be empty
        world.gather(mine, at_root, 0);
        //! [gather]
        expect(world.rank() != 0 || at_root == of_all, "a gather");

        //! [scatter]
        std::vector<int> part(3);
        world.scatter(at_root, part, 0); // rank r gets elements [3 r, 3 r + 3) of rank 0's
        //! [scatter]
        expect(part == mine, "a scatter");

        //! [reduce]
        std::vector<int> total(3);
        world.reduce(mine, total, 0, tutti::sum); // counts on rank 0 alone
        //! [reduce]
        expect(world.rank() != 0 || total[0] == 6, "a reduce");

        //! [broadcast]
        world.broadcast(total, 0);                             // the others get rank 0's
        const int seed = world.broadcast(world.rank() + 7, 0); // of one value: 7
        //! [broadcast]
        expect(total[2] == 6 && seed == 7, "a broadcast");

        //! [alltoall]
        const std::vector<int> out(4, world.rank()); // block r is for rank r
        std::vector<int> in(4);                      // block r is from rank r: 0, 1, 2, 3
        world.alltoall(out, in);
        //! [alltoall]
        expect(in == ranks, "an alltoall");
    });
}

TEST_CASE("reference: scans") {
    run_world(4, [](communicator& world) {
        //! [scan]
        std::vector<int> counts(5, 1);
        world.scan(counts, tutti::sum);                 // rank r has r + 1 in each
        const int before = world.exscan(1, tutti::sum); // of one value: r; on rank 0 an int{}
        //! [scan]
        expect(counts[4] == world.rank() + 1 && before == world.rank(), "scans");
    });
}

TEST_CASE("reference: parts of unequal length") {
    run_world(3, [](communicator& world) {
        //! [displaced]
        const std::vector<int> counts{1, 2, 3}, displacements{0, 4, 8};
        const std::vector<int> mine(world.rank() + 1, world.rank());
        std::vector<int> packed(6), spread(11, -1);
        world.allgatherv(mine, packed, counts);                                  // 0 1 1 2 2 2
        world.allgatherv(mine, spread, tutti::displaced{counts, displacements}); // gaps keep their -1
        //! [displaced]
        expect(packed == std::vector{0, 1, 1, 2, 2, 2}, "parts in a row");
        expect(spread == std::vector{0, -1, -1, -1, 1, 1, -1, -1, 2, 2, 2}, "parts with gaps");
    });
}

TEST_CASE("reference: messages between two ranks") {
    run_world(4, [](communicator& world) {
        const int next = (world.rank() + 1) % 4, previous = (world.rank() + 3) % 4;
        //! [messages]
        std::vector<double> row(100, world.rank()), ghost(100);
        world.sendrecv(row, next, ghost, previous); // all ranks of a ring at once
        if (world.rank() == 0) world.send(row, 1, 42);
        if (world.rank() == 1) row = world.receive<double>(0, 42); // any number of elements
        //! [messages]
        expect(ghost[99] == previous && (world.rank() != 1 || row[0] == 0), "messages");

        std::vector<double> above(100), below(100);
        //! [message_group]
        auto exchange = world.group();
        exchange.receive(above, previous);
        exchange.receive(below, next);
        exchange.send(row, previous);
        exchange.send(row, next);
        exchange.wait();
        //! [message_group]
        expect(below[0] == (next == 1 ? 0 : next), "a group of messages");
    });
}

TEST_CASE("reference: calls that go on, and calls that come again") {
    run_world(4, [](communicator& world) {
        std::vector<float> gradient(1000, 1), other(1000, 1);
        const auto compute = [] {};
        //! [async]
        auto first = world.async().allreduce(gradient, tutti::sum);
        auto second = world.async().broadcast(other, 0);
        compute(); // progress is made in calls, or by progress::by_waiters
        first.wait();
        second.wait();
        //! [async]
        expect(gradient[0] == 4, "a request");

        //! [completion_queue]
        tutti::completion_queue queue(world);
        float seen = 0;
        world.async().allreduce(gradient, tutti::sum).then(queue, [&] { seen = gradient[0]; });
        world.async().broadcast(other, 0).then(queue, [&](std::exception_ptr failed) {
            if (!failed) world.barrier(); // functions may call
        });
        while (queue.run_one()) { // until the queue is empty; run() also waits for what other threads add
        }
        //! [completion_queue]
        expect(seen == 16, "a queue");
        gradient.assign(1000, 4);

        //! [prepare]
        auto plan = world.prepare().allreduce(gradient, tutti::average); // checked, chosen and planned once
        for (int step = 0; step < 3; ++step) plan.run();                 // on what `gradient` holds then
        //! [prepare]
        expect(gradient[0] == 4, "a plan");
    });
}

TEST_CASE("reference: an event loop") {
    const reserved_port at;
    run_ranks(2, [&](int rank) {
        const tutti::communicator world(tutti::transport::shared_memory(identity(rank, 2, at)));
        std::vector<float> gradient(1000, 1);
        using namespace std::chrono_literals;
        //! [step]
        pollfd waits{world.descriptor(), POLLIN, 0}; // beside the program's own
        auto request = world.async().allreduce(gradient, tutti::sum);
        while (!request.is_over()) {
            while (world.step()) {
            }
            if (request.is_over()) break;
            const auto until = std::min(world.next_deadline(), std::chrono::steady_clock::now() + 1h);
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
            ::poll(&waits, 1, std::max(0, static_cast<int>(left.count())));
        }
        request.wait(); // throws if it has failed
        //! [step]
        expect(gradient[999] == 2, "a loop");
    });
}

TEST_CASE("reference: communicators") {
    run_world(4, [](communicator& world) {
        //! [split]
        const auto half = world.split(world.rank() % 2); // ranks 0 and 2, ranks 1 and 3
        const int members = half.allreduce(1, tutti::sum);
        using namespace std::chrono_literals;
        half.with_deadline(5s).barrier(); // fails after 5 s and not after 30
        //! [split]
        expect(members == 2, "a split");

        //! [of]
        if (world.rank() != 1) { // rank 1 takes no part
            const auto three = world.of({0, 2, 3}, 7);
            three.barrier();
        }
        //! [of]

        //! [type_erased]
        const auto mean = [](const tutti::any_communicator& ranks, double x) { // no template, and compiled once
            return ranks.allreduce(x, tutti::average);
        };
        const double of_ranks = mean(tutti::type_erased(world), world.rank()); // 1.5 on 4 ranks
        //! [type_erased]
        expect(of_ranks == 1.5, "an erased communicator");

        //! [allocate]
        const auto gradient = world.allocate<float>(1000); // zeros; where ranks share a host, peers read it in place
        gradient[0] = 1;
        world.allreduce(gradient, tutti::sum);
        //! [allocate]
        expect(gradient[0] == 4, "symmetric memory");

        //! [explain]
        const auto why = world.explain(tutti::schedule::operation::allreduce, 1 << 20);
        const std::string text = why.text(); // the algorithm for 1 MiB, and the reason
        //! [explain]
        expect(text.find(why.reason) != std::string::npos, "an explanation");

        //! [record]
        auto recording = world.record(1000); // memory for 1000 steps
        world.barrier();
        for (const auto& step : recording.stop().activities)
            expect(step.begin_s <= step.end_s, "seconds since the recording began");
        //! [record]
    });
}

TEST_CASE("reference: operators") {
    run_world(4, [](communicator& world) {
        //! [operators]
        const auto saturating = [](int a, int b) { return a > 100 - b ? 100 : a + b; };
        const int capped = world.allreduce(40, saturating);                                // a functor of your own: 100
        const int again = world.allreduce(40, tutti::named<"saturating sum">(saturating)); // ranks compare its name
        //! [operators]
        expect(capped == 100 && again == 100, "own operators");

        //! [non_commutative]
        struct affine {
            double slope, offset; // x -> slope x + offset
        };
        const auto compose = [](affine f, affine g) {
            return affine{g.slope * f.slope, g.slope * f.offset + g.offset};
        };
        const affine mine{2, static_cast<double>(world.rank())};
        const affine all = world.allreduce(mine, tutti::non_commutative(compose)); // rank 0's first
        //! [non_commutative]
        expect(all.slope == 16 && all.offset == 11, "operands in rank order");

        //! [premultiplied]
        const float weight = world.rank() == 0 ? 0.5F : 0.25F; // each rank its own
        std::vector<float> data(10, 4.0F);
        world.allreduce(data, tutti::premultiplied_sum(weight)); // 2 + 1 + 1 + 1
        //! [premultiplied]
        expect(data[9] == 5, "a premultiplied sum");

        //! [located]
        const tutti::located<double> error{world.rank() == 2 ? 0.5 : 0.1, world.rank()};
        const auto worst = world.allreduce(error, tutti::maximum_location); // 0.5, of rank 2
        //! [located]
        expect(worst.index == 2, "a location");

        //! [accumulator]
        const std::vector<double> numbers{0.1, 0.2, 0.3};
        tutti::accumulator<double> total;
        total.add(numbers);
        const double sum = world.allreduce(total, tutti::sum).value(); // the same bits on any number of ranks
        //! [accumulator]
        expect(sum == 2.4, "the sum, rounded once");

        //! [runtime_call]
        std::vector<std::int32_t> values(100, 1);
        tutti::issue(world, {.what = tutti::schedule::operation::allreduce,
                             .type = tutti::element_type::int32,
                             .op = tutti::operator_type::sum,
                             .count = values.size(),
                             .input = values.data(),
                             .output = values.data()});
        //! [runtime_call]
        expect(values[99] == 4, "a call at run time");

        //! [strided]
        std::vector<double> grid(10 * 4, world.rank()); // 10 rows, 4 columns
        const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
        world.sendrecv(tutti::strided{&grid[2], 10, 4}, right, tutti::strided{&grid[0], 10, 4}, left);
        //! [strided]
        expect(grid[36] == left, "a column");

        //! [cartesian]
        const tutti::cartesian ranks(tutti::dims_create(world.size(), 2), {true, true});
        const int above = *ranks.shift(world.rank(), 0, -1), below = *ranks.shift(world.rank(), 0, 1);
        auto halo = world.group();
        halo.receive(std::span(grid).first(4), above);
        halo.send(std::span(grid).last(4), below);
        halo.wait();
        for (int step = 0; step < 10; ++step) {
            halo.restart(); // the same messages again
            halo.wait();
        }
        //! [cartesian]

        //! [runtime_range]
        const tutti::runtime_range message{values.data(), values.size(), tutti::element_type::int32};
        if (world.rank() == 0) world.send(message, 1);
        if (world.rank() == 1) world.receive(message, 0);
        //! [runtime_range]
    });
}

TEST_CASE("reference: joining without a launcher") {
    const std::string this_host = "127.0.0.1";
    const int rank = 0, size = 1;
    const auto carried = [](const std::string& text) { return text; };
    //! [invitation]
    const auto mine = tutti::invitation::create(this_host); // in the process that will be rank 0
    const std::string text = carried(mine.text());          // to all others, by whatever you have
    const tutti::communicator world{tutti::transport::tcp{tutti::invitation{text}.as(rank, size)}};
    //! [invitation]
    CHECK(world.size() == 1);

    std::map<std::string, std::string> database;
    //! [join_through]
    const tutti::key_value_exchange store{
        [&](const std::string& key, const std::string& value) { database[key] = value; },
        [&](const std::string& key, auto) { return database.at(key); }}; // waits for it until a time
    auto me = tutti::join_through(store, "group 3", rank, size);
    me.group = "tp3"; // told in errors, as the next
    me.global_rank = 6;
    const tutti::communicator group{tutti::transport::tcp{std::move(me)}};
    //! [join_through]
    CHECK(group.size() == 1);
}

TEST_CASE("reference: errors") {
    run_world(2, [](communicator& world) {
        std::string told;
        //! [error]
        std::vector<float> in(10), out(11);
        try {
            world.allreduce(in, out, tutti::sum);
        } catch (const tutti::error& e) {
            if (e.why() != tutti::cause::invalid_argument) throw; // else nothing has changed
            told = e.what();
        }
        //! [error]
        expect(told.starts_with("tutti: invalid argument in allreduce"), told);
    });
}

TEST_CASE("reference: schedules without a communicator") {
    //! [prove]
    const auto verdict = tutti::algorithm::prove(tutti::algorithm::ring{}, {.ranks = {1, 8}});
    const std::string result = verdict.message(); // "proven", or the flaw with its rank and step
    //! [prove]
    CHECK(result.starts_with("proven"));

    //! [draw]
    const auto program =
        tutti::algorithm::any(tutti::algorithm::ring{}).write(tutti::schedule::operation::allreduce, 8);
    const auto rounds = tutti::schedule::draw::timeline_of(program);
    const std::string svg = tutti::schedule::draw::space_time_svg(rounds, "ring of 8 ranks"); // time downwards
    //! [draw]
    CHECK(svg.find("<svg") != std::string::npos);

    //! [simulate]
    const tutti::model::loggp wire{.latency_s = 5e-6, .overhead_s = 1e-6, .gap_s_per_byte = 0.1e-9};
    const tutti::model::collective call{.how = tutti::algorithm::ring{}, .size = 64, .bytes = 1 << 20};
    const double seconds = tutti::model::simulate(call, tutti::model::uniform(wire)).finish_s;
    //! [simulate]
    CHECK(seconds > 0);
}
