// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The stream of the control connection, cut into frames. Each byte of the input's first half says how many bytes of
// the second half come at a time.
//
// Invariants: all whole frames come, wherever the stream is cut; written again they are what was read; nothing comes
// behind what is no frame.

#include <transport/control/frame_stream.hpp>

#include "input.hpp"

using namespace tutti::transport::bootstrap;
using namespace tutti::fuzz;

namespace {

/// Writes the frames that are there.
void take(frame_cutter& cutter, std::vector<std::byte>& written) {
    while (const auto f = cutter.next()) {
        demand(f->body.size() <= max_frame_bytes - 2, "a frame is no longer than it may be");
        append_frame(written, f->type, f->body);
    }
    demand(!cutter.next(), "no frame comes where there was none");
}

/// Where the first piece ends that is no whole frame; counted anew, from lengths alone.
std::size_t end_of_frames(std::span<const std::byte> stream) {
    std::size_t end = 0;
    for (;;) {
        tutti::detail::byte_reader r(stream.subspan(end));
        const auto length = r.integer<std::uint32_t>();
        const auto version = r.integer<std::uint8_t>();
        const auto type = r.integer<std::uint8_t>();
        const bool sound =
            length >= 2 && length <= max_frame_bytes && version == tutti::detail::wire_version && type <= 4;
        if (!r.ok() || !sound || stream.size() - end - 4 < length) return end;
        end += 4 + length;
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    const auto cuts = in.bytes(in.below(32));
    const auto stream = in.rest();
    frame_cutter whole, cut;
    std::vector<std::byte> once, piecewise;
    whole.feed(stream);
    take(whole, once);
    demand(once.size() == end_of_frames(stream), "all frames come");
    demand(std::equal(once.begin(), once.end(), stream.begin()), "and written again they are the stream");
    auto left = stream;
    for (const std::byte b : cuts) {
        const auto piece = left.first(std::min(std::to_integer<std::size_t>(b), left.size()));
        left = left.subspan(piece.size());
        cut.feed(piece);
        take(cut, piecewise);
    }
    cut.feed(left);
    take(cut, piecewise);
    demand(once == piecewise && whole.broken() == cut.broken(), "it does not matter where the stream is cut");
    return 0;
}
