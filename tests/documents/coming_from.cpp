// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Every call of tutti that docs/coming-from.md names, so that a compiler sees it.
#include <tutti/collectives/algorithm/preserves_order.hpp>
#include <tutti/collectives/asio.hpp>
#include <tutti/collectives/cartesian.hpp>
#include <tutti/collectives/collectives.hpp>
#include <tutti/collectives/completion_queue.hpp>
#include <tutti/transport/invitation.hpp>
#include <tutti/transport/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace coming_from {

using tcp = tutti::transport::tcp;
using over_tcp = tutti::communicator<tcp>;
using buffer = std::vector<float>;

void worlds();
void invited(const std::string& text, int rank, int size);
void collectives(const over_tcp& world, buffer& x, buffer& in, buffer& out, int root);
void single_values(const over_tcp& world, double mine, int root);
void parts(const over_tcp& world, const buffer& in, buffer& out, const std::vector<int>& counts, int root);
void requests(const over_tcp& world, buffer& x);
void on_asio(const over_tcp& world, buffer& x, boost::asio::io_context& context);
void messages(const over_tcp& world, buffer& in, const buffer& out, int to, int from, int tag);
void operators(const over_tcp& world, buffer& x, double mine, float factor);
void communicators(const over_tcp& world, buffer& x);

void worlds() {
    tutti::communicator world{tcp::from_environment()};
    tutti::communicator threads{tcp::from_environment(), tutti::progress::by_waiters};
    std::printf("%d %d %d\n", world.rank(), world.size(), threads.size());
}

void invited(const std::string& text, int rank, int size) {
    if (rank == 0) std::puts(tutti::invitation::create().text().c_str());
    tutti::communicator world{tcp{tutti::invitation{text}.as(rank, size)}};
    world.barrier();
    const tutti::key_value_exchange store{[](const std::string&, const std::string&) {},
                                          [&](const std::string&, auto) { return text; }};
    tutti::communicator over{tcp{tutti::join_through(store, "name", rank, size)}};
    over.barrier();
}

void collectives(const over_tcp& world, buffer& x, buffer& in, buffer& out, int root) {
    float* const pointer = x.data();
    const std::size_t count = x.size();
    world.allreduce(x, tutti::sum);
    world.allreduce(in, out, tutti::sum);
    world.allreduce(std::span(pointer, count), tutti::sum);
    world.allreduce(x, tutti::average);
    world.allreduce(x, tutti::sum, tutti::algorithm::ring{});
    world.reduce(in, out, root, tutti::sum);
    world.broadcast(x, root);
    world.gather(in, out, root);
    world.scatter(in, out, root);
    world.allgather(in, out);
    world.alltoall(in, out);
    world.reduce_scatter(in, out, tutti::sum);
    world.scan(in, out, tutti::sum);
    world.exscan(in, out, tutti::sum);
    world.barrier();
}

void single_values(const over_tcp& world, double mine, int root) {
    double total = world.allreduce(mine, tutti::sum);
    double same = world.broadcast(mine, root);
    std::vector<double> all = world.allgather(mine);
    std::vector<double> at_root = world.gather(mine, root);
    std::printf("%g %g %zu %zu\n", total, same, all.size(), at_root.size());
}

void parts(const over_tcp& world, const buffer& in, buffer& out, const std::vector<int>& counts, int root) {
    const auto &displacements = counts, &sent = counts, &received = counts;
    world.allgatherv(in, out, counts);
    world.allgatherv(in, out, tutti::displaced{counts, displacements});
    world.gatherv(in, out, counts, root);
    world.scatterv(in, counts, out, root);
    world.reduce_scatterv(in, out, counts, tutti::sum);
    world.alltoallv(in, sent, out, received);
}

void requests(const over_tcp& world, buffer& x) {
    auto request = world.async().allreduce(x, tutti::sum);
    const std::chrono::milliseconds time{10};
    if (!request.test() && !request.wait_for(time)) request.wait();
    request.cancel();

    tutti::completion_queue queue(world);
    const auto f = [] {};
    request = world.async().allreduce(x, tutti::sum);
    std::move(request).then(queue, f);
    world.step();
    std::printf("%d %d\n", world.descriptor(), world.next_deadline() < std::chrono::steady_clock::now());

    std::vector<tutti::request<tcp>> requests;
    requests.push_back(world.async().allreduce(x, tutti::sum));
    const std::size_t one = tutti::wait_any(requests);
    tutti::wait_all(requests);

    auto plan = world.prepare().allreduce(x, tutti::sum);
    plan.run();
    auto started = plan.start();
    started.wait();
    std::printf("%zu\n", one);
}

void on_asio(const over_tcp& world, buffer& x, boost::asio::io_context& context) {
    tutti::run_on(context, world);
    const auto token = [](tutti::error_code failed, auto&&...) {
        if (failed == tutti::cause::lost_peer) std::printf("%s\n", tutti::error_of(failed)->what());
    };
    tutti::async_wait(world.async().allreduce(x, tutti::sum), token);
    tutti::async_receive<float>(world, tutti::any_rank, token);
}

void messages(const over_tcp& world, buffer& in, const buffer& out, int to, int from, int tag) {
    world.send(out, to, tag);
    world.receive(in, from, tag);
    world.sendrecv(out, to, in, from);
    auto sending = world.async().send(out, to);
    auto receiving = world.async().receive(in, from);
    auto any_length = world.receive<float>(from);
    int sender = world.receive(in, tutti::any_rank, tag);
    auto there = world.probe<float>(tutti::any_rank);
    from = sender + there.source;

    auto group = world.group();
    group.send(out, to);
    group.receive(in, from);
    group.wait();
    group.restart();
    group.wait();
    const std::size_t count = 3, stride = 4, block = 2;
    world.send(tutti::strided{&in[0], count, stride, block}, to);
    tutti::cartesian grid(tutti::dims_create(world.size(), 2));
    auto right = grid.shift(world.rank(), 1, 1);
    from += right.value_or(0);
    sending.wait();
    receiving.wait();
    in = any_length;
}

void operators(const over_tcp& world, buffer& x, double mine, float factor) {
    const auto f = [](float a, float b) { return a * b; };
    world.allreduce(x, tutti::named<"plus">([](float a, float b) { return a + b; }));
    world.allreduce(x, std::plus<>{});
    world.allreduce(x, tutti::non_commutative(f));
    world.allreduce(x, tutti::premultiplied_sum(factor));
    auto least = world.allreduce(tutti::located<double>{mine, world.rank()}, tutti::minimum_location);
    std::printf("%g\n", least.value);
}

void communicators(const over_tcp& world, buffer& x) {
    const std::vector<int> ranks{0, 1};
    const int tag = 1;
    auto group = world.of(ranks, tag);
    group.barrier();
    const int color = world.rank() % 2, key = 0;
    auto part = world.split(color, key);
    auto other = world.duplicate();
    auto memory = world.allocate<float>(x.size());
    try {
        world.with_deadline(std::chrono::seconds(5)).allreduce(x, tutti::sum);
        part.barrier();
        other.allreduce(memory, tutti::sum);
    } catch (const tutti::error& e) {
        std::puts(e.what());
        world.abort("why");
    }
    std::puts(world.way_to(0).c_str());
    std::puts(world.explain(tutti::schedule::operation::allreduce, 1 << 20).text().c_str());
}

} // namespace coming_from
