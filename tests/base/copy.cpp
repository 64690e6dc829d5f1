// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <base/copy.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace {

using copy = void (*)(std::byte*, const std::byte*, std::size_t) noexcept;

/// Every copy that this processor can make, whichever it would choose.
std::vector<copy> all_copies() {
    std::vector<copy> all{[](std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
        tutti::detail::copy_bytes(to, from, bytes);
    }};
#if defined(__x86_64__)
    all.push_back(tutti::detail::copy_by_sse2);
    if (__builtin_cpu_supports("avx2")) all.push_back(tutti::detail::copy_by_avx2);
#endif
    return all;
}

/// Two pages on either side of what is copied, which must stay as they are.
constexpr std::size_t page = 4096, margin = 2 * page;

struct ranges {
    explicit ranges(std::size_t most) : from(most + 2 * margin), to(from.size()) {
        std::mt19937 draw(7);
        std::generate(from.begin(), from.end(), [&] { return static_cast<std::byte>(draw()); });
    }

    /// Copies, and says whether just that has changed.
    [[nodiscard]] bool right(copy how, std::size_t source, std::size_t destination, std::size_t bytes) {
        constexpr std::byte untouched{0x5a};
        std::fill(to.begin(), to.end(), untouched);
        const auto in = from.begin() + static_cast<std::ptrdiff_t>(page + source);
        const auto out = to.begin() + static_cast<std::ptrdiff_t>(page + destination);
        how(&*out, &*in, bytes);
        const auto end = out + static_cast<std::ptrdiff_t>(bytes);
        const auto kept = [&](std::byte b) { return b == untouched; };
        return std::equal(out, end, in) && std::all_of(to.begin(), out, kept) && std::all_of(end, to.end(), kept);
    }

    std::vector<std::byte> from, to;
};

TEST_CASE("each copy moves just the bytes it is told to, from any place to any place") {
    constexpr std::size_t most = 20'000;
    ranges r(most);
    std::mt19937 draw(11);
    for (const copy how : all_copies())
        for (int trial = 0; trial < 3000; ++trial) {
            const std::size_t bytes = 256 + draw() % (trial % 2 == 0 ? 1500 : most - 256);
            // Near each other behind a page's start, and anywhere.
            const std::size_t source = draw() % page, near = draw() % 320, anywhere = draw() % page;
            const std::size_t destination = trial % 3 == 0 ? anywhere : (source + near) % page;
            CAPTURE(bytes, source, destination);
            REQUIRE(r.right(how, source, destination, bytes));
        }
}

TEST_CASE("the library's copy takes any number of bytes") {
    ranges r(4200);
    for (std::size_t bytes = 0; bytes <= 4200; bytes += bytes < 70 || (bytes > 2030 && bytes < 2070) ? 1 : 61)
        for (const std::size_t offset : {0u, 1u, 16u, 63u}) {
            CAPTURE(bytes, offset);
            REQUIRE(r.right(all_copies().front(), 0, offset, bytes));
        }
}

TEST_CASE("bytes may be copied onto themselves") {
    for (const copy how : all_copies()) {
        ranges r(10'000);
        const auto before = r.from;
        how(&r.from[16], &r.from[16], 9'000);
        CHECK(r.from == before);
    }
}

} // namespace
