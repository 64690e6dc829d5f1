// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What the documents show of programs, so that a compiler sees it: marked there as part of this file.
#include "my_ring.hpp"

#include <tutti/collectives/asio.hpp>
#include <tutti/collectives/collectives.hpp>
#include <tutti/collectives/completion_queue.hpp>
#include <tutti/collectives/machine.hpp>
#include <tutti/collectives/model/machine_file.hpp> // needs nlohmann-json
#include <tutti/collectives/reduction/accumulator.hpp>
#include <tutti/transport/memory.hpp>
#include <tutti/transport/routed.hpp>
#include <tutti/transport/tcp.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <poll.h>

namespace excerpts {

using over_tcp = tutti::communicator<tutti::transport::tcp>;
using buffer = std::vector<float>;

struct gathering_ring : tutti::algorithm::ring {
    static constexpr auto closed_form(const auto& c) {
        return c.time((c.size - 1) * c.message(c.shard()), c.plain()); // seconds, and whether they are exact
    }
};

void reductions_and_copies(const over_tcp& world, buffer& data, buffer& in, buffer& out, double local, long count,
                           int root);
void unequal_parts(const over_tcp& world, buffer& in, buffer& out, const std::vector<int>& counts,
                   const std::vector<int>& displacements, int root);
void messages(const over_tcp& world, std::vector<double>& row, const buffer& out, buffer& in, int from, int to);
void requests(const over_tcp& world, buffer& data, void (*compute)());
void event_loop(const over_tcp& world, buffer& data, void (*compute)(), std::chrono::steady_clock::time_point later);
void on_asio(const over_tcp& world, buffer& data);
void accumulators(const over_tcp& world, const std::vector<double>& numbers);
void over_hosts(buffer& gradient);
void threads(int ranks);
void own_algorithm(const over_tcp& world, buffer& gradient);
void by_a_machine();

void reductions_and_copies(const over_tcp& world, buffer& data, buffer& in, buffer& out, double local, long count,
                           int root) {
    world.allreduce(data, tutti::sum);                // in place; allreduce(in, out, op) otherwise
    double norm = world.allreduce(local, tutti::sum); // of one value: returns the result
    world.reduce_scatter(in, out, tutti::sum);        // in has size() times as many elements as out
    world.allgather(in, out);                         // out has size() times as many elements as in
    world.reduce(in, out, root, tutti::maximum);      // out counts at the root only
    world.broadcast(data, root);                      // of one value: returns the root's
    world.gather(in, out, root);                      // out counts at the root only, and has size() times as many
    world.scatter(in, out, root);                     // in counts at the root only, and has size() times as many
    world.alltoall(in, out);                          // block r of in is for rank r, block r of out from rank r
    world.scan(data, tutti::sum);                     // the reduction of ranks 0 to rank(); in place or (in, out, op)
    auto first = world.exscan(count, tutti::sum);     // of ranks 0 to rank() - 1; of one value on rank 0: T{}
    world.barrier();

    std::vector<double> all = world.allgather(local); // of one value of each rank; gather, reduce and scatter likewise

    std::printf("%g %ld %g\n", norm, first, all.front());
}

void unequal_parts(const over_tcp& world, buffer& in, buffer& out, const std::vector<int>& counts,
                   const std::vector<int>& displacements, int root) {
    const auto &sent = counts, &received = counts;

    world.allgatherv(in, out, counts); // parts of unequal length: counts[r] elements of rank r
    world.reduce_scatterv(in, out, counts, tutti::sum);
    world.gatherv(in, out, counts, root); // counts are looked at by the root alone
    world.scatterv(in, counts, out, root);
    world.alltoallv(in, sent, out, received); // sent[r] elements to rank r, received[r] from it
    world.allgatherv(in, out, tutti::displaced{counts, displacements}); // part r begins at displacements[r]
}

void messages(const over_tcp& world, std::vector<double>& row, const buffer& out, buffer& in, int from, int to) {
    const int tag = 1;
    std::vector<double>&edge = row, ghost(row.size());
    const int below = to;
    const std::size_t height = row.size(), width = 4, c = 2;
    const std::vector<double> grid(height * width);

    world.send(row, to, tag); // a range or one element; the tag is 0 where none is given
    world.receive(row, from, tag);
    auto rows = world.receive<double>(from);          // any number of elements
    int sender = world.receive(row, tutti::any_rank); // whoever has sent; probe<T>() looks, and takes nothing
    world.sendrecv(out, to, in, from);                // both at once: all ranks of a ring may call it

    auto edges = world.group(); // starts all, then waits: no order of them can deadlock
    edges.receive(ghost, below), edges.send(edge, below);
    edges.wait();
    edges.restart(), edges.wait();                           // the same messages once more, in the same memory
    world.send(tutti::strided{&grid[c], height, width}, to); // a column of a grid; the other end may have a row

    row = rows;
    std::printf("%d\n", sender);
}

void requests(const over_tcp& world, buffer& data, void (*compute)()) {
    auto request = world.async().allreduce(data, tutti::named<"plus">([](float a, float b) { return a + b; }));
    compute(); // progress is made in calls, or by tutti::progress::by_waiters
    request.wait();

    auto plan = world.prepare().allreduce(data, tutti::sum);
    plan.run(); // again and again

    auto half = world.split(world.rank() % 2); // its calls do not wait for those of world
    world.of({0, 1}, 3).barrier();             // of a communicator that ranks 0 and 1 make alone
    half.with_deadline(std::chrono::seconds(5)).barrier();
}

void event_loop(const over_tcp& world, buffer& data, void (*compute)(), std::chrono::steady_clock::time_point later) {
    tutti::completion_queue queue(world);
    pollfd waits{world.descriptor(), POLLIN, 0}; // beside the program's own
    world.async().allreduce(data, tutti::sum).then(queue, compute);
    while (queue.size() > 0) {
        const bool more = world.step();     // for some 200 us
        if (queue.dispatch() > 0) continue; // it has called compute
        const auto left = std::min(world.next_deadline(), later) - std::chrono::steady_clock::now();
        const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
        ::poll(&waits, 1, more ? 0 : std::max(0, static_cast<int>(ms)));
    }
}

void on_asio(const over_tcp& world, buffer& data) {
    tutti::async_wait(world.async().allreduce(data, tutti::sum), [](tutti::error_code failed) {
        if (failed == tutti::cause::timeout) std::fprintf(stderr, "rank %d\n", tutti::error_of(failed)->facts().peer);
    });
}

void accumulators(const over_tcp& world, const std::vector<double>& numbers) {
    tutti::accumulator<double> total;
    total.add(numbers);                                          // a range, or one number
    const double x = world.allreduce(total, tutti::sum).value(); // rounded once, here

    std::printf("%g\n", x);
}

void over_hosts(buffer& gradient) {
    using routed = tutti::transport::routed<tutti::transport::shared_memory, tutti::transport::tcp>;
    tutti::communicator world{routed::from_environment()};
    world.allreduce(gradient, tutti::sum); // between hosts goes one vector a host, not one a rank
}

void threads(int ranks) {
    auto fabric = tutti::transport::memory_world::create(ranks);
    const auto work = [&](int rank) {
        tutti::communicator world{tutti::transport::memory{fabric, rank}};
        world.barrier();
    };

    std::vector<std::jthread> all;
    for (int rank = 0; rank < ranks; ++rank) all.emplace_back(work, rank);
}

void own_algorithm(const over_tcp& world, buffer& gradient) {
    world.allreduce(gradient, tutti::sum, my_ring{});

    static_cast<void>(tutti::algorithm::any(gathering_ring{})); // has its closed form compiled
}

void by_a_machine() {
    const auto file = tutti::model::read_machine_file("machine.json");
    tutti::communicator world{tutti::transport::tcp::from_environment(), file.transports.at("tcp")}; // rank 0's count
    std::puts(world.explain(tutti::schedule::operation::allreduce, 1 << 20).text().c_str());
}

} // namespace excerpts
