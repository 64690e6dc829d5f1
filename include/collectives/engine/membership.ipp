// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "engine.hpp"
#include "membership.hpp"
#include "plan_cache.ipp"
#include "recorder.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tutti::engine {

TUTTI_INLINE std::shared_ptr<membership> membership::of_world(transport::any t, bool is_shared) {
    t.require_own();
    auto made = std::make_shared<engine>(std::move(t));
    std::vector<int> all(static_cast<std::size_t>(made->transport().size()));
    for (std::size_t r = 0; r < all.size(); ++r) all[r] = static_cast<int>(r);
    const int rank = made->transport().rank();
    if (is_shared) made->share();
    tutti::detail::log::say(rank, [&] { return world_in_words(made->transport(), is_shared); });
    return owned(new membership(std::move(made), 1, std::move(all), rank));
}

TUTTI_COLD TUTTI_INLINE std::chrono::nanoseconds membership::default_deadline() {
    const char* const variable = std::getenv("TUTTI_DEADLINE");
    const std::string_view text = variable ? variable : "";
    std::uint32_t seconds = 30;
    const char* const end = text.data() + text.size();
    const auto [rest, fault] = std::from_chars(text.data(), end, seconds);
    if (!text.empty() && (fault != std::errc{} || rest != end || seconds == 0))
        reject("the world", "TUTTI_DEADLINE is \"" + std::string(text) +
                                "\": it must be a whole number of seconds from 1 to 4294967295");
    return std::chrono::seconds(seconds);
}

TUTTI_INLINE std::shared_ptr<membership> membership::owned(membership* made) {
    return {made, tutti::detail::delete_in_own_process{}};
}

TUTTI_INLINE membership::membership(std::shared_ptr<engine> on, std::uint64_t id, std::vector<int> members, int rank,
                                    const model::chooser& like, std::string name)
    : engine_(std::move(on)), choice_(like.on(model::topology_of(engine_->transport(), members))) {
    group_.id = id;
    sequence_.signature = first_signature(id);
    group_.members = std::move(members);
    group_.rank = rank;
    group_.name = std::move(name);
    group_.wake = engine_->wake();
    group_.is_timed = engine_->transport().is_timed();
    engine_->open(group_);
}

TUTTI_COLD TUTTI_INLINE auto membership::group_of(std::span<const int> ranks, int tag) -> std::shared_ptr<membership> {
    std::string name = " in the group with tag " + std::to_string(tag) + " of ranks";
    std::uint64_t id = mixed(mixed(~group_.id, static_cast<std::uint32_t>(tag)), ranks.size());
    std::vector<int> members;
    int self = -1;
    for (const int r : ranks) {
        if (r < 0 || r >= size())
            reject("of", "there is no rank " + std::to_string(r) + " among " + std::to_string(size()));
        if (r == rank()) self = static_cast<int>(members.size());
        members.push_back(group_.members[static_cast<std::size_t>(r)]);
        if (std::find(members.begin(), members.end() - 1, members.back()) != members.end() - 1)
            reject("of", "rank " + std::to_string(r) + " is named twice");
        id = mixed(id, static_cast<std::uint32_t>(r));
        name += " " + std::to_string(r);
    }
    if (self < 0) reject("of", "rank " + std::to_string(rank()) + " calls it, and is none of its ranks");
    std::uint64_t* made = nullptr; // which stays in place
    {
        const auto lock = engine_->guard();
        made = &groups_made_[id];
        if (*made > 0) name += ", number " + std::to_string(*made + 1);
        id = mixed(id, (*made)++);
    }
    try {
        return child(id | 1, std::move(members), self, std::move(name));
    } catch (...) {
        const auto lock = engine_->guard_at_last();
        --*made;
        throw;
    }
}

TUTTI_INLINE membership::~membership() { engine_->close(group_, sequence_); }

TUTTI_INLINE std::shared_ptr<membership> membership::child(std::uint64_t id, std::vector<int> members, int rank,
                                                           std::string name) const {
    return owned(new membership(engine_, id, std::move(members), rank, choice_, std::move(name)));
}

TUTTI_INLINE void membership::choose_by(std::shared_ptr<const model::tuner> by) {
    choice_ = model::chooser(choice_.topology(), std::move(by));
}

TUTTI_INLINE std::uint64_t membership::next_child(std::uint64_t color) {
    const auto lock = engine_->guard();
    return mixed(mixed(mixed(0, group_.id), ++children_), color) | 1;
}

TUTTI_INLINE std::shared_ptr<std::byte> membership::allocate(std::size_t bytes) const {
    engine_->require_own();
    try {
        return engine_->transport().allocate(bytes);
    } catch (const std::system_error& e) {
        reject("allocate of " + std::to_string(bytes) + " bytes", e.what(), "use memory of your own, which peers copy");
    }
}

TUTTI_INLINE void membership::register_memory(std::byte* p, std::size_t bytes) const {
    engine_->require_own();
    engine_->transport().register_memory(p, bytes);
}

TUTTI_INLINE transport::clock::time_point membership::now() const { return engine_->transport().now(); }

TUTTI_INLINE bool membership::is_shared() const noexcept { return engine_->is_shared(); }

TUTTI_INLINE std::string membership::way_to(int rank) const {
    const int peer = group_.members.at(static_cast<std::size_t>(rank));
    return engine_->transport().way_to(peer);
}

TUTTI_INLINE membership::started::started(membership& in, entry& from, std::unique_ptr<run> what) noexcept
    : in_(&in), from_(&from), run_(std::move(what)) {}
TUTTI_INLINE membership::started::started(started&&) noexcept = default;
TUTTI_INLINE membership::started::~started() {
    if (!run_) return;
    if (!in_->engine_->is_own()) { // the engine's lists have it
        tutti::detail::keep_for_good(run_.release());
        return;
    }
    await();
    in_->give_back(*from_, std::move(run_));
}

TUTTI_INLINE void membership::started::wait() {
    await();
    if (run_->state() != run_state::failed) return;
    in_->engine_->tells_program();
    throw error(*run_->failure());
}
TUTTI_INLINE bool membership::started::test() { return in_->engine_->test(*run_); }
TUTTI_INLINE void membership::started::nudge() { in_->engine_->nudge(*run_); }
TUTTI_INLINE bool membership::started::is_over() const noexcept { return run_->is_over(); }
TUTTI_INLINE void membership::started::want(bool now) noexcept {
    if (!is_over()) run_->want(now ? clock::time_point::max() : clock::time_point::min());
}
TUTTI_INLINE void membership::started::want_until(clock::time_point until) const noexcept { run_->want_until(until); }
TUTTI_INLINE void membership::started::await() {
    if (is_over()) return; // as small messages may be from the start
    run_->want(clock::time_point::max());
    in_->engine_->wait([this] { return is_over(); });
}

TUTTI_INLINE auto membership::start(const call& c, std::chrono::nanoseconds timeout, std::shared_ptr<const void> keeps,
                                    entry* plan) -> started {
    const auto lock = engine_->guard();
    require_usable();
    if (!plan) {
        require_reachable(c);
        plan = &cache_.find(c, rank(), size());
    }
    std::unique_ptr<run> r = idle_run(*plan, c);
    r->prepare(group_, c, sequence_);
    r->record_on(recorder_ ? recorder_->turn(plan->plan->steps.size()) : record_page{});
    engine_->start(*r, timeout); // under the lock: runs of one communicator start in the order of their numbers
    r->keeps = std::move(keeps); // not before: if this throws, it goes with the caller, outside of the guard
    ++sequence_.next;            // from here on nothing throws: a call that could not start was none
    sequence_.signature = r->signature();
    ++plan->in_use;
    return {*this, *plan, std::move(r)};
}

TUTTI_INLINE auto membership::idle_run(entry& plan, const call& c) -> std::unique_ptr<run> {
    const auto slot = static_cast<std::uint32_t>(sequence_.next % slot_count);
    auto& idle = plan.idle[slot];
    if (idle.empty()) return new_run(plan, c);
    auto r = std::move(idle.back());
    idle.pop_back();
    return r;
}
TUTTI_COLD TUTTI_INLINE auto membership::new_run(entry& plan, const call& c) -> std::unique_ptr<run> {
    if (!std::exchange(plan.is_told, true))
        tutti::detail::log::say(engine_->transport().rank(),
                                [&] { return choice_in_words(engine_->transport(), group_, c); });
    const auto slot = static_cast<std::uint32_t>(sequence_.next % slot_count);
    auto r = std::make_unique<run>(plan.plan, slot, c);
    plan.idle[slot].reserve(plan.idle[slot].capacity() + 1); // so that giving it back cannot fail
    return r;
}

TUTTI_INLINE void membership::wait_until(bool (*ended)(const void*), const void* state, clock::time_point until) {
    engine_->require_nobody();
    const bool stops = until != clock::time_point::max();
    engine_->wait([=, this] { return ended(state) || (stops && now() >= until); }, until);
}

TUTTI_COLD TUTTI_INLINE int membership::descriptor() const {
    int found = -1;
    try {
        found = engine_->descriptor();
    } catch (const std::system_error& e) {
        reject("descriptor", e.what(), "see the limits of descriptors (ulimit -n) and of epoll (/proc/sys/fs/epoll)");
    }
    if (found < 0)
        reject("descriptor", "the ranks of this transport are woken by no descriptor",
               "take transport::shared_memory, tcp or routed, or call step() again and again");
    return found;
}
TUTTI_INLINE bool membership::step() { return engine_->step(); }
TUTTI_INLINE transport::clock::time_point membership::next_deadline() const noexcept {
    return engine_->next_deadline();
}
TUTTI_INLINE bool membership::step(engine& world) { return world.step(); }
TUTTI_INLINE transport::clock::time_point membership::next_deadline(const engine& world) noexcept {
    return world.next_deadline();
}
TUTTI_COLD TUTTI_INLINE std::shared_ptr<attached_loop> membership::attached_to(const engine& world) {
    return world.attached();
}
TUTTI_COLD TUTTI_INLINE void membership::attach(engine& world, std::shared_ptr<attached_loop> what) {
    world.attach(std::move(what));
}

TUTTI_INLINE auto membership::hold(const call& c) -> entry& {
    const auto lock = engine_->guard();
    require_reachable(c);
    entry& plan = cache_.find(c, rank(), size());
    ++plan.in_use;
    return plan;
}
TUTTI_INLINE void membership::let_go(entry& plan) noexcept {
    const auto lock = engine_->guard_alone();
    --plan.in_use;
}

TUTTI_INLINE void membership::record(recorder& to) {
    const auto lock = engine_->guard();
    if (recorder_) reject("record", "a recording of this communicator is under way", "stop it first");
    recorder_ = &to;
}
TUTTI_INLINE void membership::stop_recording() {
    {
        const auto lock = engine_->guard_alone();
        recorder_ = nullptr;
    }
    engine_->stop_recording(group_);
}

TUTTI_INLINE void membership::start(message& m, std::chrono::nanoseconds timeout) {
    if (m.apart.blocks > 0) [[unlikely]] { // which may take long, and holds nobody up
        if (const auto lock = engine_->guard(); m.data) require_host_memory(m);
        m.pack();
    }
    const auto lock = engine_->guard();
    require_usable();
    require_host_memory(m);
    m.renew();
    engine_->start(group_, m, timeout);
}
TUTTI_INLINE void membership::await(message& m) {
    if (m.is_over()) return;
    m.want(clock::time_point::max());
    engine_->wait([&m] { return m.is_over(); });
}
TUTTI_INLINE void membership::wait(message& m) {
    engine_->require_own();
    await(m);
    if (m.state() != run_state::failed) return;
    engine_->tells_program();
    throw error(*m.failure());
}
TUTTI_INLINE bool membership::test(message& m) { return engine_->test(m); }
TUTTI_INLINE void membership::nudge(const message& m) { engine_->nudge(m); }

TUTTI_INLINE void membership::abort(const std::string& reason) { engine_->abort(group_, reason); }

TUTTI_COLD TUTTI_INLINE cancelled membership::cancel(message& m, bool aborts) {
    return engine_->cancel(group_, m, aborts, [&m] { return in_words(m); });
}
TUTTI_COLD TUTTI_INLINE cancelled membership::cancel(run& r) {
    return engine_->cancel(group_, r, true, [&r] { return r.words(); });
}
TUTTI_INLINE void membership::wake_waiters() { engine_->wake_waiters(); }

TUTTI_INLINE void membership::require_nobody() const { engine_->require_nobody(); }

TUTTI_INLINE void membership::require_usable() {
    auto f = engine_->failure_of(group_);
    if (!f) return;
    engine_->tells_program();
    throw error(std::move(*f));
}

template <class Call>
bool membership::is_on_device(const Call& of, const std::byte* p) const {
    try {
        return engine_->transport().is_on_device(p);
    } catch (const std::exception& e) {
        reject(in_words(of), std::string("its memory cannot be looked at: ") + e.what(), "see what nvidia-smi says");
    }
}
TUTTI_INLINE void membership::require_reachable(const call& c) const {
    if (c.by && !c.starter.run) return;
    bool on_device = is_on_device(c, c.input) || is_on_device(c, c.output);
    if (c.lengths) { // parts may lie in memory of different kinds
        for (const std::size_t at : c.lengths->input_at())
            on_device = on_device || is_on_device(c, c.input + at * c.element_bytes);
        for (const std::size_t at : c.lengths->output_at())
            on_device = on_device || is_on_device(c, c.output + at * c.element_bytes);
    }
    if (!on_device) return;
    if (c.starter.run)
        reject(in_words(c), "its data is in the memory of a GPU, where no input is premultiplied",
               "multiply the data by a kernel of yours, and take sum");
    reject(in_words(c), "its data is in the memory of a GPU",
           "call it on a handle of communicator::with_executor, with an executor of that GPU");
}
TUTTI_INLINE void membership::require_host_memory(const message& m) const {
    if (is_on_device(m, m.data))
        reject(in_words(m), "its data is in the memory of a GPU", "copy it to host memory, or call a collective");
}

TUTTI_INLINE void membership::give_back(entry& plan, std::unique_ptr<run> r) noexcept {
    const auto operators = std::move(r->keeps); // goes after the lock: it may own requests of its own
    const auto lock = engine_->guard_at_last();
    plan.idle[r->slot()].push_back(std::move(r));
    --plan.in_use;
}

} // namespace tutti::engine
