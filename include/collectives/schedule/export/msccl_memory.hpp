// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../lowering/places.hpp"
#include "../program.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace tutti::schedule::detail {

/// Where something lies in MSCCL's words: one of the buffers i, o and s, and which of its chunks.
struct msccl_location {
    char buffer = 'i';
    int offset = -1; ///< -1: nowhere
    friend bool operator==(const msccl_location&, const msccl_location&) = default;
};

/// One rank's buffers as MSCCL has them: input and output hold the rank's window of chunk ids, and all scratch banks
/// are one buffer, one after the other.
class msccl_memory {
public:
    msccl_memory(const program& p, int rank)
        : in_place_(p.in_place),
          windows_(windows_of(p.what, p.at(rank), p.chunks, p.ranks[static_cast<std::size_t>(rank)])) {
        for (std::size_t b = 0; b < windows_.size(); ++b) {
            int& size = sizes_[number(b)];
            starts_.push_back(size);
            size += windows_[b].count();
        }
    }

    /// How many chunks the buffer i, o or s has.
    [[nodiscard]] int input_chunks() const noexcept { return sizes_[0]; }
    [[nodiscard]] int output_chunks() const noexcept { return sizes_[1]; }
    [[nodiscard]] int scratch_chunks() const noexcept { return sizes_[2]; }

    [[nodiscard]] msccl_location at(place x) const {
        const auto b = static_cast<std::size_t>(index_of(x.where));
        return {"ios"[number(b)], starts_[b] + windows_[b].index_of(x.first)};
    }
    /// Whether two places of equal chunk ids are the same memory.
    [[nodiscard]] bool same(buffer a, buffer b) const noexcept {
        return a == b || (in_place_ && a < buffer::first_scratch && b < buffer::first_scratch);
    }

private:
    [[nodiscard]] static std::size_t number(std::size_t b) noexcept { return b < 2 ? b : 2; }

    bool in_place_;
    std::vector<chunk_window> windows_; ///< by our buffers
    std::vector<int> starts_;           ///< of each of them in its MSCCL buffer
    std::array<int, 3> sizes_{};
};

} // namespace tutti::schedule::detail
