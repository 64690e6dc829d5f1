// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../lowering/pack.hpp"
#include "thread_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::schedule {

/// More GPUs than these have no XML: memory grows with their square, and MSCCL has not been run on so many.
inline constexpr int most_msccl_ranks = 1024;

/// What a file asks of MSCCL's interpreter.
struct msccl_size {
    std::size_t blocks = 0; ///< thread blocks of a GPU, all of one channel
    std::size_t steps = 0;  ///< of a thread block
    std::size_t chunks = 0; ///< of a step
};
/// What it has room for unless it is built with more: in Microsoft's MSCCL, and in RCCL, blocks of a channel, steps and
/// chunks. A file that asks for more is refused there.
inline constexpr msccl_size msccl_room{32, 256, 72};

namespace detail {

class msccl_writer {
public:
    msccl_writer(const program& p, std::string_view name) {
        std::vector<msccl_memory> memories;
        for (int rank = 0; rank < p.size; ++rank) memories.emplace_back(p, rank);
        const msccl_channels channels(p, memories);
        head(p, name);
        for (int rank = 0; rank < p.size; ++rank) {
            const msccl_memory& memory = memories[static_cast<std::size_t>(rank)];
            gpu(rank, memory, thread_blocks(p, rank, memory, channels).take());
        }
        text_ += "</algo>\n";
    }
    [[nodiscard]] std::string take() && { return std::move(text_); }
    /// The most of any.
    [[nodiscard]] const msccl_size& needs() const noexcept { return needs_; }

private:
    void head(const program& p, std::string_view name) {
        const std::string_view what = p.what == operation::reduce_scatter ? "reducescatter" : name_of(p.what);
        text_ += "<algo";
        word("name", name);
        word("proto", "Simple");
        number("nchannels", 1);
        number("nchunksperloop", p.chunks / vectors_of(p.what, p.size));
        number("ngpus", p.size);
        word("coll", what);
        number("inplace", p.in_place ? 1 : 0);
        number("outofplace", p.in_place ? 0 : 1);
        number("minBytes", 0);
        number("maxBytes", 1LL << 40); // must be there, and of some versions be larger than all that is called with
        text_ += ">\n";
    }
    void gpu(int rank, const msccl_memory& memory, const std::vector<thread_block>& blocks) {
        text_ += "  <gpu";
        number("id", rank);
        number("i_chunks", memory.input_chunks());
        number("o_chunks", memory.output_chunks());
        number("s_chunks", memory.scratch_chunks());
        text_ += ">\n";
        needs_.blocks = std::max(needs_.blocks, blocks.size());
        for (std::size_t b = 0; b < blocks.size(); ++b) block(static_cast<int>(b), blocks[b]);
        text_ += "  </gpu>\n";
    }
    void block(int id, const thread_block& b) {
        text_ += "    <tb";
        number("id", id);
        number("send", b.send);
        number("recv", b.receive);
        number("chan", 0);
        text_ += ">\n";
        needs_.steps = std::max(needs_.steps, b.steps.size());
        for (std::size_t s = 0; s < b.steps.size(); ++s) one(static_cast<int>(s), b.steps[s]);
        text_ += "    </tb>\n";
    }
    void one(int id, const msccl_step& s) {
        needs_.chunks = std::max(needs_.chunks, static_cast<std::size_t>(s.count));
        text_ += "      <step";
        number("s", id);
        word("type", s.type);
        word("srcbuf", {&s.from.buffer, 1});
        number("srcoff", s.from.offset);
        word("dstbuf", {&s.to.buffer, 1});
        number("dstoff", s.to.offset);
        number("cnt", s.count);
        number("depid", s.block);
        number("deps", s.step);
        number("hasdep", s.awaited ? 1 : 0);
        text_ += "/>\n";
    }
    void word(const char* key, std::string_view value) {
        text_.append(" ").append(key).append("=\"").append(value).append("\"");
    }
    void number(const char* key, long long value) { word(key, std::to_string(value)); }

    std::string text_;
    msccl_size needs_;
};

} // namespace detail

/// The program as MSCCL XML, for GPUs that run it by MSCCL's interpreter. `name` is told in its logs; it must have no
/// quotation marks, ampersands or angle brackets. There is one channel, and on each rank a thread block for each peer
/// sent to, for each received from, and for local steps. Steps are not fused: no rcs, rrs and rrcs.
///
/// MSCCL cannot express the following, so its results may differ in their bits from ours: on which side of the operator
/// an operand stands, so that the operator must be commutative; and that a reduce_many is rounded once (it becomes a
/// copy and reductions). Joined parts are messages of their own. Data is cut into equal chunks there, so the count must
/// be a multiple of them. The root is the program's, whatever the call names. How many steps, blocks and chunks a
/// message may have depends on the version of MSCCL and is not checked here: `needs` is told, for msccl_room.
///
/// The program must have been proven. Throws tutti::error(invalid_argument) for a scan, if ranks do not agree in the
/// number of their messages, if a reduce_many has its target as operand more than once, for the name, or beyond 1,024
/// ranks. Takes time and memory linear in steps and in what they wait for, plus P². Source: Cowan, Maleki, Musuvathi,
/// Saarikivi and Xiong, MSCCLang, ASPLOS 2023.
[[nodiscard]] inline std::string msccl_xml(const program& p, std::string_view name, msccl_size* needs = nullptr) {
    if (name.find_first_of("\"&<>") != name.npos)
        reject("export as MSCCL XML", "a name must not have quotation marks, ampersands or angle brackets");
    if (is_scan(p.what)) reject("export as MSCCL XML", "MSCCL has no " + std::string(name_of(p.what)));
    if (p.size > most_msccl_ranks)
        reject("export as MSCCL XML",
               std::to_string(p.size) + " ranks are more than " + std::to_string(most_msccl_ranks));
    detail::msccl_writer written(unjoined(p), name);
    if (needs) *needs = written.needs();
    return std::move(written).take();
}

} // namespace tutti::schedule
