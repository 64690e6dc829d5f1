// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A notice in the body of a frame.
//
// Invariants: what is read is within its bounds; written again it is the same bytes.

#include <transport/control/notice_codec.hpp>

#include "input.hpp"

using namespace tutti::transport;
using namespace tutti::fuzz;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto body = std::as_bytes(std::span(data, size));
    const auto n = bootstrap::decode_notice(body);
    if (!n) return 0;
    demand(n->kind <= notice_kind::survey && n->why <= tutti::cause::bootstrap, "kind and cause are known");
    demand(n->call.size() <= bootstrap::max_call_bytes && n->text.size() <= bootstrap::max_text_bytes,
           "texts are within their bounds");
    const auto again = bootstrap::encode(*n);
    demand(std::equal(again.begin(), again.end(), body.begin(), body.end()), "a notice written again is the same");
    return 0;
}
