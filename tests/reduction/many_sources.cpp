// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

#include "support/catch.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace {

constexpr std::size_t count = 5000; // more than a block of each type

/// Where its operands stood shows in the result.
struct digits {
    long value, places;
};

constexpr auto appended = [](const digits& a, const digits& b) {
    return digits{a.value * b.places + b.value, a.places * b.places};
};

std::vector<std::vector<digits>> one_digit_each(std::size_t number) {
    std::vector<std::vector<digits>> sources(number);
    for (std::size_t s = 0; s < number; ++s)
        for (std::size_t i = 0; i < count; ++i) sources[s].push_back({static_cast<long>((s + i) % 9 + 1), 10});
    return sources;
}

template <class T>
std::vector<const std::byte*> places_of(const std::vector<std::vector<T>>& sources) {
    std::vector<const std::byte*> places;
    for (const auto& source : sources) places.push_back(reinterpret_cast<const std::byte*>(source.data()));
    return places;
}

template <class T>
std::byte* place_of(std::vector<T>& data) {
    return reinterpret_cast<std::byte*>(data.data());
}

} // namespace

TEST_CASE("a functor takes many sources from the left to the right, whichever of them is the destination") {
    const tutti::reducer r = tutti::make_reducer<digits>(tutti::non_commutative(appended));
    for (std::size_t number = 2; number <= 8; ++number) {
        for (std::size_t in_place = 0; in_place <= number; ++in_place) {
            auto sources = one_digit_each(number);
            std::vector<digits> apart(count);
            std::vector<digits>& to = in_place < number ? sources[in_place] : apart;
            r.combine_many(place_of(to), places_of(sources).data(), number, count, r.state);
            int faults = 0;
            for (std::size_t i = 0; i < count; ++i) {
                std::string expected;
                for (std::size_t s = 0; s < number; ++s) expected += static_cast<char>('1' + (s + i) % 9);
                faults += std::to_string(to[i].value) != expected;
            }
            CAPTURE(number, in_place);
            REQUIRE(faults == 0);
        }
    }
}

TEST_CASE("many sources give the bits of one after the other, where elements have more than 16 bits") {
    std::vector<std::vector<float>> sources(5, std::vector<float>(count));
    for (std::size_t s = 0; s < 5; ++s)
        for (std::size_t i = 0; i < count; ++i) sources[s][i] = 1.0F / static_cast<float>(1 + s * 7919 + i);
    const tutti::reducer r = tutti::make_reducer<float>(tutti::sum);
    std::vector<float> together(count), one_by_one = sources[0];
    r.combine_many(place_of(together), places_of(sources).data(), 5, count, r.state);
    for (std::size_t s = 1; s < 5; ++s)
        r.combine(place_of(one_by_one), place_of(one_by_one), places_of(sources)[s], count, r.state);
    REQUIRE(together == one_by_one);
}

TEST_CASE("many sources of 16 bits are summed in float and rounded once") {
    using tutti::bfloat16;
    const std::vector<std::vector<bfloat16>> sources{{bfloat16(256.0F)}, {bfloat16(1.0F)}, {bfloat16(1.0F)}};
    std::vector<bfloat16> to(1);
    const tutti::reducer r = tutti::make_reducer<bfloat16>(tutti::sum);
    r.combine_many(place_of(to), places_of(sources).data(), 3, 1, r.state);
    REQUIRE(to[0] == 258.0F); // 256 + 1 alone would round to 256, twice
}

TEST_CASE("nothing of many sources is touched for a count of zero") {
    const std::byte* const sources[] = {nullptr, nullptr, nullptr};
    const tutti::reducer vectors = tutti::make_reducer<float>(tutti::sum);
    vectors.combine_many(nullptr, sources, 3, 0, vectors.state);
    const tutti::reducer functor = tutti::make_reducer<digits>(appended);
    functor.combine_many(nullptr, sources, 3, 0, functor.state);
    SUCCEED();
}
