// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace tutti::transport {

/// The state that the ranks of one process share: size, channels, control plane. Lives as long as any of them.
class memory_world {
public:
    /// A world of `size` ranks, 0 to size-1. Throws `error` (invalid_argument) when that is less than one.
    [[nodiscard]] static std::shared_ptr<memory_world> create(int size);
    memory_world(const memory_world&) = delete;
    memory_world& operator=(const memory_world&) = delete;

    /// The number of ranks.
    [[nodiscard]] int size() const noexcept;

    /// From any thread: rank `rank` is from now on dead to the others, as if its process had been killed. Its own calls
    /// move nothing any more; its memory stays readable until it closes or is destroyed. For tests of faults.
    void kill(int rank);

protected:
    memory_world() = default;
    ~memory_world() = default; // only as detail::memory_ranks, which it always is
};

} // namespace tutti::transport
