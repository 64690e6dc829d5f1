// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/control/control_frames.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace tutti::test {

/// Frames as they travel.
[[nodiscard]] inline std::vector<std::byte> sealed(transport::bootstrap::frame_sealer& with,
                                                   std::span<const std::byte> frames) {
    std::vector<std::byte> out;
    for (const auto& batch : transport::bootstrap::batches_of(frames)) {
        const auto record = with.seal(batch);
        out.insert(out.end(), record.text->begin(), record.text->end());
        out.insert(out.end(), record.tag.begin(), record.tag.end());
    }
    return out;
}

} // namespace tutti::test
