// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "faults.hpp"
#include "world_status.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace tutti::engine {

/// The state of rank 0, whose process hosts the control plane, as far as this rank knows.
[[nodiscard]] inline std::string coordinator_in_words(const world_status& known) {
    const std::string zero = "nobody could be asked for more: rank 0 hosts the control plane, and ";
    return zero + (known.of(0) == world_status::presence::here ? "that does not answer" : known.how(0));
}

/// The fault of a run whose peer cannot be reached. Where rank 0 was lost before, nobody can be asked why that is, and
/// it may be the first cause: it is told as well.
template <class Transport, class Work>
[[nodiscard]] fault fault_of_broken(Transport& t, const world_status& known, const Work& run, int peer,
                                    const std::string& how) {
    const bool asks = peer == 0 || t.rank() == 0 || known.of(0) != world_status::presence::lost;
    return fault_of(t, &run, cause::lost_peer, peer,
                    "it cannot be reached: " + how + (asks ? std::string() : "; " + coordinator_in_words(known)));
}

/// A queued run is held up by the run that has its slot.
template <class Work>
[[nodiscard]] const Work& holder_of_slot(const Work& run) {
    if constexpr (Work::has_steps)
        if (run.state() == run_state::queued) return *run.members().queues[run.slot()].first;
    return run;
}

/// The fault of a run that cannot end while the coordinator is gone or silent: the rank that it waits for, and the
/// state of rank 0. For whom that rank waits is unknown here.
template <class Transport, class Work>
[[nodiscard]] fault local_diagnosis(Transport& t, const world_status& known, const Work& run) {
    if (const int i = run.mismatched_step(); i >= 0)
        return fault_of(t, &run, cause::mismatch, run.peer_of(i), "the message that came belongs to another call");
    const auto& group = run.members();
    const Work& at = holder_of_slot(run);
    const int peer = at.peer_of(at.waiting_step());
    if (peer >= 0 && known.of(peer) != world_status::presence::here)
        return fault_of(t, &run, known.why(peer), known.culprit(peer), known.how(peer));
    if (const auto how = peer >= 0 ? t.broken(peer) : std::nullopt) return fault_of_broken(t, known, run, peer, *how);
    const bool among_us = std::find(group.members.begin(), group.members.end(), 0) != group.members.end();
    if (t.rank() != 0 && among_us && known.of(0) == world_status::presence::here)
        return fault_of(t, &run, cause::timeout, 0, "rank 0, which hosts the control plane, does not answer");
    const std::string waits = at.in_hand() > 0 ? "this rank waits for its executor"
                              : peer < 0       ? "this rank waits for nobody"
                                               : "this rank waits for rank " + std::to_string(peer);
    return fault_of(t, &run, cause::timeout, peer, waits + "; " + coordinator_in_words(known));
}

} // namespace tutti::engine
