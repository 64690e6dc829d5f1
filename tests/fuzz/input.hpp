// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

/// libFuzzer calls it with one input after the other. It may only return or abort.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tutti::fuzz {

/// An invariant of a target; ends the process with the sentence where it does not hold.
inline void demand(bool holds, std::string_view sentence) {
    if (holds) return;
    std::fprintf(stderr, "invariant broken: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
    std::abort();
}

/// What is left of an input. Numbers and bytes are taken off its front; past the end all is zero or empty.
class input {
public:
    input(const std::uint8_t* data, std::size_t size) : left_(std::as_bytes(std::span(data, size))) {}

    template <std::unsigned_integral Number>
    [[nodiscard]] Number number() {
        Number value = 0;
        for (const std::byte b : bytes(sizeof(Number)))
            value = static_cast<Number>((value << 7 << 1) | std::to_integer<Number>(b));
        return value;
    }
    /// From one byte, or from two where the bound needs them.
    [[nodiscard]] std::size_t below(std::size_t bound) {
        return (bound <= 256 ? number<std::uint8_t>() : number<std::uint16_t>()) % bound;
    }
    [[nodiscard]] bool flag() { return below(2) == 1; }
    /// At most so many.
    [[nodiscard]] std::span<const std::byte> bytes(std::size_t most) {
        const auto taken = left_.first(std::min(most, left_.size()));
        left_ = left_.subspan(taken.size());
        return taken;
    }
    [[nodiscard]] std::span<const std::byte> rest() { return bytes(left_.size()); }
    [[nodiscard]] bool empty() const noexcept { return left_.empty(); }

private:
    std::span<const std::byte> left_;
};

[[nodiscard]] inline std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace tutti::fuzz
