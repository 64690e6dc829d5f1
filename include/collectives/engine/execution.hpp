// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// Long because starting, doing and completing a step are one hot path over one state.

#include "call.hpp"
#include "group.hpp"
#include "recorder.hpp"
#include "watched_reducer.hpp"

#include "../schedule/plan.hpp"

#include <transport/transport.hpp>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

namespace tutti::engine {

enum class run_state : std::uint8_t { idle, queued, running, done, failed };

/// One run of a plan over a transport. Kept and used again for further runs of the same plan in the same slot, so that
/// a warm run allocates nothing. Driven by one thread; only `state` is read by others.
template <class Transport>
class execution {
public:
    using clock = transport::clock;

    execution(std::shared_ptr<const schedule::plan> p, std::uint32_t slot, const call& c)
        : plan_(std::move(p)), slot_(slot), call_(c), transfers_(plan_->steps.size()),
          waits_(plan_->dependencies.waits), ready_(plan_->steps.size()), places_(plan_->windows.size()) {}
    execution(const execution&) = delete;
    execution& operator=(const execution&) = delete;

    /// Takes a call over. Nothing moves before begin().
    void prepare(group<Transport>& g, const call& c, std::uint64_t request) {
        group_ = &g;
        request_ = request;
        if (!is_laid_out_ || c != call_) {
            is_laid_out_ = false;
            call_ = c;
            meaning_ = meaning_of(c);
            if (c.reduce.is_functor) functor_.watch(c.reduce);
            same_since_ = request;
        }
        signature_ = next_signature(g.signature, meaning_);
        left_ = plan_->steps.size();
        functor_.begin();
        is_in_trouble_ = false;
        reported_ = {};
        deadline_ = clock::time_point::max();
        failure_.reset();
        state_.store(run_state::queued, std::memory_order_relaxed); // read by this thread until it is handed over
    }

    /// Where to record its steps; nowhere if the page is empty.
    void record_on(const record_page& page) noexcept { page_ = page; }

    /// Starts all that can start. Precondition: the run before has done all its steps, if there was one. (One that
    /// fails is the last: its communicator fails with it.)
    void begin(Transport& t) {
        resolve(t);
        lay_out();
        for (auto& x : transfers_) x.owner = nullptr;
        done_.clear();
        put_off_.clear();
        state_.store(run_state::running, std::memory_order_relaxed);
        for (const std::uint32_t i : plan_->ready) {
            start(t, i);
            run_ready(t);
        }
        // Small messages may have gone and come already.
        while (take_completed(t)) {
        }
    }

    /// Takes note of what the transport has completed and starts what that allows; and does a piece of the work that is
    /// too long to be done at once. False: there was nothing to do.
    bool advance(Transport& t) {
        const bool completed = take_completed(t);
        if (put_off_.empty()) return completed;
        go_on(t);
        return true;
    }

    /// All steps are done. Then `conclude` runs the operator's last stage, once, and lends the scratch to the next run.
    [[nodiscard]] bool finished() const noexcept {
        return left_ == 0 && state_.load(std::memory_order_relaxed) == run_state::running;
    }
    void conclude() {
        if (scratch_.size > group_->spare.size) std::swap(scratch_, group_->spare);
        if (!call_.finisher) return;
        const schedule::chunk_range w = plan_->windows[index_of(schedule::buffer::output)];
        if (w.count() > 0) call_.finisher(call_.output, cut_.bound(w.last) - cut_.bound(w.first), plan_->where.size);
    }

    /// It cannot come to its end: a message does not belong to it, or its functor was too slow.
    [[nodiscard]] bool is_in_trouble() const noexcept { return is_in_trouble_; }
    /// The driver is to look at it, and at the clock.
    [[nodiscard]] bool needs_a_look() const noexcept { return is_in_trouble_ || functor_.has_looked(); }
    [[nodiscard]] bool was_slow() noexcept { return functor_.take_look(); }
    /// The number of the step whose message does not belong to this call, -1 if all do.
    [[nodiscard]] int mismatched_step() const noexcept { return mismatched_; }
    /// The first step under way that waits for a peer, receives before sends; -1 if none does.
    [[nodiscard]] int waiting_step() const noexcept {
        for (const bool want_receive : {true, false})
            for (std::size_t i = 0; i < transfers_.size(); ++i)
                if (pending(i) && receives(plan_->steps[i]) == want_receive) return static_cast<int>(i);
        return -1;
    }
    /// The world's rank that a step talks to.
    [[nodiscard]] int peer_of(int i) const {
        if (i < 0) return -1;
        const schedule::step& s = plan_->steps[static_cast<std::size_t>(i)];
        if (!communicates(s)) return -1;
        return group_->members[static_cast<std::size_t>(plan_->peers[static_cast<std::size_t>(s.peer)])];
    }
    /// A step under way that waits for that rank; -1 if none does.
    [[nodiscard]] int step_waiting_for(int world_rank) const {
        for (int i = 0; i < static_cast<int>(transfers_.size()); ++i)
            if (pending(static_cast<std::size_t>(i)) && peer_of(i) == world_rank) return i;
        return -1;
    }
    [[nodiscard]] std::uint64_t bytes_done() const noexcept {
        std::uint64_t sum = 0;
        if (state() == run_state::queued) return sum; // the transfers are those of the run before
        for (const auto& x : transfers_) sum += x.owner ? x.moved : 0;
        return sum;
    }

    [[nodiscard]] const call& what() const noexcept { return call_; }
    /// This object's calls from that number on were this one.
    [[nodiscard]] std::uint64_t same_since() const noexcept { return same_since_; }
    /// The hash of this call and all before it.
    [[nodiscard]] std::uint64_t signature() const noexcept { return signature_; }
    [[nodiscard]] group<Transport>& members() const noexcept { return *group_; }
    [[nodiscard]] std::uint32_t slot() const noexcept { return slot_; }
    [[nodiscard]] std::uint64_t request() const noexcept { return request_; }
    [[nodiscard]] clock::time_point deadline() const noexcept { return deadline_; }
    void end_by(clock::time_point deadline) noexcept { deadline_ = deadline; }
    [[nodiscard]] const std::shared_ptr<const fault>& failure() const noexcept { return failure_; }

    /// Ends it. Written by the driving thread as its last act on this object; whoever waits reads it with acquire and
    /// then owns the object and the user's buffers again.
    void end(run_state s, std::shared_ptr<const fault> why = {}) {
        failure_ = std::move(why);
        state_.store(s, std::memory_order_release);
    }
    [[nodiscard]] run_state state() const noexcept { return state_.load(std::memory_order_acquire); }

    execution* next = nullptr;         ///< in the slot's queue
    std::shared_ptr<const void> keeps; ///< lives as long as this run is in use: the operator
    struct report {
        bool sent = false;              ///< the ledger knows that we are late, or of a mismatch, and owes a verdict
        bool accused = false;           ///< the ledger knows of a peer that cannot be reached
        clock::time_point answer_due{}; ///< when to stop waiting for its verdict
    };
    [[nodiscard]] report& reported() noexcept { return reported_; }
    [[nodiscard]] const report& reported() const noexcept { return reported_; }

private:
    static constexpr bool views_messages = transport::viewing_transport<Transport>;
    using operands = std::array<const std::byte*, schedule::most_operands>;

    struct memory {
        std::byte* base = nullptr;
        std::size_t first = 0; ///< the element that lies at base
    };

    /// The channels to the plan's peers; the transport keeps their addresses while the context is open.
    void resolve(Transport& t) {
        if (!channels_.empty() || plan_->peers.empty()) return;
        for (const int p : plan_->peers)
            channels_.push_back(&t.open({group_->id, slot_}, group_->members[static_cast<std::size_t>(p)]));
    }

    /// Says for each step where its data is. That stays when a call is repeated.
    void lay_out() {
        mismatched_ = -1;
        if (!is_laid_out_) {
            cut_ = plan_->cut(call_.count);
            scratch_needed_ = plan_->scratch_elements(cut_) * call_.element_bytes;
        }
        if (scratch_needed_ > scratch_.size) take_scratch();
        if (!is_laid_out_ || laid_out_scratch_ != scratch_.bytes.get()) lay_out_steps();
    }
    void lay_out_steps() {
        laid_out_scratch_ = scratch_.bytes.get();
        lay_out_buffers();
        for (std::size_t i = 0; i < transfers_.size(); ++i) {
            transport::transfer& x = transfers_[i];
            lay_out(plan_->steps[i], x);
            x.may_view =
                views_messages && x.bytes > 0 && plan_->dependencies.viewed.reader_of(static_cast<int>(i)) >= 0;
        }
        is_laid_out_ = true;
    }
    void lay_out(const schedule::step& s, transport::transfer& x) {
        // One range for both places: verify refuses steps that relabel chunks.
        const schedule::place chunks = receives(s) ? s.to : s.from;
        const std::size_t low = cut_.bound(chunks.first);
        x.from = reads_from(s) ? at(s.from.where, low) : nullptr;
        x.to = writes_to(s) ? at(s.to.where, low) : nullptr;
        x.bytes = (cut_.bound(chunks.first + chunks.count) - low) * call_.element_bytes;
        x.reduce = s.what == schedule::action::receive_reduce ? &reduction() : nullptr;
        x.incoming_left = s.other == schedule::side::left;
    }
    void take_scratch() {
        std::swap(scratch_, group_->spare);
        if (scratch_needed_ <= scratch_.size) return;
        scratch_ = {}; // first, so that both never exist at once
        scratch_ = {std::make_unique_for_overwrite<std::byte[]>(scratch_needed_), scratch_needed_};
    }
    void lay_out_buffers() {
        std::byte* bank = scratch_.bytes.get();
        for (std::size_t b = 0; b < places_.size(); ++b) {
            const schedule::chunk_range w = plan_->windows[b];
            places_[b].first = cut_.bound(w.first);
            if (b == 0)
                places_[b].base = const_cast<std::byte*>(call_.input); // schedules never write the input
            else if (b == 1)
                places_[b].base = call_.output;
            else {
                places_[b].base = bank;
                bank += (cut_.bound(w.last) - places_[b].first) * call_.element_bytes;
            }
        }
    }

    bool take_completed(Transport& t) {
        if (done_.empty()) return false;
        while (transport::transfer* x = done_.pop()) {
            const auto i = static_cast<std::uint32_t>(x - transfers_.data());
            if (x->status == transport::transfer_status::mismatched) {
                mismatched_ = static_cast<int>(i);
                is_in_trouble_ = true;
            } else if (functor_.late()) {
                is_in_trouble_ = true; // what is in its place is no result
            } else {
                complete(i);
            }
        }
        run_ready(t);
        return true;
    }

    void run_ready(Transport& t) {
        while (ready_count_ > 0) start(t, ready_[--ready_count_]);
    }

    void start(Transport& t, std::uint32_t i) {
        const schedule::step& s = plan_->steps[i];
        transport::transfer& x = transfers_[i];
        if (page_) [[unlikely]]
            page_.begin(i);
        if (!communicates(s)) return start_work(t, i);
        x.viewed = false;
        x.signature = signature_;
        x.status = transport::transfer_status::pending;
        x.moved = 0;
        x.owner = &done_;
        auto& channel = *channels_[static_cast<std::size_t>(s.peer)];
        if (sends(s))
            t.send(channel, x);
        else
            t.receive(channel, x);
        if (const int follower = plan_->dependencies.next_on_channel[i]; follower >= 0)
            release(static_cast<std::uint32_t>(follower));
    }

    /// What reduces: the call's own reducer, or the watch over it.
    [[nodiscard]] const reducer& reduction() const noexcept {
        return call_.reduce.is_functor ? functor_.get() : call_.reduce;
    }

    /// Work without a peer that is longer goes on in pieces, between which messages move and deadlines are looked at.
    /// A piece of a built-in operator is as long as what is stored past the caches, and takes some milliseconds.
    [[nodiscard]] std::size_t at_once_bytes() const noexcept {
        constexpr std::size_t of_functor = 64 * 1024, of_built_in = 16 * 1024 * 1024;
        return call_.reduce.is_functor ? of_functor : of_built_in;
    }
    /// Apart, so that messages, of which there are more, do not pay for its registers.
    [[gnu::noinline]] void start_work(Transport& t, std::uint32_t i) {
        transport::transfer& x = transfers_[i];
        if (x.bytes > at_once_bytes() && !reads_views(i)) return put_off(x);
        if (work(t, i, 0, x.bytes)) complete(i);
    }
    void put_off(transport::transfer& x) noexcept {
        x.moved = 0;
        put_off_.push(x);
    }
    [[gnu::noinline]] void go_on(Transport& t) {
        transport::transfer& x = *put_off_.front();
        const auto i = static_cast<std::uint32_t>(&x - transfers_.data());
        const std::size_t most = at_once_bytes() / call_.element_bytes * call_.element_bytes;
        const std::size_t bytes = std::min(x.bytes - x.moved, std::max(most, call_.element_bytes));
        const bool good = work(t, i, x.moved, bytes);
        x.moved += bytes;
        if (good && x.moved < x.bytes) return;
        put_off_.pop();
        if (good) complete(i);
        run_ready(t);
    }
    /// It reads messages where they lie, which is to be done in one go.
    [[nodiscard]] bool reads_views([[maybe_unused]] std::uint32_t i) const {
        if constexpr (views_messages)
            return plan_->steps[i].what == schedule::action::reduce_many &&
                   !plan_->dependencies.viewed.of(static_cast<int>(i)).empty();
        else
            return false;
    }

    /// Some bytes of a step without a peer, from byte `offset` on. False, and the call cannot come to its end: an
    /// operand was taken back by its sender, or the functor was too slow.
    [[gnu::always_inline]] bool work(Transport& t, std::uint32_t i, std::size_t offset, std::size_t bytes) {
        const schedule::step& s = plan_->steps[i];
        const transport::transfer& x = transfers_[i];
        if (bytes == 0) return true;
        if (s.what == schedule::action::reduce_many) return combine_many(t, i, offset, bytes) && is_in_time();
        std::byte* const to = x.to + offset;
        const std::byte* const from = x.from + offset;
        if (s.what == schedule::action::copy) return std::memcpy(to, from, bytes), true;
        const bool left = s.other == schedule::side::left;
        const reducer& r = reduction();
        r.combine(to, left ? from : to, left ? to : from, bytes / call_.element_bytes, r.state);
        return !r.is_functor || is_in_time();
    }
    [[nodiscard]] bool is_in_time() noexcept {
        is_in_trouble_ = is_in_trouble_ || functor_.late();
        return !functor_.late();
    }

    [[gnu::noinline]] bool combine_many(Transport& t, std::uint32_t i, std::size_t offset, std::size_t bytes) {
        const schedule::step& s = plan_->steps[i];
        const std::size_t low = cut_.bound(s.to.first);
        operands from;
        const auto number = static_cast<std::size_t>(schedule::sources(s));
        for (std::size_t k = 0; k < number; ++k) from[k] = at(source(s, static_cast<int>(k)).where, low) + offset;
        const bool here = look(t, i, from);
        const reducer& r = reduction();
        if (here) r.combine_many(transfers_[i].to + offset, from.data(), number, bytes / call_.element_bytes, r.state);
        return release_viewed(t, i) && here;
    }

    /// Finds those operands of a step that lie where their senders have them. False: not all of them are there.
    bool look([[maybe_unused]] Transport& t, [[maybe_unused]] std::uint32_t i, [[maybe_unused]] operands& from) {
        bool here = true;
        if constexpr (views_messages)
            for (const auto& [receive, number] : plan_->dependencies.viewed.of(static_cast<int>(i))) {
                transport::transfer& x = transfers_[static_cast<std::size_t>(receive)];
                if (!x.viewed) continue;
                from[static_cast<std::size_t>(number)] = t.look(channel_of(receive), x);
                here = here && from[static_cast<std::size_t>(number)];
            }
        return here;
    }
    /// They have been read. What is void is waited for again: it will not come, and its sender is to blame.
    bool release_viewed([[maybe_unused]] Transport& t, [[maybe_unused]] std::uint32_t i) {
        bool valid = true;
        if constexpr (views_messages)
            for (const auto& [receive, number] : plan_->dependencies.viewed.of(static_cast<int>(i))) {
                transport::transfer& x = transfers_[static_cast<std::size_t>(receive)];
                if (!x.viewed || t.release(channel_of(receive), x)) continue;
                x.status = transport::transfer_status::pending;
                x.moved = 0;
                valid = false;
            }
        return valid;
    }
    [[nodiscard]] auto& channel_of(int i) const {
        return *channels_[static_cast<std::size_t>(plan_->steps[static_cast<std::size_t>(i)].peer)];
    }

    void complete(std::uint32_t i) {
        if (page_) [[unlikely]]
            page_.end(activity_of(i));
        --left_;
        for (const std::uint32_t follower : plan_->dependencies.followers_of(i)) release(follower);
    }
    /// Something that the step waits for has come. With the last of it the step begins to count anew, for the next run.
    void release(std::uint32_t i) {
        if (--waits_[i] != 0) return;
        waits_[i] = plan_->dependencies.waits[i];
        ready_[ready_count_++] = i;
    }

    /// What a step does, without its times.
    [[nodiscard]] model::activity activity_of(std::uint32_t i) const noexcept {
        const schedule::step& s = plan_->steps[i];
        const int peer = communicates(s) ? plan_->peers[static_cast<std::size_t>(s.peer)] : -1;
        return {plan_->where.rank, static_cast<int>(i), s.what, peer, transfers_[i].bytes};
    }

    [[nodiscard]] std::byte* at(schedule::buffer b, std::size_t element) const noexcept {
        const memory& m = places_[static_cast<std::size_t>(index_of(b))];
        return m.base ? m.base + (element - m.first) * call_.element_bytes : nullptr;
    }
    [[nodiscard]] bool pending(std::size_t i) const noexcept {
        return transfers_[i].owner && transfers_[i].status == transport::transfer_status::pending;
    }

    std::shared_ptr<const schedule::plan> plan_;
    std::uint32_t slot_;
    group<Transport>* group_ = nullptr;
    call call_;
    std::uint64_t request_ = 0, same_since_ = 0, meaning_ = 0, signature_ = 0;
    clock::time_point deadline_ = clock::time_point::max(); ///< until it is set
    schedule::layout cut_{0, 1};
    std::vector<transport::transfer> transfers_; ///< by step; of those without a peer only the places and the bytes
    std::vector<std::uint32_t> waits_; ///< by step, for how much it still waits; once it is ready, in the next run
    std::vector<std::uint32_t> ready_; ///< a stack of `ready_count_` steps
    std::size_t ready_count_ = 0;
    std::vector<memory> places_; ///< by buffer
    std::vector<typename Transport::channel*> channels_;
    transport::transfer_queue done_;
    transport::transfer_queue put_off_; ///< steps without a peer that are under way; `moved` says how far
    watched_reducer functor_{deadline_};
    bool is_in_trouble_ = false;
    typename group<Transport>::memory scratch_;
    std::size_t scratch_needed_ = 0;
    bool is_laid_out_ = false; ///< the transfers lead to the call's memory, and to this scratch
    const std::byte* laid_out_scratch_ = nullptr;
    std::size_t left_ = 0;
    int mismatched_ = -1;
    record_page page_;
    report reported_{};
    std::shared_ptr<const fault> failure_;
    std::atomic<run_state> state_{run_state::idle};
};

} // namespace tutti::engine
