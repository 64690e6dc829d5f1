// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Integers and strings as bytes, little endian whatever the machine.
namespace tutti::detail {

/// Appends to a vector of bytes.
class byte_writer {
public:
    explicit byte_writer(std::vector<std::byte>& out) : out_(&out) {}

    template <std::integral Integer>
    void integer(Integer value) {
        auto rest = static_cast<std::make_unsigned_t<Integer>>(value);
        for (std::size_t i = 0; i < sizeof(Integer); ++i) {
            out_->push_back(static_cast<std::byte>(rest & 0xffu));
            if constexpr (sizeof(Integer) > 1) rest = static_cast<decltype(rest)>(rest >> 8);
        }
    }

    void raw(std::span<const std::byte> bytes) { out_->insert(out_->end(), bytes.begin(), bytes.end()); }

    /// A length of 16 bits, then the bytes; longer strings are cut to `cap`.
    void text(std::string_view s, std::size_t cap) {
        s = s.substr(0, std::min<std::size_t>(cap, 0xffff));
        integer(static_cast<std::uint16_t>(s.size()));
        raw(std::as_bytes(std::span(s)));
    }

private:
    std::vector<std::byte>* out_;
};

/// Reads the output of a byte_writer, and trusts none of it: past the end everything reads as zero or empty and ok() is
/// false ever after.
class byte_reader {
public:
    explicit byte_reader(std::span<const std::byte> in) : in_(in) {}

    template <std::integral Integer>
    [[nodiscard]] Integer integer() {
        using bits = std::make_unsigned_t<Integer>;
        const auto bytes = raw(sizeof(Integer));
        std::uint64_t value = 0;
        for (std::size_t i = bytes.size(); i > 0; --i)
            value = (value << 8) | std::to_integer<std::uint64_t>(bytes[i - 1]);
        return static_cast<Integer>(static_cast<bits>(value));
    }

    [[nodiscard]] std::span<const std::byte> raw(std::size_t n) {
        if (!ok_ || n > in_.size()) {
            ok_ = false;
            return {};
        }
        const auto taken = in_.first(n);
        in_ = in_.subspan(n);
        return taken;
    }

    [[nodiscard]] std::string text(std::size_t cap) {
        const auto length = integer<std::uint16_t>();
        if (length > cap) ok_ = false;
        const auto bytes = raw(length);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    /// What was read makes no sense.
    void fail() noexcept { ok_ = false; }
    [[nodiscard]] bool ok() const noexcept { return ok_; }
    [[nodiscard]] bool finished() const noexcept { return ok_ && in_.empty(); }

private:
    std::span<const std::byte> in_;
    bool ok_ = true;
};

} // namespace tutti::detail
