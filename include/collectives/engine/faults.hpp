// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "execution.hpp"

#include <string>

namespace tutti::engine {

[[nodiscard]] constexpr const char* remedy_for(cause c) noexcept {
    switch (c) {
    case cause::lost_peer: return "look at that rank's own output for why it ended, then start the job again";
    case cause::timeout: return "look at what that rank is doing; raise the deadline if it is merely slow";
    case cause::mismatch: return "make all ranks call the same operations in the same order with equal arguments";
    default: return "";
    }
}

/// What to do about a fault whose detail is known.
[[nodiscard]] inline std::string remedy_for(cause c, const std::string& detail) {
    if (c == cause::mismatch && detail.find("symmetric memory") != detail.npos)
        return "pass symmetric_memory on all ranks or on none (a span of it counts as plain memory), or name an "
               "algorithm on all ranks";
    return remedy_for(c);
}

/// The fault of a run, with what the run knows added to what the control plane says.
template <class Transport>
[[nodiscard]] fault fault_of(const Transport& t, const execution<Transport>* run, cause why, int peer,
                             std::string detail) {
    fault f;
    f.why = why;
    f.peer = peer;
    f.detail = std::move(detail);
    f.remedy = remedy_for(why, f.detail);
    if (peer >= 0 && peer < t.size()) {
        const transport::peer_name name = t.name_of(peer);
        f.host = name.host;
        f.address = name.address;
    }
    if (run) {
        f.operation = in_words(run->what());
        f.step = run->waiting_step();
        f.bytes_done = run->bytes_done();
    }
    return f;
}

/// What this rank tells the ledger about a run and one of its steps, -1 for none.
template <class Transport>
[[nodiscard]] transport::notice notice_of(const Transport& t, const execution<Transport>& run,
                                          transport::notice_kind kind, int step) {
    transport::notice n;
    n.kind = kind;
    n.communicator = run.members().id;
    n.members = run.members().size();
    n.rank = t.rank();
    n.step = step;
    n.peer = run.peer_of(step);
    n.request = run.request();
    n.bytes = run.bytes_done();
    n.call = in_words(run.what());
    return n;
}

/// The answer to who asks for a call that is over.
template <class Transport>
[[nodiscard]] transport::notice notice_of(const Transport& t, const group<Transport>& g,
                                          const typename group<Transport>::past& over) {
    transport::notice n;
    n.kind = transport::notice_kind::waiting;
    n.communicator = g.id;
    n.members = g.size();
    n.rank = t.rank();
    n.request = over.request;
    n.call = in_words(*over.what);
    return n;
}

} // namespace tutti::engine
