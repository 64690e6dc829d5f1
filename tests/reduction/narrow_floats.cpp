// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

#include "instruction_sets.hpp"
#include "support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

constexpr std::size_t numbers = 65536;

/// Every number of 16 bits, in an order in which neighbours differ in all bits; at an odd address and with a rest that
/// no vector fits.
template <class T>
class all_numbers {
public:
    static constexpr std::size_t count = numbers + 13, offset = 3;

    explicit all_numbers(std::size_t turned = 0) : place_(offset + count * sizeof(T)) {
        for (std::size_t i = 0; i < count; ++i) put(i, T::from_bits(static_cast<std::uint16_t>((i + turned) * 40503)));
    }
    explicit all_numbers(T everywhere) : place_(offset + count * sizeof(T)) {
        for (std::size_t i = 0; i < count; ++i) put(i, everywhere);
    }

    T operator[](std::size_t i) const { return tutti::detail::load<T>(bytes() + i * sizeof(T)); }
    const std::byte* bytes() const { return place_.data() + offset; }
    std::byte* bytes() { return place_.data() + offset; }

private:
    void put(std::size_t i, T x) { tutti::detail::store(bytes() + i * sizeof(T), x); }
    std::vector<std::byte> place_;
};

/// Zeros, the numbers around the least, the least normal, one, the largest and infinity, and NaN in several forms.
template <class T>
std::vector<T> partners() {
    std::vector<T> all;
    constexpr unsigned infinity = T::format::last, least_normal = T::format::digits == 11 ? 0x0400 : 0x0080,
                       one = T::format::digits == 11 ? 0x3c00 : 0x3f80;
    for (const unsigned magnitude : {0U, 1U, 2U, least_normal - 1, least_normal, one - 1, one, one + 1, infinity - 1,
                                     infinity, infinity + 1, T::format::stored_nan, 0x7fffU})
        for (const unsigned sign : {0U, 0x8000U})
            all.push_back(T::from_bits(static_cast<std::uint16_t>(magnitude | sign)));
    return all;
}

template <class T, class Op>
void check(const std::vector<const all_numbers<T>*>& sources) {
    using tutti::detail::wide;
    std::vector<T> expected(all_numbers<T>::count);
    std::vector<const std::byte*> from;
    for (const auto* source : sources) from.push_back(source->bytes());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        wide<T> total = (*sources[0])[i];
        for (std::size_t s = 1; s < sources.size(); ++s) total = Op{}(total, wide<T>((*sources[s])[i]));
        expected[i] = T(total);
    }
    for (const auto set : tutti::test::every_set) {
        if (!tutti::detail::has(set)) continue;
        all_numbers<T> to(T(0.0F));
        const tutti::reducer r = tutti::detail::vector_reducer<T, Op>(set);
        r.combine_many(to.bytes(), from.data(), from.size(), expected.size(), r.state);
        std::size_t first = 0;
        while (first < expected.size() && to[first].bits == expected[first].bits) ++first;
        CAPTURE(static_cast<int>(set), tutti::type_name<T>(), tutti::operator_name<Op>(), from.size(), first);
        REQUIRE(first == expected.size());
    }
}

template <class T>
void check_operators(const std::vector<const all_numbers<T>*>& sources) {
    check<T, tutti::sum_operator>(sources);
    check<T, tutti::product_operator>(sources);
    check<T, tutti::minimum_operator>(sources);
    check<T, tutti::maximum_operator>(sources);
}

/// From both sides, since a processor treats the NaN of the left and of the right operand differently.
template <class T>
void check_partners() {
    const all_numbers<T> all;
    for (const T x : partners<T>()) {
        const all_numbers<T> partner(x);
        check_operators<T>({&all, &partner});
        check_operators<T>({&partner, &all});
    }
}

template <class T>
void check_among_themselves() {
    const std::vector<all_numbers<T>> turned{all_numbers<T>(0),     all_numbers<T>(1),     all_numbers<T>(257),
                                             all_numbers<T>(4099),  all_numbers<T>(20011), all_numbers<T>(32768),
                                             all_numbers<T>(40009), all_numbers<T>(65535)};
    std::vector<const all_numbers<T>*> sources{&turned[0]};
    for (std::size_t s = 1; s < turned.size(); ++s) {
        sources.push_back(&turned[s]);
        check_operators<T>(sources);
    }
}

} // namespace

TEST_CASE("every float16 meets zeros, bounds, infinities and NaN of every form, by every set of instructions") {
    check_partners<tutti::float16>();
}

TEST_CASE("every bfloat16 meets zeros, bounds, infinities and NaN of every form, by every set of instructions") {
    check_partners<tutti::bfloat16>();
}

TEST_CASE("two to eight sources of all numbers of 16 bits give the bits of one number after the other") {
    check_among_themselves<tutti::float16>();
    check_among_themselves<tutti::bfloat16>();
}
