// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/flow/frame_header.hpp>

namespace tutti::test {

/// A frame's header as it goes over the wire.
inline transport::detail::tcp::frame_image image_of(const transport::detail::tcp::frame& f) {
    transport::detail::tcp::frame_image image{};
    encode(f, image);
    return image;
}

} // namespace tutti::test
