// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../cost.hpp"
#include "own_step.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace tutti::schedule {

/// A kind of error in a schedule.
enum class flaw : std::uint8_t {
    none,            ///< the program is right
    bad_program,     ///< no ranks or no chunks, not as many lists as ranks, or chunks that do not make equal shards
    bad_peer,        ///< a peer out of range, or the rank itself
    bad_place,       ///< chunks that the buffer does not hold on that rank
    no_operator,     ///< a reduction in an operation that has no operator to reduce with
    bad_operands,    ///< a reduce_many of fewer than two operands, or of more than there is room for
    writes_input,    ///< the input is never written
    bad_join,        ///< a step is joined to one that is no message to, or from, the same peer
    parts_depend,    ///< a part of a message needs or overwrites what another part of it writes
    relabels,        ///< data of one chunk id put under another: lengths differ in uneven layouts
    reads_nothing,   ///< a chunk is read that holds nothing yet
    length_mismatch, ///< the two ends of a message name different chunks
    deadlock,        ///< without buffering, some steps never complete
    lost,            ///< a contribution is missing from a result
    doubled,         ///< a contribution is in a result twice
    wrong_data,      ///< a place holds nothing, or not the data of the rank that the operation promises
    not_a_prefix,    ///< a scan's result is not the reduction of the ranks' inputs from rank 0 on, in rank order
    different_bits,  ///< two ranks hold differently grouped or ordered results for the same chunk
    disconnected,    ///< some ranks never hear of the others, so that a failure or a mismatch could not reach them
    modes_differ,    ///< a message or a result is not the same in place and out of place, though ranks may differ in it
    other_cost,      ///< the cost is not the one stated
    no_chunks,       ///< a place of no chunks
    does_not_rotate, ///< a message or step is not rank 0's with ranks and chunks shifted, as the algorithm claims
};

/// A flaw and where it is. `step` is the number in the program's list, -1 when it is about none.
struct finding {
    flaw what = flaw::none;  ///< the kind of flaw
    int rank = -1;           ///< the rank where it is
    int step = -1;           ///< the step where it is
    int other_rank = -1;     ///< the other rank that it is about, such as a peer
    int other_step = -1;     ///< of a modes_differ: the step out of place
    int chunk = -1;          ///< as the program cuts them
    long long expected = 0;  ///< of a bad_program: what is needed
    long long found = 0;     ///< of a bad_program: what there is
    const char* unit = "";   ///< of a bad_program: of what
    bool being_sent = false; ///< of a deadlock: it waits to overwrite data that are being sent
    bool in_place = false;   ///< the mode of the program that `step` is a step of
    bool mixed = false;      ///< of a deadlock: only where some ranks work in place and others do not
    own_step own{};          ///< `step`, as its author knows it
    own_step other_own{};    ///< `other_step` likewise
    bool unmatched = false;  ///< of a deadlock: the peer has no other end of this message
    cost stated{};           ///< of an other_cost
    cost measured{};         ///< of an other_cost
};

namespace detail {

/// The number of a program that does not fit its operation, if there is one.
TUTTI_COLD [[nodiscard]] constexpr finding misfit(const program& p) noexcept {
    const auto bad = [](long long found, const char* unit, long long expected) {
        return finding{flaw::bad_program, -1, -1, -1, -1, -1, expected, found, unit};
    };
    if (p.size < 1) return bad(p.size, "ranks, not at least ", 1);
    if (p.size > most_ranks(p.what)) return bad(p.size, "ranks, not at most ", most_ranks(p.what));
    if (p.ranks.size() != static_cast<std::size_t>(p.size))
        return bad(static_cast<long long>(p.ranks.size()), "lists of steps, not one for each rank of ", p.size);
    if (p.root < 0 || p.root >= p.size) return bad(p.size, "ranks, and no root ", p.root);
    if (p.segments < 1) return bad(p.segments, "segments, not at least ", 1);
    if (p.chunks < 1) return bad(p.chunks / p.segments, "chunks, not at least ", 1);
    if (p.chunks % p.segments != 0) return bad(p.chunks, "segmented chunks, not a multiple of ", p.segments);
    if (const int parts = parts_of(p.what, p.size); p.chunks / p.segments % parts != 0)
        return bad(p.chunks / p.segments, "chunks, not a multiple of ", parts);
    return {};
}

struct figure {
    const char* name;
    long long stated, found;
    bool bound;
    [[nodiscard]] constexpr bool wrong() const noexcept { return bound ? found > stated : found != stated; }
};

/// The figures of a stated cost, beside those that were found.
[[nodiscard]] constexpr std::array<figure, 5> figures(const cost& stated, const cost& found) noexcept {
    return {figure{"depth", stated.depth, found.depth, stated.bound},
            figure{"rounds", stated.rounds, found.rounds, stated.bound},
            figure{"chunks sent", stated.sent, found.sent, stated.bound},
            figure{"chunks received", stated.received, found.received, stated.bound},
            figure{"fan-in", stated.fan_in, found.fan_in, stated.bound}};
}

/// Adds the facts of the program that the message needs. `of_other` is the one that `other_step` belongs to.
[[nodiscard]] constexpr finding told(finding f, const program& p, const program& of_other) {
    if (f.what == flaw::bad_program) return misfit(p);
    f.in_place = p.in_place;
    if (f.step >= 0) f.own = own_step_of(p, f.rank, f.step);
    if (f.other_step >= 0) f.other_own = own_step_of(of_other, f.other_rank, f.other_step);
    if (f.chunk != -1) f.chunk /= p.segments;
    return f;
}

TUTTI_COLD [[nodiscard]] inline std::string stuck_in_words(const finding& f, const std::string& here,
                                                           const std::string& there) {
    const std::string mode = f.in_place ? " in place" : " out of place";
    const std::string when = f.mixed ? mode + ", where other ranks differ in that" : "";
    if (f.being_sent)
        return here + " never runs" + when + ": it would overwrite chunk " + std::to_string(f.chunk) +
               ", still being sent by " + in_words(f.other_own);
    if (f.unmatched)
        return here + " never completes" + when + ": " + there + " never " +
               (sends(f.own.what) ? "receives" : "sends") + " it";
    if (f.other_rank >= 0) return here + " never completes" + when + ": it waits for " + there;
    return here + " never runs" + when;
}

TUTTI_COLD [[nodiscard]] inline std::string modes_in_words(const finding& f, const std::string& here) {
    if (f.other_step < 0)
        return here + " is a message that is not sent " + (f.in_place ? "out of place" : "in place") +
               "; ranks may differ in that";
    const std::string there = in_words(f.other_own) + " out of place; ranks may differ in that";
    if (sends(f.own.what)) return here + " does not carry in place what it does by " + there;
    return here + " does not combine chunk " + std::to_string(f.chunk) + " in place as is done by " + there;
}

[[nodiscard]] inline std::string misfit_in_words(const finding& f) {
    if (f.unit[0] == 0) return "the two programs are not one call, out of place and in place";
    return "there are " + std::to_string(f.found) + " " + f.unit + std::to_string(f.expected);
}

TUTTI_COLD [[nodiscard]] inline std::string cost_in_words(const finding& f) {
    std::string text;
    for (const figure& x : figures(f.stated, f.measured)) {
        if (!x.wrong()) continue;
        text.append(text.empty() ? "the cost is not the stated one: " : "; ").append(x.name);
        text.append(" stated ").append(std::to_string(x.stated)).append(", found ").append(std::to_string(x.found));
    }
    return text;
}

} // namespace detail

/// One line that names the rank, and the step as its author knows it.
TUTTI_COLD [[nodiscard]] inline std::string message_of(const finding& f) {
    using std::to_string;
    const std::string here = "rank " + to_string(f.rank) + (f.step >= 0 ? ", " + in_words(f.own) : "");
    const std::string there =
        "rank " + to_string(f.other_rank) + (f.other_step >= 0 ? ", " + in_words(f.other_own) : "");
    const std::string chunk = "chunk " + to_string(f.chunk);
    switch (f.what) {
    case flaw::none: return "proven";
    case flaw::bad_program: return detail::misfit_in_words(f);
    case flaw::bad_peer: return here + (f.other_rank == f.rank ? ": a rank cannot send to itself" : ": no such peer");
    case flaw::no_chunks: return here + " names no chunk";
    case flaw::bad_place: return here + ": " + chunk + " is outside of the buffer that the step names";
    case flaw::no_operator: return here + " reduces in an operation that has no operator";
    case flaw::bad_operands: return here + " combines too few operands, or too many";
    case flaw::writes_input: return here + " writes the input";
    case flaw::bad_join:
        return here + " is joined to a step that is no message of the same ranks in the same direction";
    case flaw::parts_depend:
        return here + " and " + there + " are parts of one message, but one writes what the other uses";
    case flaw::relabels: return here + " puts data of " + chunk + " under another chunk id, whose length may differ";
    case flaw::reads_nothing: return here + " reads " + chunk + ", which holds nothing yet";
    case flaw::length_mismatch: return here + " and " + there + " are two ends of a message but name different chunks";
    case flaw::deadlock: return detail::stuck_in_words(f, here, there);
    case flaw::lost: return here + ": " + chunk + " lacks the contribution of rank " + to_string(f.other_rank);
    case flaw::doubled:
        return here + ": " + chunk + " has the contribution of rank " + to_string(f.other_rank) + " twice";
    case flaw::wrong_data:
        return here + ": " + chunk + " holds nothing; it should hold rank " + to_string(f.other_rank) + "'s data";
    case flaw::not_a_prefix:
        return here + ": " + chunk + " is not the reduction of ranks 0 to " + to_string(f.other_rank) +
               " in rank order";
    case flaw::different_bits: return here + ": " + chunk + " is grouped or ordered otherwise than on " + there;
    case flaw::disconnected: return "no chain of messages joins " + here + " to rank " + to_string(f.other_rank);
    case flaw::modes_differ: return detail::modes_in_words(f, here);
    case flaw::other_cost: return detail::cost_in_words(f);
    case flaw::does_not_rotate: return here + " is not rank 0's, shifted, as the algorithm says of itself";
    }
    return {};
}

} // namespace tutti::schedule
