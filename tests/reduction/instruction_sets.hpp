// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/reduction/kernel.hpp>

#include "bytes.hpp"
#include "support/catch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace tutti::test {

inline constexpr std::array every_set{tutti::detail::instructions::baseline, tutti::detail::instructions::avx2,
                                      tutti::detail::instructions::avx512, tutti::detail::instructions::avx512_vnni,
                                      tutti::detail::instructions::avx512_fp16};
inline constexpr std::size_t most_sources = 8;

/// ((a0 ∘ a1) ∘ a2) ... of element i, one by one; of 16 bits in float, rounded once.
template <class T, class Op>
T folded(const std::vector<std::vector<T>>& sources, std::size_t number, std::size_t i) {
    tutti::detail::wide<T> total = sources[0][i];
    for (std::size_t s = 1; s < number; ++s) total = Op{}(total, tutti::detail::wide<T>(sources[s][i]));
    return T(total);
}

template <class T>
const std::byte* bytes_of(const std::vector<T>& data) {
    return reinterpret_cast<const std::byte*>(data.data());
}

/// One kernel, beside what is expected of it for each number of sources.
template <class T, class Op>
class set_check {
public:
    explicit set_check(const std::vector<std::vector<T>>& sources) : sources_(sources), count_(sources[0].size()) {
        for (std::size_t number = 2; number <= most_sources; ++number)
            for (std::size_t i = 0; i < count_; ++i) expected_[number].push_back(folded<T, Op>(sources, number, i));
    }

    /// The first `count` elements of `number` sources, each `offset` bytes or another number of them behind a cache
    /// line, with the result in a place of its own or, if below `number`, in the source `in_place`.
    bool agrees(const tutti::reducer& r, std::size_t count, std::size_t number, std::size_t offset,
                std::size_t in_place) {
        std::array<const std::byte*, most_sources> from{};
        for (std::size_t s = 0; s < number; ++s) from[s] = framed(s, count, (offset + s * 5) % frame);
        std::byte* to =
            in_place < number ? const_cast<std::byte*>(from[in_place]) : framed(most_sources, count, offset);
        if (number == 2 && count % 2 == 0)
            r.combine(to, from[0], from[1], count, r.state);
        else
            r.combine_many(to, from.data(), number, count, r.state);
        const std::size_t bytes = count * sizeof(T);
        return same(to, bytes_of(expected_[number]), bytes) && same(to - frame, untouched_.data(), frame) &&
               same(to + bytes, untouched_.data(), frame);
    }

private:
    static constexpr std::size_t frame = 64;
    static constexpr std::byte mark{0xa5};

    /// Of no bytes, too, for which a vector may have a null pointer.
    static bool same(const std::byte* a, const std::byte* b, std::size_t bytes) {
        return bytes == 0 || std::memcmp(a, b, bytes) == 0;
    }

    /// Elements of a source, or a place for the result, in a marked frame, which begins on a cache line.
    std::byte* framed(std::size_t s, std::size_t count, std::size_t offset) {
        bytes& room = rooms_[s];
        room.assign(count * sizeof(T) + 4 * frame, mark);
        void* place = room.data();
        std::size_t left = room.size();
        auto* to = static_cast<std::byte*>(std::align(frame, 1, place, left)) + frame + offset;
        if (count > 0 && s < most_sources) std::memcpy(to, bytes_of(sources_[s]), count * sizeof(T));
        return to;
    }

    const std::vector<std::vector<T>>& sources_;
    std::size_t count_;
    std::array<std::vector<T>, most_sources + 1> expected_;
    std::array<bytes, most_sources + 1> rooms_;
    const bytes untouched_ = bytes(frame, mark);
};

/// Every count up to 200 at every alignment, by every set of instructions that this processor has.
template <class T, class Op>
void check_sets(const std::vector<std::vector<T>>& sources) {
    set_check<T, Op> check(sources);
    for (const auto set : every_set) {
        if (!tutti::detail::has(set)) continue;
        const tutti::reducer r = tutti::detail::vector_reducer<T, Op>(set);
        const auto agrees = [&](std::size_t count, std::size_t number, std::size_t offset, std::size_t in_place) {
            if (check.agrees(r, count, number, offset, in_place)) return;
            CAPTURE(static_cast<int>(set), offset, count, number, in_place, tutti::type_name<T>(), operator_name<Op>());
            FAIL("other elements, or more of them");
        };
        for (std::size_t offset = 0; offset < 64; ++offset) {
            for (std::size_t count = offset % 3; count <= 200; count += 1 + offset % 3) {
                const std::size_t number = 2 + (offset + count) % (most_sources - 1);
                agrees(count, number, offset, most_sources);
                agrees(count, number, offset, (offset + count / 7) % number);
            }
        }
        if (sources[0].size() > 200) agrees(sources[0].size(), 2, 8, most_sources);
    }
    SUCCEED();
}

/// Bits drawn at random, with the values at which arithmetic goes wrong first among them.
template <class T>
std::vector<std::vector<T>> drawn(const std::vector<T>& corners, std::size_t count = 200) {
    std::mt19937_64 random(7);
    std::vector<std::vector<T>> sources(most_sources, std::vector<T>(count));
    for (auto& source : sources)
        for (T& x : source) {
            const std::uint64_t bits = random();
            if (bits % 4 == 0)
                std::memcpy(static_cast<void*>(&x), &bits, sizeof x);
            else
                x = corners[bits / 4 % corners.size()];
        }
    return sources;
}

} // namespace tutti::test
