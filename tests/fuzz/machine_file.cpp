// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A machine's parameters as JSON.
//
// Invariants: the only exception is tutti::error of an invalid argument; a file that was read and written again is the
// same machine, and the same text from then on.

#include <collectives/model/machine_file.hpp>

#include "input.hpp"

#include <optional>

using namespace tutti::model;
using namespace tutti::fuzz;

namespace {

std::optional<machine_file> parsed(std::string_view text) {
    try {
        return parse_machine_file(text, "the input");
    } catch (const tutti::error& e) {
        demand(e.facts().why == tutti::cause::invalid_argument, "a refusal is an invalid argument");
        return std::nullopt;
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto f = parsed(text_of(std::as_bytes(std::span(data, size))));
    if (!f) return 0;
    const std::string text = text_of(*f);
    const auto again = parsed(text);
    demand(again.has_value(), "what was written can be read");
    demand(*again == *f, "a machine written again is the same");
    demand(text_of(*again) == text, "and so is its text");
    return 0;
}
