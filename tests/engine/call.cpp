// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/call.hpp>

#include <collectives/algorithm/all.hpp>

#include "support/catch.hpp"

#include <set>

using namespace tutti;

namespace {

engine::call example() {
    engine::call c{schedule::operation::reduce, algorithm::ring{}};
    c.count = 1000;
    c.type = 7;
    c.type_name = tutti::detail::words_of<float>();
    c.operation_on_elements = 9;
    c.operator_name = [] { return std::string("sum"); };
    return c;
}

} // namespace

TEST_CASE("a signature differs in each thing on which ranks must agree") {
    std::set<std::uint64_t> seen;
    const auto is_new = [&](const engine::call& c, std::uint64_t communicator = 1, int calls_before = 0) {
        auto before = engine::first_signature(communicator);
        for (int k = 0; k < calls_before; ++k) before = engine::next_signature(before, 77);
        return seen.insert(engine::next_signature(before, engine::meaning_of(c))).second;
    };
    auto c = example();
    CHECK(is_new(c));
    CHECK(is_new(c, 2));
    CHECK(is_new(c, 1, 1));
    CHECK(is_new(c, 0, 1));
    const auto changed = [&](auto change) {
        auto other = example();
        change(other);
        return is_new(other);
    };
    CHECK(changed([](engine::call& x) { x.what = schedule::operation::broadcast; }));
    CHECK(changed([](engine::call& x) { x.how = algorithm::butterfly{}; }));
    CHECK(changed([](engine::call& x) { x.how = algorithm::hierarchical<algorithm::ring, algorithm::ring>{2}; }));
    CHECK(changed([](engine::call& x) { x.how = algorithm::hierarchical<algorithm::ring, algorithm::ring>{3}; }));
    CHECK(changed([](engine::call& x) { x.count = 1001; }));
    CHECK(changed([](engine::call& x) { x.count += std::uint64_t{1} << 32; }));
    CHECK(changed([](engine::call& x) { x.type = 8; }));
    CHECK(changed([](engine::call& x) { x.operation_on_elements = 10; }));
    CHECK(changed([](engine::call& x) { x.root = 1; }));
    CHECK(changed([](engine::call& x) { x.segments = 2; }));
}

TEST_CASE("a call of the same plan repeats another only if all that may still differ is equal") {
    const auto c = example();
    CHECK(repeats(example(), c));
    const auto differs = [&](auto change) {
        auto other = example();
        change(other);
        return !repeats(other, c) && !repeats(c, other);
    };
    static std::byte somewhere[4];
    CHECK(differs([](engine::call& x) { x.input = somewhere; }));
    CHECK(differs([](engine::call& x) { x.output = somewhere; }));
    CHECK(differs([](engine::call& x) { x.count = 1001; }));
    CHECK(differs([](engine::call& x) { x.root = 1; }));
    CHECK(differs([](engine::call& x) { x.type = 8; }));
    CHECK(differs([](engine::call& x) { x.element_bytes = 2; }));
    CHECK(differs([](engine::call& x) { x.operation_on_elements = 10; }));
    CHECK(differs([](engine::call& x) { x.symmetric = true; }));
    CHECK(differs([](engine::call& x) { x.title = "barrier"; }));
    CHECK(differs([](engine::call& x) { x.finisher = [](std::byte*, std::size_t, int) {}; }));
    CHECK(differs([](engine::call& x) { x.reduce.state = somewhere; }));
    CHECK(differs([](engine::call& x) {
        x.reduce.combine = [](std::byte*, const std::byte*, const std::byte*, std::size_t, const void*) {};
    }));
    CHECK(differs([](engine::call& x) { x.by = reinterpret_cast<engine::executor*>(somewhere); }));
}

TEST_CASE("a signature is the same for what each rank may choose for itself") {
    const auto c = example();
    auto other = c;
    std::byte somewhere[4];
    other.input = other.output = somewhere;
    other.in_place = true;
    CHECK(engine::meaning_of(c) == engine::meaning_of(other));
}

TEST_CASE("a signature tells of every call before, however many equal ones come after") {
    auto c = example(), other = example();
    other.root = 1;
    auto a = engine::next_signature(engine::first_signature(1), engine::meaning_of(c));
    auto b = engine::next_signature(engine::first_signature(1), engine::meaning_of(other));
    for (int k = 0; k < 100'000; ++k) {
        REQUIRE(a != b);
        a = engine::next_signature(a, engine::meaning_of(c));
        b = engine::next_signature(b, engine::meaning_of(c));
    }
}

TEST_CASE("small numbers do not cancel each other in a hash") {
    std::set<std::uint64_t> seen;
    for (std::uint64_t h = 0; h < 50; ++h)
        for (std::uint64_t x = 0; x < 50; ++x)
            for (const std::uint64_t y : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}})
                seen.insert(engine::mixed(engine::mixed(engine::mixed(0, h), x), y) | 1);
    CHECK(seen.size() > 50 * 50 * 3 - 2); // none, but for chance
    CHECK(seen.count(1) == 0);            // the world's id
}

TEST_CASE("a call in words names all that ranks must agree on") {
    auto c = example();
    CHECK(engine::in_words(c) == "reduce(ring) of 1000 float32, sum, root 0");
    c.segments = 4;
    CHECK(engine::in_words(c) == "reduce(ring) of 1000 float32, sum, root 0, 4 segments");
    c.title = "barrier";
    CHECK(engine::in_words(c) == "barrier");
    engine::call copying{schedule::operation::allgather, algorithm::ring{}};
    CHECK(engine::in_words(copying) == "allgather(ring) of 0");
}
