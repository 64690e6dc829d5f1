// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>

#include <collectives/runtime_call.hpp>

#include "support/catch.hpp"
#include "support/displaced.hpp"
#include "support/expect.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::test::runtime_ranges {
namespace {

using displaced_parts::data, displaced_parts::drawn_counts, displaced_parts::index, displaced_parts::numbers;
using schedule::operation;

/// Parts that each have memory of their own.
struct apart {
    std::vector<std::vector<int>> all;
    numbers counts;
    std::vector<const void*> places;

    explicit apart(std::vector<std::vector<int>> parts) : all(std::move(parts)) {
        for (auto& p : all) {
            counts.push_back(p.size());
            places.push_back(p.empty() ? nullptr : p.data());
        }
    }
    [[nodiscard]] std::vector<int> flat() const {
        std::vector<int> one;
        for (const auto& p : all) one.insert(one.end(), p.begin(), p.end());
        return one;
    }
};

/// A random operation on parts that lie apart, of rank 0 typed and flat.
void one_of(const communicator& world, std::minstd_rand& dice) {
    const auto seed = static_cast<unsigned>(dice());
    const int root = static_cast<int>(seed % static_cast<unsigned>(world.size())), self = world.rank();
    const bool flat = self == static_cast<int>(seed / 7 % static_cast<unsigned>(world.size()));
    const numbers counts = drawn_counts(world.size(), seed);
    const auto whole_of = [&](auto&& of) {
        std::vector<std::vector<int>> parts;
        for (int r = 0; r < world.size(); ++r) parts.push_back(of(r));
        return apart(std::move(parts));
    };
    const apart wanted = whole_of([&](int r) { return data(r, 3, counts[index(r)]); });
    apart got = whole_of([&](int r) { return std::vector<int>(counts[index(r)], -1); });
    auto mine = data(self, 3, counts[index(self)]);
    runtime_call c{operation::allgather, element_type::int32, operator_type::sum, mine.size(), mine.data()};
    c.counts = runtime_counts{.of_ranks = got.counts, .parts = got.places};
    c.root = root;
    switch (seed / 64 % 5) {
    case 0:
        if (flat) {
            std::vector<int> all(wanted.flat().size());
            world.allgatherv(mine, all, counts);
            return expect(all == wanted.flat(), "allgatherv, flat");
        }
        issue(world, c);
        return expect(got.all == wanted.all, "allgatherv");
    case 1:
        c.what = operation::gather;
        issue(world, c);
        return expect(self != root || got.all == wanted.all, "gatherv");
    case 2: {
        c.what = operation::scatter;
        c.counts->parts = wanted.places;
        mine.assign(mine.size(), -1);
        c.output = mine.data();
        issue(world, c);
        return expect(mine == wanted.all[index(self)], "scatterv");
    }
    case 3: {
        c.what = operation::reduce_scatter;
        c.counts->parts = wanted.places;
        std::vector<int> sums(mine.size());
        c.output = sums.data();
        if (flat)
            world.reduce_scatterv(wanted.flat(), sums, counts, sum);
        else
            issue(world, c);
        for (std::size_t i = 0; i < sums.size(); ++i) expect(sums[i] == world.size() * mine[i], "reduce_scatterv");
        return;
    }
    default: {
        c.what = operation::alltoall;
        const auto to = whole_of([&](int q) { return data(self, q, (index(self) + 2 * index(q) + seed) % 50); });
        const auto from = whole_of([&](int q) { return data(q, self, (index(q) + 2 * index(self) + seed) % 50); });
        got = whole_of([&](int q) { return std::vector<int>(from.counts[index(q)], -1); });
        c.counts = runtime_counts{
            .of_ranks = to.counts, .received = got.counts, .parts = to.places, .received_parts = got.places};
        issue(world, c);
        return expect(got.all == from.all, "alltoallv");
    }
    }
}

/// The name of an element in an error, whichever rank is told first.
bool names_both(const fault& f, const std::string& one, const std::string& other) {
    return f.why == cause::mismatch && f.detail.find(one) != std::string::npos &&
           f.detail.find(other) != std::string::npos;
}

} // namespace

TEST_CASE("parts that lie apart: random operations by values, matching flat typed calls") {
    const auto seed = GENERATE(take(3, random(1U, 1U << 30U)));
    CAPTURE(seed);
    for (const int size : {1, 2, 3, 5, 8})
        CHECK_NOTHROW(run_world(size, [&](const communicator& world) {
            std::minstd_rand dice(seed);
            for (int k = 0; k < 40; ++k) one_of(world, dice);
        }));
}

TEST_CASE("parts that cannot lie where they are said to are refused") {
    CHECK_NOTHROW(run_world(2, [](const communicator& world) {
        if (world.rank() != 0) return;
        std::vector<int> a(4), b(4);
        const numbers counts{2, 2}, at{0, 2};
        std::vector<const void*> places{a.data(), nullptr};
        runtime_call c{operation::allgather, element_type::int32, operator_type::sum, 2, b.data()};
        c.counts = runtime_counts{.of_ranks = counts, .parts = places};
        expect_refused([&] { issue(world, c); }, "the part of rank 1 is null");
        places[1] = reinterpret_cast<const std::byte*>(a.data()) + 10;
        expect_refused([&] { issue(world, c); }, "a whole number of elements");
        places[1] = a.data() + 1;
        expect_refused([&] { issue(world, c); }, "overlap in the output");
        places[1] = a.data() + 2;
        c.counts->displacements = at;
        expect_refused([&] { issue(world, c); }, "displacements and places");
        c.counts->displacements = {};
        c.counts->parts = std::span(places).first(1);
        expect_refused([&] { issue(world, c); }, "1 places are given, for 2 counts");
    }));
}

TEST_CASE("opaque elements move, of any size, in every operation that does not reduce") {
    struct three {
        std::array<char, 3> of;
        bool operator==(const three&) const = default;
    };
    CHECK_NOTHROW(run_world(4, [](const communicator& world) {
        const auto own = [](int r) { return three{{static_cast<char>(r), 'x', static_cast<char>(r + 1)}}; };
        std::vector<three> out(8), in(8, own(world.rank()));
        runtime_call c;
        c.opaque = opaque_type{3, "three"};
        c.input = in.data();
        c.output = out.data();
        c.count = 2;
        for (const operation what : schedule::operations) {
            c.what = what;
            c.root = 1;
            if (schedule::reduces(what)) {
                expect_refused([&] { issue(world, c); }, "opaque elements only move");
                continue;
            }
            out.assign(8, own(world.rank()));
            issue(world, c);
            const bool is_root = world.rank() == 1;
            if (what == operation::broadcast || what == operation::scatter)
                expect(out[0] == own(1) && out[1] == own(1), "from the root");
            else if (what != operation::gather || is_root)
                for (int r = 0; r < 4; ++r) expect(out[2 * index(r) + 1] == own(r), std::string(name_of(what)));
        }
        c.opaque->bytes = 0;
        expect_refused([&] { issue(world, c); }, "have no bytes");
    }));
}

TEST_CASE("parts of opaque elements lie at any address, in every operation that has parts") {
    CHECK_NOTHROW(run_world(3, [](const communicator& world) {
        constexpr std::size_t bytes = 12;
        const auto content = [](int from, int to) {
            return std::vector<char>(bytes * (1 + index(to)), static_cast<char>(10 * from + to));
        };
        std::array<std::vector<char>, 3> out, in;
        std::array<const void*, 3> to{}, from{};
        const int self = world.rank();
        for (int r = 0; r < 3; ++r) {
            const std::size_t off = 1 + (5 * index(r) + index(self)) % 7; // no two parts whole elements apart
            out[index(r)].assign(off, 'x');
            const auto mine = content(self, r);
            out[index(r)].insert(out[index(r)].end(), mine.begin(), mine.end());
            to[index(r)] = out[index(r)].data() + off;
            in[index(r)].assign(2 + off + bytes * (1 + index(self)), 'y');
            from[index(r)] = in[index(r)].data() + 2 + off;
        }
        const numbers sent{1, 2, 3}, received(3, 1 + index(self));
        runtime_call c{.what = operation::alltoall};
        c.opaque = opaque_type{bytes, "twelve"};
        c.counts = runtime_counts{.of_ranks = sent, .received = received, .parts = to, .received_parts = from};
        issue(world, c);
        for (int r = 0; r < 3; ++r) {
            const auto* const got = static_cast<const char*>(from[index(r)]);
            const auto wanted = content(r, self);
            expect(std::equal(wanted.begin(), wanted.end(), got) && got[-1] == 'y', "a block");
        }
        c = runtime_call{.what = operation::allgather, .count = 1 + index(self), .input = to[index(self)]};
        c.opaque = opaque_type{bytes, "twelve"};
        std::array<std::vector<char>, 3> all;
        std::array<const void*, 3> places{};
        for (int r = 0; r < 3; ++r) {
            all[index(r)].resize(1 + 3 * index(r) + bytes * sent[index(r)]);
            places[index(r)] = all[index(r)].data() + 1 + 3 * index(r);
        }
        c.counts = runtime_counts{.of_ranks = sent, .parts = places};
        issue(world, c);
        for (int r = 0; r < 3; ++r) {
            const auto wanted = content(r, r);
            expect(std::equal(wanted.begin(), wanted.end(), static_cast<const char*>(places[index(r)])), "gathered");
        }
        c.counts->parts = {};
        c.counts->of_ranks = sent;
        std::vector<char> flat(bytes * 6);
        c.output = flat.data();
        issue(world, c);
        expect(flat[bytes] == content(1, 1)[0] && flat.back() == content(2, 2)[0], "flat");
        c.count = ~std::size_t{0} / 4;
        expect_refused([&] { issue(world, c); }, "more than memory can hold");
        const numbers none(3, ~std::size_t{0});
        c.counts->of_ranks = none;
        c.count = ~std::size_t{0};
        expect_refused([&] { issue(world, c); }, "more than memory can hold");
    }));
}

TEST_CASE("opaque elements of another name, or of a type, are a mismatch that tells both") {
    for (const bool typed : {true, false}) {
        std::array<fault, 2> told;
        CHECK_NOTHROW(run_new_world(2, [&](const communicator& world) {
            std::array<std::int64_t, 4> x{};
            runtime_call c{.what = operation::broadcast, .count = 4, .output = x.data()};
            c.opaque = opaque_type{8, world.rank() == 0 ? "complex64" : "quaternion16"};
            if (typed && world.rank() == 1) {
                c.opaque.reset();
                c.type = element_type::float64;
            }
            told[index(world.rank())] = fault_of([&] {
                issue(world, c);
                world.barrier();
            });
        }));
        const std::string other = typed ? "float64" : "quaternion16";
        CAPTURE(told[0].detail, told[1].detail);
        CHECK((names_both(told[0], "complex64", other) || names_both(told[1], "complex64", other)));
    }
}

TEST_CASE("messages of ranges by values match typed ones, everywhere that a message can be") {
    CHECK_NOTHROW(run_world(3, [](const communicator& world) {
        const int next = (world.rank() + 1) % 3, before = (world.rank() + 2) % 3;
        std::vector<std::int32_t> mine(100), got(100);
        std::iota(mine.begin(), mine.end(), 1000 * world.rank());
        const runtime_range out{mine.data(), mine.size(), element_type::int32};
        const runtime_range in{got.data(), got.size(), element_type::int32};
        const auto came = [&](int from, const std::string& how) {
            expect(got[0] == 1000 * from && got[99] == 1000 * from + 99, how);
            got.assign(100, -1);
        };
        if (world.rank() == 0) {
            world.send(out, 1);
            world.send(mine, 1, 2);
        } else if (world.rank() == 1) {
            world.receive(got, 0);
            came(0, "by values to a range");
            expect(world.receive(in, any_rank, 2) == 0, "whose it was");
            came(0, "a range by values");
        }
        expect(world.sendrecv(out, next, in, before) == before, "the source");
        came(before, "sendrecv");
        auto sent = world.async().send(out, next, 5);
        auto received = world.async().receive(in, before, 5);
        wait_all(sent, received);
        came(before, "asynchronous");
        auto group = world.group();
        group.receive(in, before, 6);
        group.send(runtime_range{mine.data(), mine.size(), element_type::int32}, next, 6);
        group.wait();
        came(before, "in a group");
        const runtime_range opaque_out{mine.data(), 50, {}, opaque_type{8, "pair"}};
        const runtime_range opaque_in{got.data(), 50, {}, opaque_type{8, "pair"}};
        world.sendrecv(opaque_out, next, opaque_in, before);
        came(before, "opaque");
        expect_refused([&] { world.send(runtime_range{nullptr, 1}, 0); }, "null");
        expect_refused(
            [&] {
                world.send(runtime_range{mine.data(), std::size_t{1} << 62, element_type::int32}, 0);
            },
            "more than memory can hold");
        expect_refused([&] { world.send(runtime_range{mine.data(), 1, {}, opaque_type{0, "none"}}, 0); }, "no bytes");
    }));
    std::array<fault, 2> told;
    CHECK_NOTHROW(run_new_world(2, [&](const communicator& world) {
        std::array<float, 2> x{};
        told[index(world.rank())] = fault_of([&] {
            if (world.rank() == 0)
                world.send(runtime_range{x.data(), 1, {}, opaque_type{8, "two_halves"}}, 1);
            else
                world.receive(x, 0);
            world.barrier();
        });
    }));
    CAPTURE(told[0].detail, told[1].detail);
    CHECK((told[0].why == cause::mismatch || told[1].why == cause::mismatch));
}

TEST_CASE("several vectors at once are calls by values that are waited for together") {
    CHECK_NOTHROW(run_world(3, [](const communicator& world) {
        std::vector<std::vector<float>> gradients;
        for (std::size_t k = 0; k < 30; ++k) gradients.emplace_back(k * 40, static_cast<float>(k));
        std::vector<request> all;
        for (auto& g : gradients)
            all.push_back(issue(world.async(), {operation::allreduce, element_type::float32, operator_type::sum,
                                                g.size(), g.data(), g.data()}));
        wait_all(all);
        for (std::size_t k = 1; k < 30; ++k) expect(gradients[k].back() == 3 * static_cast<float>(k), "sums");
    }));
}

} // namespace tutti::test::runtime_ranges
