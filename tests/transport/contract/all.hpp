// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "closing.hpp"
#include "contexts.hpp"
#include "control.hpp"
#include "credits.hpp"
#include "death.hpp"
#include "fairness.hpp"
#include "fixture.hpp"
#include "large.hpp"
#include "many_peers.hpp"
#include "mismatched.hpp"
#include "opening.hpp"
#include "ordering.hpp"
#include "receive_reduce.hpp"
#include "shorter.hpp"
#include "viewing.hpp"
#include "waiting.hpp"
#include "zero_length.hpp"

#include <vector>

namespace tutti::test {

/// One sentence of the contract, and what throws when a transport does not keep it.
struct clause {
    const char* sentence;
    void (*check)();
};

/// The whole contract. A transport is done when it keeps every clause; a fabric, when it has passed ended_links.hpp and
/// tests/fault/victims.hpp as well (docs/own-fabric.md):
///
///     for (const auto& [sentence, check] : tutti::test::contract<my_fixture>())
///         DYNAMIC_SECTION(sentence) { CHECK_NOTHROW(check()); }
template <contract_fixture F>
std::vector<clause> contract() {
    std::vector<clause> all{
        {"ranks are distinct and named", ranks_are_distinct_and_named<F>},
        {"nodes are numbered alike", nodes_are_numbered_alike<F>},
        {"one rank is a world", one_rank_is_a_world<F>},
        {"opening is idempotent", opening_is_idempotent<F>},
        {"messages arrive in order", [] { messages_arrive_in_order<F>(false); }},
        {"messages arrive in order at a late receiver", [] { messages_arrive_in_order<F>(true); }},
        {"long exchanges stay in step", ping_pong<F>},
        {"empty messages are messages", empty_messages_are_messages<F>},
        {"empty messages are checked", empty_messages_are_checked<F>},
        {"empty messages reduce nothing", empty_messages_reduce_nothing<F>},
        {"large messages cross", large_messages_cross<F>},
        {"mismatches are caught", mismatches_are_caught<F>},
        {"shorter messages tell their length", [] { shorter_messages_tell_their_length<F>(false); }},
        {"shorter messages tell their length to late receives", [] { shorter_messages_tell_their_length<F>(true); }},
        {"one element is reduced", [] { reductions_combine<F>(1); }},
        {"a few elements are reduced", [] { reductions_combine<F>(100); }},
        {"many elements are reduced in whole pieces", [] { reductions_combine<F>(100'003); }},
        {"mismatched reductions reduce nothing", mismatched_reductions_reduce_nothing<F>},
        {"slow readers bound their senders", slow_readers_bound_their_senders<F>},
        {"stuck channels delay nobody", stuck_channels_delay_nobody<F>},
        {"all pairs exchange", [] { all_pairs_exchange<F>(16); }},
        {"contexts pass each other with small messages", [] { contexts_pass_each_other<F>(100); }},
        {"contexts pass each other with large messages", [] { contexts_pass_each_other<F>(1'000'000); }},
        {"contexts may be far ahead", contexts_may_be_far_ahead<F>},
        {"huge messages starve nobody", huge_messages_starve_nobody<F>},
        {"closing forgets receives", closing_forgets_receives<F>},
        {"closing takes memory back", closing_takes_memory_back<F>},
        {"closing waits for a reader", closing_waits_for_a_reader<F>},
        {"completed sends survive close", completed_sends_survive_close<F>},
        {"closing nothing is harmless", closing_nothing_is_harmless<F>},
        {"wakes end waits", wakes_end_waits<F>},
        {"wakes for nothing burn no core", vain_wakes_burn_no_core<F>},
        {"waits keep their deadline, asleep", waits_keep_their_deadline_asleep<F>},
        {"arrivals end waits", arrivals_end_waits<F>},
        {"aborts reach everyone", aborts_reach_everyone<F>},
        {"timeouts are decided", timeouts_are_decided<F>},
        {"leaving is announced", leaving_is_announced<F>},
    };
    if constexpr (viewing_fixture<F>) {
        all.push_back({"views show messages", views_show_messages<F>});
        all.push_back({"answers may lie there already", answers_may_lie_there_already<F>});
        all.push_back({"only what matches is viewed", only_what_matches_is_viewed<F>});
        all.push_back({"views hold their channel alone", views_hold_their_channel_alone<F>});
        all.push_back({"closing voids views", closing_voids_views<F>});
        all.push_back({"closing waits for a viewer", closing_waits_for_a_viewer<F>});
        all.push_back({"closing forgets views", closing_forgets_views<F>});
    }
    if constexpr (killing_fixture<F>) all.push_back({"death of a peer shows", death_of_a_peer_shows<F>});
    return all;
}

} // namespace tutti::test
