// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The header of what goes between ranks over TCP.
//
// Invariants: a header that is accepted is the one that its fields are written as; a fragment lies within its message.

#include <transport/flow/frame_header.hpp>

#include "input.hpp"

using namespace tutti::transport::detail::tcp;
using namespace tutti::fuzz;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    frame_image image{};
    std::copy_n(std::as_bytes(std::span(data, size)).begin(), std::min(size, image.size()), image.begin());
    const auto f = decode(image);
    if (!f) return 0;
    demand(f->bytes <= max_fragment_bytes, "no fragment is longer than it may be");
    demand(f->kind != frame_kind::data || (f->offset <= f->length && f->bytes <= f->length - f->offset),
           "a fragment lies within its message");
    frame_image again{};
    encode(*f, again);
    demand(again == image, "a header written again is the same");
    return 0;
}
