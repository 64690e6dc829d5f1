// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What a rank prints, made into whole lines with a prefix.
//
// Invariants: the lines do not depend on where the stream is cut; without their prefixes they are the stream.

#include "../../tools/tutti/run/lines.hpp"

#include "input.hpp"

using namespace tutti::tools;
using namespace tutti::fuzz;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    const auto cuts = in.bytes(in.below(16));
    const std::string_view stream = text_of(in.rest());
    const std::string prefix = "[7] ";
    line_prefixer whole(prefix), cut(prefix);
    std::string once = whole.take(stream), piecewise;
    once += whole.finish();
    auto left = stream;
    for (const std::byte b : cuts) {
        const auto piece = left.substr(0, std::to_integer<std::size_t>(b));
        left.remove_prefix(piece.size());
        piecewise += cut.take(piece);
    }
    piecewise += cut.take(left);
    piecewise += cut.finish();
    demand(once == piecewise, "it does not matter where the stream is cut");
    std::string bare;
    for (std::string_view rest = once; !rest.empty();) {
        demand(rest.starts_with(prefix), "each line has its prefix");
        const auto end = rest.find('\n') + 1;
        bare += rest.substr(prefix.size(), end - prefix.size());
        rest.remove_prefix(end);
    }
    const bool ended = stream.empty() || stream.back() == '\n';
    demand(bare == std::string(stream) + (ended ? "" : "\n"), "without prefixes the lines are the stream");
    return 0;
}
