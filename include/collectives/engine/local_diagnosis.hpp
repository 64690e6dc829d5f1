// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "fault_report.hpp"
#include "world_status.hpp"

#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace tutti::engine {

/// Each rank notices by itself that it has lost rank 0, whose process hosts the control plane. The rank that rank 0's
/// calls had failed by is at fault, as it has said over its data channel; else one that was lost a moment before.
TUTTI_COLD inline void find_first_cause(transport::any& t, const world_status& known, transport::notice& loss,
                                        transport::clock::time_point now) {
    transport::culprit by{known.lately_lost(now)};
    try {
        t.progress();                 // its last words may lie there
    } catch (const std::exception&) { // no memory: what was heard counts
    }
    if (const transport::culprit told = t.blamed_by(0); told.rank >= 0) by = told;
    if (by.rank <= 0 || by.rank >= t.size() || by.rank == t.rank()) return;
    const bool is_here = known.of(by.rank) == world_status::presence::here;
    loss.why = is_here ? by.why : known.why(by.rank);
    loss.peer = is_here ? by.rank : known.culprit(by.rank);
    loss.text = (is_here ? "the calls of rank 0 failed by rank " + std::to_string(by.rank) : known.how(by.rank)) +
                "; after that " + loss.text;
}

/// The fault of a run where rank 0, whose process hosts the control plane, does not answer, or is gone. What rank 0
/// told before that has been judged already. So it is the first that was lost, or what it failed by is; peers that go
/// after that do so because of it, until the program knows. Nothing on rank 0, and where it has left of its own accord.
/// `seen` is all that this rank knows itself.
template <class Work>
TUTTI_COLD [[nodiscard]] std::optional<fault> fault_of_coordinator(transport::any& t, const world_status& known,
                                                                   const Work& run, const std::string& seen) {
    using presence = world_status::presence;
    const bool is_silent = known.of(0) == presence::here;
    const int culprit = is_silent ? 0 : known.culprit(0);
    if (t.rank() == 0 || known.is_known(culprit) || (known.of(0) == presence::left && culprit == 0))
        return std::nullopt;
    if (is_silent)
        return fault_of(t, &run, cause::timeout, 0,
                        "rank 0 hosts the control plane, and does not answer, so nobody could be asked for more: " +
                            seen);
    return fault_of(t, &run, known.why(0), culprit,
                    known.how(0) + "; with rank 0 the control plane went, so nobody could be asked for more: " + seen);
}

/// The fault of a run whose peer has told over its data channel by which rank its own calls failed: it makes no more.
template <class Work>
TUTTI_COLD [[nodiscard]] std::optional<fault> fault_of_blamed(transport::any& t, const Work& run, int peer,
                                                              const std::string& how) {
    const transport::culprit by = t.blamed_by(peer);
    if (by.rank < 0 || by.rank >= t.size() || by.rank == peer || by.rank == t.rank()) return std::nullopt;
    return fault_of(t, &run, by.why, by.rank, "rank " + std::to_string(peer) + ", whose calls failed by it, " + how);
}

/// The fault of a run whose peer cannot be reached. The coordinator was asked why, and has not answered: the peer's own
/// word counts, then that rank 0 was lost before.
template <class Work>
TUTTI_COLD [[nodiscard]] fault fault_of_broken(transport::any& t, const world_status& known, const Work& run, int peer,
                                               const std::string& how) {
    const std::string seen = "cannot be reached: " + how;
    if (auto named = fault_of_blamed(t, run, peer, seen)) return *std::move(named);
    if (peer != 0 && known.of(0) != world_status::presence::here)
        if (auto first = fault_of_coordinator(t, known, run, "rank " + std::to_string(peer) + ' ' + seen))
            return *std::move(first);
    return fault_of(t, &run, cause::lost_peer, peer, "it " + seen);
}

/// A queued run is held up by the run that has its slot.
template <class Work>
[[nodiscard]] const Work& holder_of_slot(const Work& run) {
    if constexpr (Work::has_steps)
        if (run.state() == run_state::queued) return *run.members().queues[run.slot()].first;
    return run;
}

/// The fault of a run that cannot end while the coordinator is gone or silent. For whom the rank waits that this one
/// waits for is unknown here.
template <class Work>
TUTTI_COLD [[nodiscard]] fault local_diagnosis(transport::any& t, const world_status& known, const Work& run) {
    if (const int i = run.mismatched_step(); i >= 0)
        return fault_of(t, &run, cause::mismatch, run.peer_of(i), "the message that came belongs to another call");
    const Work& at = holder_of_slot(run);
    const int peer = at.peer_of(at.waiting_step());
    if (peer >= 0 && known.of(peer) != world_status::presence::here)
        return fault_of(t, &run, known.why(peer), known.culprit(peer), known.how(peer));
    if (const auto how = peer >= 0 ? t.broken(peer) : std::nullopt) return fault_of_broken(t, known, run, peer, *how);
    const std::string waits = at.in_hand() > 0 ? "this rank waits for its executor"
                              : peer < 0       ? "this rank waits for nobody"
                                               : "this rank waits for rank " + std::to_string(peer);
    if (at.in_hand() == 0 && peer >= 0)
        if (auto named = fault_of_blamed(t, run, peer, "is waited for")) return *std::move(named);
    if (at.in_hand() == 0)
        if (auto first = fault_of_coordinator(t, known, run, waits)) return *std::move(first);
    return fault_of(t, &run, cause::timeout, peer, waits);
}

} // namespace tutti::engine
