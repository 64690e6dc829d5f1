// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../parameter.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The file: a header, a text, the weights and each state of the rule as float32 in forward order, and the checksum of
/// all before it. Numbers are in the byte order of the machine, which the magic number shows.
namespace tutti::training::detail {

inline constexpr std::uint64_t checkpoint_magic = 0x74757474692e3163; // "tutti.1c"
inline constexpr std::uint64_t checkpoint_version = 1;

struct checkpoint_header {
    static constexpr std::string_view kind = "checkpoint";
    std::uint64_t magic = checkpoint_magic;
    std::uint64_t version = checkpoint_version;
    std::uint64_t text_bytes = 0; ///< the rule's name and a line for each parameter
    std::uint64_t elements = 0;   ///< of one array
    std::uint64_t arrays = 0;     ///< the weights, and the states of the rule
    std::uint64_t steps = 0;
    std::uint64_t seed = 0;
    double last_rate = 0;

    /// The bytes of the whole file; of lengths that no file has, the most that there are.
    [[nodiscard]] std::uint64_t file_bytes() const noexcept {
        constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max(), most = all / 4;
        if (text_bytes > most || (arrays > 0 && elements > most / sizeof(float) / arrays)) return all;
        return sizeof(checkpoint_header) + text_bytes + arrays * elements * sizeof(float) + sizeof(std::uint64_t);
    }
};
static_assert(sizeof(checkpoint_header) == 64);

/// A hash of bytes that come in pieces of any length: FNV-1a over words of 8 bytes.
class checksum {
public:
    void add(std::span<const std::byte> bytes) noexcept {
        for (const std::byte b : bytes) {
            word_[filled_++] = b;
            if (filled_ == word_.size()) close();
        }
    }
    /// Of all so far. Nothing may be added afterwards.
    [[nodiscard]] std::uint64_t value() noexcept {
        if (filled_ > 0) close();
        return hash_;
    }

private:
    void close() noexcept {
        std::uint64_t x = 0;
        std::memcpy(&x, word_.data(), sizeof x);
        hash_ = (hash_ ^ x) * 0x100000001b3;
        word_ = {};
        filled_ = 0;
    }
    std::uint64_t hash_ = 0xcbf29ce484222325;
    std::array<std::byte, sizeof(std::uint64_t)> word_{};
    std::size_t filled_ = 0;
};

/// What a checkpoint says of its model.
[[nodiscard]] inline std::string text_of(std::string_view rule, const std::vector<parameter>& parameters) {
    std::string text = "rule " + std::string(rule) + '\n';
    for (const auto& p : parameters) text += p.name + ", " + std::to_string(p.elements) + " elements\n";
    return text;
}

} // namespace tutti::training::detail
