// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::transport::detail::shm {

/// The symmetric memory of one rank: files that the others can map, each under an id that is never used again.
///
/// An entry is published by its id (release) and found by it (acquire). It is taken back before its file is closed; who
/// finds another id in its place, or cannot open the file, knows that the memory is gone.
struct regions {
    static constexpr std::size_t most = 256;

    struct entry {
        std::atomic<std::uint64_t> id{0}; ///< 0: free; else its place in the table is id % most
        std::atomic<std::int32_t> file{-1};
        std::atomic<std::uint64_t> start{0}; ///< its address in the owner's memory
        std::atomic<std::uint64_t> bytes{0};
    };

    [[nodiscard]] entry& of(std::uint64_t id) noexcept { return table[id % most]; }

    std::array<entry, most> table;
};

} // namespace tutti::transport::detail::shm
