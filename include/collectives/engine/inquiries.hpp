// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../../base/sort.hpp"
#include "../../transport/contract/any.hpp"
#include "fault_report.hpp"
#include "timeouts.hpp"
#include "under_way.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tutti::engine {

/// Unanswered inquiries of the coordinator; and the open communicators, of which it
/// may ask. Driven by one thread.
class inquiries {
public:
    using run = plan_run;
    using messages = point_to_point;
    using members = group;
    using clock = transport::clock;

    /// A communicator is there from now on, until it is removed.
    void add(const members& g) { groups_.insert_or_assign(g.id, &g); }
    void remove(const members& g) noexcept { groups_.erase(g.id); }

    /// Keeps a question until it is answered. One a communicator: the coordinator wants one answer of a rank.
    void ask(transport::notice n, clock::time_point now) {
        std::erase_if(open_, [&](const question& q) { return q.what.communicator == n.communicator; });
        open_.push_back({std::move(n), now + late_call_grace});
    }
    [[nodiscard]] bool any() const noexcept { return !open_.empty(); }

    /// Answers those that can be answered.
    void answer(transport::any& t, const under_way& active, clock::time_point now) {
        std::erase_if(open_, [&](const question& q) {
            const members* g = find(q.what.communicator);
            if (now < q.until && !is_clear(q.what, g, active, now)) return false;
            tell_unreachable(t, active);
            t.tell(answer_to(t, q.what, g, active, now));
            return true;
        });
    }

    /// Tells the coordinator which of the peers that runs wait for cannot be reached. Before this rank tells for whom
    /// it waits: a broken link looks like a circle otherwise.
    TUTTI_COLD static void tell_unreachable(transport::any& t, const under_way& active) {
        const auto tell = [&t](const auto& r, const std::vector<std::int32_t>& peers) {
            for (const int peer : peers)
                if (const auto how = t.broken(peer))
                    t.tell(notice_of_unreachable(t, r, peer, r.step_waiting_for(peer), *how));
        };
        for (const run* r : active.runs) tell(*r, r->peers_waited_for(r->members().members.size()));
        for (const messages* m : active.exchanges) tell(*m, m->peers_under_way());
    }

    /// All calls under way on this rank: first on that communicator, then those that its program waits for.
    TUTTI_COLD [[nodiscard]] static std::vector<transport::waiting_call>
    waits_of(const under_way& active, std::uint64_t communicator, clock::time_point now) {
        std::vector<transport::waiting_call> all;
        const auto add = [&all](const auto& r, bool blocks) {
            all.push_back({r.members().id, r.request(), blocks, r.peers_waited_for(transport::most_peers), r.words()});
        };
        for (const run* r : active.runs) add(*r, holds_up_its_program(*r, now));
        for (const messages* m : active.exchanges) add(*m, m->is_wanted(now));
        tutti::detail::sort_stably(all, [&](const auto& a, const auto& b) {
            const bool here = a.communicator == communicator, there = b.communicator == communicator;
            return here != there ? here : a.blocks && !b.blocks;
        });
        if (all.size() > transport::most_waiting_calls) all.resize(transport::most_waiting_calls);
        return all;
    }

    /// Somebody waits for it, or for one behind it.
    [[nodiscard]] static bool holds_up_its_program(const run& first, clock::time_point now) {
        for (const run* r = &first; r; r = r->next)
            if (r->is_wanted(now)) return true;
        return false;
    }

private:
    struct question {
        transport::notice what;
        clock::time_point until; ///< then it is answered with the facts known by then
    };

    [[nodiscard]] const members* find(std::uint64_t communicator) const {
        const auto found = groups_.find(communicator);
        return found == groups_.end() ? nullptr : found->second;
    }

    /// Nothing that this rank does next makes a better answer: it is in that very call or has done it, or its program
    /// waits for some call. A message can only mismatch that very call.
    [[nodiscard]] static bool is_clear(const transport::notice& asked, const members* g, const under_way& active,
                                       clock::time_point now) {
        if (g && g->done_before(asked.request)) return true;
        const bool about_a_message = asked.why == cause::mismatch;
        for (const messages* m : active.exchanges)
            if (!about_a_message && m->is_wanted(now)) return true;
        for (const run* first : active.runs) {
            if (!about_a_message && holds_up_its_program(*first, now)) return true;
            for (const run* r = first; r; r = about_a_message ? nullptr : r->next)
                if (r->members().id == asked.communicator && r->request() == asked.request) return true;
        }
        return false;
    }

    /// Of that communicator it tells that very call, else the oldest under way.
    TUTTI_COLD [[nodiscard]] transport::notice answer_to(const transport::any& t, const transport::notice& asked,
                                                         const members* g, const under_way& active,
                                                         clock::time_point now) const {
        const run* told = nullptr;
        const auto asked_for = [&](const run& r) { return r.request() == asked.request; };
        for (const run* r : active.runs) {
            if (r->members().id != asked.communicator) continue;
            if (!told || asked_for(*r) || (!asked_for(*told) && r->request() < told->request())) told = r;
        }
        const auto* past = g && asked.why == cause::mismatch ? g->done_before(asked.request) : nullptr;
        transport::notice n;
        if (past)
            n = notice_of_past(t, *g, *past);
        else if (told)
            n = notice_of(t, *told, transport::notice_kind::waiting, told->waiting_step());
        n.kind = transport::notice_kind::waiting;
        n.communicator = asked.communicator;
        n.members = g ? g->size() : 0;
        n.rank = t.rank();
        n.waits = waits_of(active, asked.communicator, now);
        n.calls = histories_of(g, n.waits);
        return n;
    }

    /// The last calls on that communicator, and on those on which this rank waits as well.
    [[nodiscard]] std::vector<transport::past_call>
    histories_of(const members* asked, const std::vector<transport::waiting_call>& waits) const {
        std::vector<transport::past_call> all;
        const auto add = [&](const members* g) {
            if (!g) return;
            const auto more = history_of(*g);
            if (all.size() + more.size() <= transport::most_past_calls) all.insert(all.end(), more.begin(), more.end());
        };
        std::vector<std::uint64_t> added;
        if (asked) added.push_back(asked->id);
        add(asked);
        for (const auto& w : waits) {
            if (std::find(added.begin(), added.end(), w.communicator) != added.end()) continue;
            added.push_back(w.communicator);
            add(find(w.communicator));
        }
        return all;
    }

    std::map<std::uint64_t, const members*> groups_; ///< by id
    std::vector<question> open_;
};

} // namespace tutti::engine
