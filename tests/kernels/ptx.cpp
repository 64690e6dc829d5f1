// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What nvcc makes of the kernels (TUTTI_PTX names the file), run on the host and compared with their bodies there.
#include "ptx/machine.hpp"

#include "host_launch.hpp"
#include "instantiated.hpp"
#include "kernels/square_sum.hpp"

#include "support/catch.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

using namespace tutti;
using namespace tutti::test;

namespace {

const ptx::kernel& compiled(const std::string& name) {
    static const auto all = [] {
        const char* const file = std::getenv("TUTTI_PTX");
        std::ifstream in(file ? file : "");
        if (!in) throw std::runtime_error("TUTTI_PTX names no file");
        return ptx::kernels_in({std::istreambuf_iterator<char>(in), {}});
    }();
    return all.at(name);
}

/// Any bits; of floats some that are special.
template <class T>
std::vector<T> any_bits(std::size_t count, std::mt19937& random) {
    std::vector<T> all(count);
    for (T& x : all) {
        const std::uint32_t bits[2] = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())};
        if (random() % 8 != 0) std::memcpy(&x, bits, sizeof x);
        if constexpr (sizeof(T) == 4 && std::is_floating_point_v<T>)
            if (random() % 4 == 0) x = __builtin_bit_cast(float, static_cast<std::uint32_t>(random()) & 0x807fffffU);
    }
    return all;
}

/// Numbers near 1, and at the end a NaN, an infinity and one below the normal ones.
template <class T>
std::vector<T> numbers(std::size_t count, unsigned seed) {
    std::mt19937 random{seed};
    std::vector<T> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back(static_cast<T>(static_cast<float>(random() % 4001) / 1000 - 2));
    for (const float special : {__builtin_nanf("7"), -__builtin_inff(), 1e-40F}) all[--count] = static_cast<T>(special);
    return all;
}

/// Compares the kernel of that name with what it is defined to do, on arrays that begin `offset` elements behind an
/// address that is aligned to 16 bytes.
template <class T, class Op>
void compare(const std::string& name, unsigned sources, std::size_t count, std::size_t offset, std::mt19937& random) {
    std::vector<std::vector<T>> data;
    for (unsigned a = 0; a <= sources; ++a) data.push_back(any_bits<T>(count + 32, random));
    reduction_to_same<T, Op> what;
    what.sources = sources;
    what.count = count;
    for (unsigned s = 0; s < sources; ++s) what.from[s] = data[s].data() + offset;
    what.last.to[0] = data[sources].data() + offset;
    auto expected = data[sources];
    by_definition(expected.data() + offset, what);
    const auto how = kernels::access_of(what);
    REQUIRE(how.lanes == kernels::lanes_of<reduction_to_same<T, Op>>);

    ptx::machine m(count % 2 == 1);
    for (unsigned s = 0; s < sources; ++s) m.give(std::span(what.from[s], count));
    m.give(std::span(what.last.to[0], count));
    INFO(name << ", " << sources << " sources of " << count << " elements, " << offset << " behind 16 bytes");
    REQUIRE_NOTHROW(m.launch(compiled(name), {2, 3}, what, how));
    REQUIRE(same_bits(data[sources], expected));
}

template <class T, class Op>
void compare_all(const std::string& name) {
    std::mt19937 random{3};
    for (const unsigned sources : {1U, 2U, 3U, 8U})
        for (const std::size_t count : {0, 1, 16, 75}) compare<T, Op>(name, sources, count, random() % 3, random);
}

} // namespace

TEST_CASE("what nvcc makes of reduce_many has the bits of the host, by every type and operator") {
#define TUTTI_COMPARE(type, op) compare_all<type, op##_operator>(#type "_" #op);
    TUTTI_REDUCE_KERNELS(TUTTI_COMPARE)
#undef TUTTI_COMPARE
    compare_all<float, non_commutative<twice_left>>("functor");
}

namespace {

struct weights_and_state {
    std::vector<float> weights = numbers<float>(333, 1), first = numbers<float>(333, 2),
                       second = std::vector<float>(333, 0.25F);
    std::vector<bfloat16> copy = std::vector<bfloat16>(333);
    friend bool operator==(const weights_and_state& a, const weights_and_state& b) {
        return same_bits(a.weights, b.weights) && same_bits(a.first, b.first) && same_bits(a.second, b.second) &&
               same_bits(a.copy, b.copy);
    }
};

/// `epilogue(state)` is what follows the average.
template <class Step>
void compare_update(const std::string& name, const auto& epilogue) {
    const std::vector from{numbers<bfloat16>(333, 5), numbers<bfloat16>(333, 6), numbers<bfloat16>(333, 7)};
    weights_and_state here, there;
    const auto step_of = [&](weights_and_state& s) {
        return Step{{from[0].data(), from[1].data(), from[2].data()}, 3, 333, {1.0F / 3, epilogue(s)}};
    };
    launch_on_host(step_of(here), {2, 2});
    ptx::machine m(true);
    for (const auto& source : from) m.give(std::span(source));
    for (auto* state : {&there.weights, &there.first, &there.second}) m.give(std::span(*state));
    m.give(std::span(there.copy));
    const Step step = step_of(there);
    INFO(name);
    REQUIRE_NOTHROW(m.launch(compiled(name), {2, 5}, step, kernels::access_of(step)));
    CHECK(here == there);
    CHECK_FALSE(here == weights_and_state{});
}

} // namespace

TEST_CASE("what nvcc makes of updates of weights has the bits of the host") {
    using copied = kernels::stored<bfloat16>;
    compare_update<sgd_step>("update_sgd", [](weights_and_state& s) {
        return kernels::sgd<copied>{s.weights.data(), 0.1F, 0.01F, {{s.copy.data()}, 1}};
    });
    compare_update<momentum_step>("update_momentum", [](weights_and_state& s) {
        return kernels::momentum_sgd<copied>{s.weights.data(), s.first.data(), 0.1F, 0.9F, 0.01F, {{s.copy.data()}, 1}};
    });
    compare_update<adam_update>("update_adam", [](weights_and_state& s) {
        const auto step = kernels::step_of({.decay = 0.1}, 7);
        return kernels::adam<copied>{s.weights.data(), s.first.data(), s.second.data(), step, {{s.copy.data()}, 1}};
    });
}

TEST_CASE("so it has where totals are converted between float and double, and written to several places") {
    const std::vector wide{numbers<double>(70, 1), numbers<double>(70, 2)};
    const std::vector narrow{numbers<float>(70, 3), numbers<float>(70, 4)};
    const float factor = 0.3F;
    std::vector<float> floats[4];
    std::vector<double> doubles[4];
    for (auto& f : floats) f.resize(70);
    for (auto& d : doubles) d.resize(70);
    const auto narrowed = [&](unsigned k) {
        const kernels::stored<float> last{{floats[k].data(), floats[k + 1].data()}, 2};
        return narrowed_sum{{wide[0].data(), wide[1].data()}, 2, 70, {1.0 / 3, last}};
    };
    const auto widened = [&](unsigned k) {
        const kernels::stored<double> last{{doubles[k].data(), doubles[k + 1].data()}, 2};
        return widened_sum{{narrow[0].data(), narrow[1].data()}, 2, 70, {&factor, last}};
    };
    launch_on_host(narrowed(0), {1, 2});
    launch_on_host(widened(0), {1, 2});
    ptx::machine m;
    for (const auto& w : wide) m.give(std::span(w));
    for (const auto& n : narrow) m.give(std::span(n));
    m.give(std::span(&factor, 1));
    for (auto& f : floats) m.give(std::span(f));
    for (auto& d : doubles) m.give(std::span(d));
    REQUIRE_NOTHROW(m.launch(compiled("narrowed"), {1, 3}, narrowed(2), kernels::access_of(narrowed(2))));
    REQUIRE_NOTHROW(m.launch(compiled("widened"), {1, 3}, widened(2), kernels::access_of(widened(2))));
    for (const unsigned k : {1U, 2U, 3U}) {
        CHECK(same_bits(floats[k], floats[0]));
        CHECK(same_bits(doubles[k], doubles[0]));
    }
    CHECK(floats[0][67] != 0); // numbers below the normal ones are not flushed
    CHECK(doubles[0][67] != 0);
}

TEST_CASE("what nvcc makes of the sum of squares has the bits of the host, whatever the geometry") {
    auto from = numbers<bfloat16>(2500, 9);
    from.resize(2400); // without what is special
    std::vector<double> expected(3), lanes(kernels::tile_lanes);
    kernels::run_on_host({1, 1}, [&](const kernels::host_execution& here) {
        kernels::sum_tiles(from.data(), from.size(), expected.data(), lanes.data(), kernels::squared{}, here);
    });
    for (const kernels::geometry shape : {kernels::geometry{1, 1}, {2, 7}, {4, 32}}) {
        std::vector<double> partial(3);
        for (const bool backwards : {false, true}) {
            ptx::machine m(backwards);
            m.give(std::span<const bfloat16>(from));
            m.give(std::span(partial));
            REQUIRE_NOTHROW(m.launch(compiled("squares_bfloat16"), shape, from.data(), from.size(), partial.data()));
            CHECK(same_bits(partial, expected));
            std::vector<double> total(1);
            m.give(std::span(total));
            REQUIRE_NOTHROW(m.launch(compiled("sums_double"), shape, partial.data(), std::size_t{2}, total.data()));
            CHECK(total[0] == expected[0] + expected[1]);
        }
    }
}

TEST_CASE("memory that a kernel was not given, and parameters of another size, are found") {
    std::vector<float> a(64, 1.0F);
    reduction_to_same<float, sum_operator> what{{a.data(), a.data()}, 2, 64, {{a.data()}, 1}};
    ptx::machine m;
    m.give(std::span(a).first(63));
    CHECK_THROWS_WITH(m.launch(compiled("float_sum"), {1, 1}, what, kernels::access_of(what)),
                      Catch::Contains("memory that it was not given"));
    CHECK_THROWS_WITH(m.launch(compiled("float_sum"), {1, 1}, a.data(), kernels::access_of(what)),
                      Catch::Contains("for nvcc"));
}

TEST_CASE("nvcc lays out what kernels of several ranks are given as the host does") {
    std::vector<std::uint32_t> found(2);
    ptx::machine m(true);
    m.give(std::span(found));
    test::shot_of_16_bits shot{};
    shot.signature = 17;
    test::packets_to_adam packets{};
    packets.signature = 34;
    REQUIRE_NOTHROW(m.launch(compiled("signature_of_shot"), {1, 1}, shot, found.data()));
    REQUIRE_NOTHROW(m.launch(compiled("signature_of_packets"), {1, 1}, packets, found.data() + 1));
    CHECK(found == std::vector<std::uint32_t>{17, 34});

    std::vector<void*> scratch(1);
    m.give(std::span(scratch));
    test::engine_of_16_bits engine{};
    bfloat16 element{};
    engine.memory[kernels::most_peers - 1][kernels::device_memories - 1] = &element;
    REQUIRE_NOTHROW(m.launch(compiled("scratch_of_engine"), {1, 1}, engine, scratch.data()));
    CHECK(scratch[0] == &element);
}
