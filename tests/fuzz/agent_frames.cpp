// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What an agent and its launcher read from each other, over whatever connects them.
//
// Invariants: the frames do not depend on where the stream is cut, and are what was sent, up to what is no frame;
// orders are read or refused, and what was read arrives once more as it is.

#include "../../tools/tutti/run/agent_frames.hpp"
#include "../../tools/tutti/run/agent_orders.hpp"

#include "input.hpp"

#include <stdexcept>

using namespace tutti::tools;
using namespace tutti::fuzz;

namespace {

/// All frames, encoded again.
std::string again(agent_frame_reader& reader) {
    std::string bytes;
    while (const auto f = reader.next()) bytes += encoded(f->what, f->rank, f->text);
    return bytes;
}

void try_orders(std::string_view text) {
    try {
        const auto o = agent_orders::unpacked(text);
        const auto read = agent_orders::unpacked(o.packed());
        demand(read.packed() == o.packed() && read.ranks == o.ranks && read.environment == o.environment,
               "orders arrive as they were sent");
    } catch (const std::invalid_argument&) {
    }
    try {
        const auto hello = agent_hello::unpacked(text);
        demand(agent_hello::unpacked(hello.packed()).port == hello.port, "a hello arrives as it was sent");
        demand(unpacked_number(packed_number(hello.port), 65'535) == hello.port, "and a number");
    } catch (const std::invalid_argument&) {
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    const bool greeted = in.flag();
    const auto cuts = in.bytes(in.below(16));
    const std::string_view stream = text_of(in.rest());
    agent_frame_reader whole(greeted), cut(greeted);
    whole.take(stream);
    const std::string once = again(whole);
    std::string piecewise;
    auto left = stream;
    for (const std::byte b : cuts) {
        const auto piece = left.substr(0, std::to_integer<std::size_t>(b));
        left.remove_prefix(piece.size());
        cut.take(piece);
        piecewise += again(cut);
    }
    cut.take(left);
    piecewise += again(cut);
    demand(once == piecewise && whole.broken() == cut.broken(), "it does not matter where the stream is cut");
    if (greeted) demand(stream.starts_with(once), "the frames are what was sent");
    if (!greeted && whole.greeted())
        demand(stream.substr(stream.find(agent_greeting) + agent_greeting.size()).starts_with(once),
               "frames begin after the greeting");
    try_orders(stream);
    return 0;
}
