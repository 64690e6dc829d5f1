// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/runtime_call.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <cstring>
#include <vector>

namespace tutti::test::by_values {
namespace {

using schedule::operation;

constexpr std::size_t part = 67;

template <class T>
std::vector<T> data_of(int rank, std::size_t count) {
    std::vector<T> data(count);
    for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<T>(static_cast<float>((i * 7 + 3 * rank) % 5));
    return data;
}

/// What a typed call leaves in the output.
template <class T, class Op>
std::vector<T> typed(const communicator& world, operation what, const std::vector<T>& in, std::size_t count,
                     const Op& op) {
    std::vector<T> out(count, T(1));
    switch (what) {
    case operation::allreduce: world.allreduce(in, out, op); break;
    case operation::reduce_scatter: world.reduce_scatter(in, out, op); break;
    case operation::allgather: world.allgather(in, out); break;
    case operation::reduce: world.reduce(in, out, 1, op); break;
    case operation::broadcast:
        if (world.rank() == 1) out = in;
        world.broadcast(out, 1);
        break;
    case operation::gather: world.gather(in, out, 1); break;
    case operation::scatter: world.scatter(in, out, 1); break;
    case operation::alltoall: world.alltoall(in, out); break;
    case operation::scan:
        if constexpr (!has_finisher<Op, T>) world.scan(in, out, op);
        break;
    case operation::exscan:
        if constexpr (!has_finisher<Op, T>) world.exscan(in, out, op);
    }
    return out;
}

/// Rank 0 makes a typed call that the others' runtime calls must match; then all make the same by values.
template <class T, class Op>
void compare(const communicator& world, runtime_call c, const Op& op) {
    const auto ranks = static_cast<std::size_t>(world.size());
    const auto in = data_of<T>(world.rank(), has_shards(c.what) && !gathers(c.what) ? part * ranks : part);
    const std::size_t count = gathers(c.what) || c.what == operation::alltoall ? part * ranks : part;
    std::vector<T> out(count, T(1));
    if (c.what == operation::broadcast && world.rank() == 1) out = in;
    c.count = part;
    c.input = in.data();
    c.output = out.data();
    c.root = 1; // ignored where the operation has none
    if (world.rank() == 0)
        out = typed(world, c.what, in, count, op);
    else
        issue(world, c);
    const auto wanted = typed(world, c.what, in, count, op);
    expect(std::memcmp(out.data(), wanted.data(), count * sizeof(T)) == 0,
           engine::in_words({c.what, algorithm::ring{}}));
}

template <class T, class Op>
void compare_all(const communicator& world, element_type t, operator_type o, const Op& op) {
    expect(reduces(o, t) == operator_on<Op, T>, "which operator reduces which type");
    if constexpr (operator_on<Op, T>)
        for (const operation what : schedule::operations)
            if (!is_scan(what) || !has_finisher<Op, T>) compare<T>(world, {what, t, o}, op);
}

runtime_call sum_of(std::vector<float>& data) {
    return {operation::allreduce, element_type::float32, operator_type::sum, data.size(), data.data(), data.data()};
}

} // namespace

TEST_CASE("a call by values matches and equals the typed one, for every operation, type and operator") {
    run_world(3, [](communicator& world) {
        for (std::size_t i = 0; i < element_type_names.size(); ++i) {
            const auto t = static_cast<element_type>(i);
            visit_type(t, [&]<class T>(std::type_identity<T>) {
                expect(type_name<T>() == name_of(t) && sizeof(T) == size_of(t), "names and sizes");
                compare_all<T>(world, t, operator_type::sum, sum);
                compare_all<T>(world, t, operator_type::product, product);
                compare_all<T>(world, t, operator_type::minimum, minimum);
                compare_all<T>(world, t, operator_type::maximum, maximum);
                compare_all<T>(world, t, operator_type::average, average);
                compare_all<T>(world, t, operator_type::bitwise_and, bitwise_and);
                compare_all<T>(world, t, operator_type::bitwise_or, bitwise_or);
                compare_all<T>(world, t, operator_type::bitwise_xor, bitwise_xor);
                compare_all<T>(world, t, operator_type::logical_and, logical_and);
                compare_all<T>(world, t, operator_type::logical_or, logical_or);
                compare_all<T>(world, t, operator_type::logical_xor, logical_xor);
            });
        }
    });
}

TEST_CASE("a call by values is started, prepared, and given an algorithm") {
    run_world(4, [](communicator& world) {
        std::vector<float> a(100, 1), b(100, 1);
        auto of_a = sum_of(a), of_b = sum_of(b);
        of_b.how = algorithm::ring{};
        auto plan = issue(world.prepare(), of_b);
        auto request = issue(world.async(), of_a);
        plan.run();
        plan.run();
        request.wait();
        expect(a[99] == 4 && b[99] == 16, "the sums");
    });
}

TEST_CASE("a call by values in place: the part of this rank in the whole") {
    run_world(3, [](communicator& world) {
        const auto rank = static_cast<std::size_t>(world.rank());
        std::vector<std::int32_t> whole(30, 0);
        for (std::size_t i = 0; i < 10; ++i) whole[10 * rank + i] = static_cast<std::int32_t>(rank);
        runtime_call c{operation::allgather, element_type::int32, operator_type::sum, 10,
                       &whole[10 * rank],    whole.data()};
        issue(world, c);
        expect(whole[0] == 0 && whole[15] == 1 && whole[29] == 2, "gathered");
        c.what = operation::reduce_scatter;
        c.input = whole.data();
        c.output = &whole[10 * rank];
        issue(world, c);
        expect(whole[10 * rank] == 3 * static_cast<std::int32_t>(rank), "reduced");
    });
}

TEST_CASE("a wrong call by values is refused in words, and changes nothing") {
    run_world(2, [](communicator& world) {
        std::vector<float> data(10, 1);
        const auto refused = [&](runtime_call c, std::string_view why) {
            try {
                issue(world, c);
            } catch (const error& e) {
                return e.why() == cause::invalid_argument &&
                       std::string_view(e.what()).find(why) != std::string_view::npos;
            }
            return false;
        };
        const auto good = sum_of(data);
        auto c = good;
        c.op = operator_type::bitwise_and;
        expect(refused(c, "bitwise_and does not reduce float32"), "type and operator");
        c = good;
        c.type = element_type::int32;
        c.op = operator_type::average;
        expect(refused(c, "average does not reduce int32"), "type and operator");
        c = good;
        c.what = operation::allgather;
        c.count = ~std::size_t{0} / 6;
        expect(refused(c, "more than memory can hold"), "size");
        c = good;
        c.input = nullptr;
        expect(refused(c, "the range is null"), "null");
        c = good;
        c.input = reinterpret_cast<const std::byte*>(data.data()) + 1;
        expect(refused(c, "the range is misaligned"), "alignment");
        c = good;
        c.input = data.data() + 1;
        c.count = 9;
        expect(refused(c, "overlap"), "overlap");
        c = good;
        c.what = operation::reduce;
        c.root = 2;
        expect(refused(c, "there is no root 2"), "root");
        c = good;
        c.what = operation::reduce_scatter;
        c.count = 5;
        c.output = data.data() + 5 * world.rank();
        c.how = algorithm::butterfly{};
        expect(refused(c, "has no schedule for it"), "algorithm");
        for (const operation o : {operation::scan, operation::exscan}) {
            c = good;
            c.what = o;
            c.op = operator_type::average;
            expect(refused(c, "no average"), "ranks of a scan have different numbers of operands");
        }
        issue(world, good);
        expect(data[9] == 2, "the communicator goes on");
    });
}

TEST_CASE("a call by values takes counts of unequal parts, and matches the typed one") {
    run_world(3, [](communicator& world) {
        const auto rank = static_cast<std::size_t>(world.rank());
        const std::vector<std::size_t> counts{2, 0, 5};
        std::vector<float> mine(counts[rank], static_cast<float>(rank)), whole(7), wanted(7);
        runtime_call c{operation::allgather, element_type::float32};
        c.count = mine.size();
        c.input = mine.data();
        c.output = whole.data();
        c.counts = {counts, {}};
        world.allgatherv(mine, wanted, counts);
        if (rank == 0)
            world.allgatherv(mine, whole, counts);
        else
            issue(world, c);
        expect(whole == wanted && wanted == std::vector<float>{0, 0, 2, 2, 2, 2, 2}, "allgatherv");

        whole.assign(7, -1);
        c.what = operation::gather;
        c.root = 1;
        if (rank != 1) c.counts = runtime_counts{};
        issue(world, c);
        expect(rank != 1 || whole == wanted, "gatherv");

        const std::vector<std::size_t> sent{rank, rank, rank}, received{0, 1, 2};
        std::vector<float> in(3 * rank, static_cast<float>(rank)), out(3);
        c = {operation::alltoall, element_type::float32};
        c.input = in.data();
        c.output = out.data();
        c.counts = {sent, received};
        issue(world, c);
        expect(out == std::vector<float>{1, 2, 2}, "alltoallv");

        c.what = operation::broadcast;
        expect(fault_of([&] { issue(world, c); }).why == cause::invalid_argument, "a broadcast has no parts");
    });
}

} // namespace tutti::test::by_values
