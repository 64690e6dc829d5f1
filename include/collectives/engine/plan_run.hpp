// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// Long because starting and completing a step are one hot path over one state.

#include "../../transport/contract/status_page.hpp"
#include "call_state.hpp"
#include "local_steps.hpp"
#include "recorder.hpp"
#include "sent_counts.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::engine {

/// One run of a plan over a transport. Kept and used again for further runs of the same plan in the same slot, so that
/// a warm run allocates nothing itself. Driven by one thread; only `state` is read by others.
class plan_run : public call_state, local_steps {
public:
    /// Faults name the step of the schedule.
    static constexpr bool has_steps = true;

    plan_run(std::shared_ptr<const schedule::plan> p, std::uint32_t slot, const call& c)
        : local_steps(std::move(p), c, deadline_), slot_(slot), waits_(plan_->dependencies.waits),
          ready_(plan_->steps.size()) {}
    plan_run(const plan_run&) = delete;
    plan_run& operator=(const plan_run&) = delete;

    /// Takes a call over. Nothing moves before begin().
    void prepare(group& g, const call& c, const call_sequence& before) {
        group_ = &g;
        request_ = before.next;
        if (!is_laid_out_ || !repeats(c, call_)) {
            is_laid_out_ = false;
            call_ = c;
            meaning_ = meaning_of(c);
            watches_functor_ = c.reduce.is_functor && !g.is_timed;
            if (watches_functor_) functor_.watch(c.reduce);
            same_since_ = request_;
        }
        signature_ = next_signature(before.signature, meaning_);
        left_ = plan_->starts;
        functor_.begin();
        is_in_trouble_ = false;
        reported_ = {};
        renew();
    }

    /// Where to record its steps; nowhere if the page is empty.
    void record_on(const record_page& page) noexcept { page_ = page; }

    /// Starts all that can start. Precondition: the run before has done all its steps, if there was one. (One that
    /// fails is the last: its communicator fails with it.)
    void begin(transport::any& t) {
        resolve(t);
        lay_out();
        for (auto& x : transfers_) x.owner = nullptr;
        done_.clear();
        put_off_.clear();
        enter(run_state::running);
        for (const std::uint32_t i : plan_->ready) {
            start(t, i);
            run_ready(t);
        }
        // Small messages may have gone and come already.
        while (take_completed(t)) {
        }
        if (call_.by) [[unlikely]]
            finish_by_executor();
    }

    /// Takes the transfers that the transport has completed and starts the steps that they release. Does a piece of
    /// work that is too long to be done at once. False: there was nothing to do.
    bool advance(transport::any& t) {
        const bool completed = take_completed(t);
        if (call_.by) [[unlikely]]
            return take_from_executor(t) || completed;
        if (put_off_.empty()) return completed;
        if (const int i = go_on(t); i >= 0) complete(t, static_cast<std::uint32_t>(i));
        run_ready(t);
        return true;
    }

    /// All steps are done. Then `conclude` runs the operator's last stage, once, and lends the scratch to the next run.
    [[nodiscard]] bool finished() const noexcept { return left_ == 0 && own_state() == run_state::running; }
    [[gnu::always_inline]] void conclude() {
        if (scratch_.from_executor)
            scratch_ = {};
        else if (scratch_.size > group_->spare.size)
            std::swap(scratch_, group_->spare);
        sent_.add();
        if (!call_.finisher || call_.by) return;
        if (const std::size_t n = elements_to_finish(); n > 0) call_.finisher(call_.output, n, plan_->where.size);
    }
    /// Stops its executor's work; afterwards that touches no memory of the run. Called before a failed run ends.
    void stop() noexcept {
        if (call_.by) in_hand_.stop(*call_.by);
    }
    /// The pieces of local work that its executor has. While it has any, the run works locally and waits for no peer.
    [[nodiscard]] std::size_t in_hand() const noexcept { return in_hand_.number(); }
    /// Its executor wants to be asked again without a sleep.
    [[nodiscard]] bool asks_again() const noexcept { return call_.by && asks_again_; }
    /// The message that its executor has thrown; empty if none.
    [[nodiscard]] const std::string& executor_failure() const noexcept { return in_hand_.failure(); }

    /// It cannot come to its end: a message does not belong to it, or its functor was too slow.
    [[nodiscard]] bool is_in_trouble() const noexcept { return is_in_trouble_; }
    /// The driver is to look at it, and at the clock.
    [[nodiscard]] bool needs_a_look() const noexcept { return is_in_trouble_ || functor_.has_looked(); }
    [[nodiscard]] bool was_slow() noexcept { return functor_.take_look(); }
    /// The number of the step whose message does not belong to this call, -1 if all do.
    [[nodiscard]] int mismatched_step() const noexcept { return mismatched_; }
    /// How the message of that step differs in length alone, as it does where counts differ, with ranks of the world;
    /// empty if it differs in more.
    [[nodiscard]] std::string lengths_in_words() const {
        if (mismatched_ < 0) return {};
        const transport::transfer& x = transfers_[static_cast<std::size_t>(mismatched_)];
        if (x.moved == x.bytes) return {};
        const auto elements = [&](std::size_t bytes) { return std::to_string(bytes / call_.element_bytes); };
        return "rank " + std::to_string(peer_of(mismatched_)) + " sends " + elements(x.moved) + " elements to rank " +
               std::to_string(group_->members[static_cast<std::size_t>(group_->rank)]) + ", which expects " +
               elements(x.bytes);
    }
    /// The first step that its executor has; else the first under way that waits for a peer, receives before sends; -1
    /// if none does.
    [[nodiscard]] int waiting_step() const noexcept {
        if (in_hand() > 0) return step_in_hand();
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
    /// A step under way that waits for that rank; -1 if none does. One that waits until this rank has read an earlier
    /// message of that rank, where it lies, does not.
    [[nodiscard]] int step_waiting_for(int world_rank) const {
        int found = -1;
        for (int i = 0; i < static_cast<int>(transfers_.size()); ++i) {
            if (peer_of(i) != world_rank) continue;
            if (transfers_[static_cast<std::size_t>(i)].viewed) return -1;
            if (found < 0 && pending(static_cast<std::size_t>(i))) found = i;
        }
        return found;
    }
    /// The world's ranks that steps under way wait for, each once, receives before sends; no more than `most`. None
    /// while its executor works.
    [[nodiscard]] std::vector<std::int32_t> peers_waited_for(std::size_t most) const {
        std::vector<std::int32_t> all, unread;
        if (in_hand() > 0) return all;
        for (std::size_t i = 0; i < transfers_.size(); ++i)
            if (transfers_[i].viewed) unread.push_back(peer_of(static_cast<int>(i)));
        for (const bool want_receive : {true, false})
            for (std::size_t i = 0; i < transfers_.size() && all.size() < most; ++i) {
                if (!pending(i) || receives(plan_->steps[i]) != want_receive) continue;
                const int peer = peer_of(static_cast<int>(i));
                const auto is_in = [peer](const auto& some) { return std::ranges::find(some, peer) != some.end(); };
                if (!is_in(all) && !is_in(unread)) all.push_back(peer);
            }
        return all;
    }
    [[nodiscard]] std::size_t steps() const noexcept { return transfers_.size(); }
    [[nodiscard]] std::size_t steps_done() const noexcept {
        return state() == run_state::queued ? 0 : plan_->starts - std::min(left_, plan_->starts);
    }
    [[nodiscard]] std::uint64_t bytes_done() const noexcept {
        std::uint64_t sum = 0;
        if (state() == run_state::queued) return sum; // the transfers are those of the run before
        for (const auto& x : transfers_)
            if (x.owner && x.status != transport::transfer_status::mismatched) sum += x.moved;
        return sum;
    }

    [[nodiscard]] const call& what() const noexcept { return call_; }
    [[nodiscard]] std::string words() const { return in_words(call_) + members().name; }
    /// This object's calls from that number on were this one.
    [[nodiscard]] std::uint64_t same_since() const noexcept { return same_since_; }
    /// The hash of this call and all before it.
    [[nodiscard]] std::uint64_t signature() const noexcept { return signature_; }
    [[nodiscard]] group& members() const noexcept { return *group_; }
    [[nodiscard]] std::uint32_t slot() const noexcept { return slot_; }
    [[nodiscard]] std::uint64_t request() const noexcept { return request_; }

    plan_run* next = nullptr;          ///< in the slot's queue
    std::shared_ptr<const void> keeps; ///< lives as long as this run is in use: the operator
    [[nodiscard]] call_report& reported() noexcept { return reported_; }
    [[nodiscard]] const call_report& reported() const noexcept { return reported_; }

private:
    /// The channels to the plan's peers; the transport keeps their addresses while the context is open.
    void resolve(transport::any& t) {
        if (!channels_.empty() || plan_->peers.empty()) return;
        views_messages_ = t.views();
        for (const int p : plan_->peers)
            channels_.push_back(&t.open({group_->id, slot_}, group_->members[static_cast<std::size_t>(p)]));
        if (auto* const page = transport::status::page_of(t)) sent_.open(*page, *plan_, group_->members);
    }

    /// Says for each step where its data is. That stays when a call is repeated.
    void lay_out() {
        mismatched_ = -1;
        if (!is_laid_out_) {
            cut_ = plan_->cut(call_.count, call_.lengths.get());
            scratch_needed_ = plan_->scratch_elements(cut_) * call_.element_bytes;
        }
        if (scratch_needed_ > scratch_.size || (call_.by && scratch_needed_ > 0)) take_scratch();
        if (!is_laid_out_ || laid_out_scratch_ != scratch_.bytes.get()) lay_out_steps();
    }
    /// Apart, so that the loop over ready steps, into which begin() is inlined, keeps its registers.
    [[gnu::noinline]] void lay_out_steps() {
        laid_out_scratch_ = scratch_.bytes.get();
        lay_out_buffers();
        for (std::size_t i = transfers_.size(); i-- > 0;) {
            transport::transfer& x = transfers_[i];
            lay_out(plan_->steps[i], x);
            if (plan_->steps[i].joined) x.bytes += transfers_[i + 1].bytes; // which lie behind it
            x.may_view =
                views_messages_ && x.bytes > 0 && plan_->dependencies.viewed.reader_of(static_cast<int>(i)) >= 0;
            x.answer = views_messages_ ? plan_->answered.awaited_by(i) : 0;
            x.is_answer = views_messages_ && plan_->answered.brings(i);
        }
        is_laid_out_ = true;
        sent_.count(*plan_, transfers_);
    }
    void lay_out(const schedule::step& s, transport::transfer& x) {
        // One range for both places: verify refuses steps that relabel chunks.
        const schedule::place chunks = receives(s) ? s.to : s.from;
        const std::size_t low = cut_.bound(chunks.first);
        x.from = reads_from(s) ? at(s.from.where, chunks.first, low) : nullptr;
        x.to = writes_to(s) ? at(s.to.where, chunks.first, low) : nullptr;
        x.bytes = (cut_.bound(chunks.first + chunks.count) - low) * call_.element_bytes;
        x.reduce = s.what == schedule::action::receive_reduce ? &reduction() : nullptr;
        x.incoming_left = s.other == schedule::side::left;
        // Shorter ones leave room for the rank's other steps while the receiver is not there yet.
        constexpr std::size_t most_ahead = 512 * 1024;
        x.is_plain = sends(s) && !call_.reduce.combine && x.bytes > most_ahead;
    }
    void take_scratch() {
        if (call_.by) [[unlikely]]
            if (auto own = call_.by->scratch(scratch_needed_, call_.output ? call_.output : call_.input)) {
                scratch_ = {std::move(own), scratch_needed_, true};
                return;
            }
        if (scratch_needed_ <= scratch_.size) return;
        std::swap(scratch_, group_->spare);
        if (scratch_needed_ <= scratch_.size) return;
        scratch_ = {}; // first, so that both never exist at once
        scratch_ = {{new std::byte[scratch_needed_], std::default_delete<std::byte[]>()}, scratch_needed_};
    }
    void lay_out_buffers() {
        std::byte* bank = scratch_.bytes.get();
        for (std::size_t b = 0; b < places_.size(); ++b) {
            const schedule::chunk_window& w = plan_->windows[b];
            places_[b].first = cut_.bound(w.range(0).first);
            if (b == 0) {
                places_[b].base = const_cast<std::byte*>(call_.input); // schedules never write the input
                places_[b].parts_at = call_.lengths ? call_.lengths->input_at() : std::span<const std::size_t>{};
            } else if (b == 1) {
                places_[b].base = call_.output;
                places_[b].parts_at = call_.lengths ? call_.lengths->output_at() : std::span<const std::size_t>{};
            } else {
                places_[b].base = bank;
                bank += elements_of(cut_, w) * call_.element_bytes;
            }
        }
    }

    bool take_completed(transport::any& t) {
        if (done_.empty()) return false;
        transport::transfer_queue completed = std::exchange(done_, {}); // what completes meanwhile comes next time
        while (transport::transfer* x = completed.pop()) {
            const std::uint32_t i = number_of(*x);
            if (x->status == transport::transfer_status::mismatched) {
                mismatched_ = static_cast<int>(i);
                is_in_trouble_ = true;
            } else if (functor_.late()) {
                is_in_trouble_ = true; // its memory holds no result
            } else {
                complete(t, i);
                run_ready(t);
            }
        }
        return true;
    }

    void run_ready(transport::any& t) {
        while (ready_count_ > 0) start(t, ready_[--ready_count_]);
    }

    void start(transport::any& t, std::uint32_t i) {
        const schedule::step& s = plan_->steps[i];
        transport::transfer& x = transfers_[i];
        if (page_) [[unlikely]]
            page_.begin(i, t.now());
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

    /// Apart, so that messages, of which there are more, do not pay for its registers.
    [[gnu::noinline]] void start_work(transport::any& t, std::uint32_t i) {
        if (call_.by) [[unlikely]]
            return start_by_executor(t, i);
        if (do_step(t, i)) complete(t, i);
    }
    [[gnu::noinline]] void start_by_executor(transport::any& t, std::uint32_t i) {
        if (give_to_executor([&] { return hand_over(i, group_->wake); })) complete(t, i);
    }

    /// Takes the work that the executor has completed. False: there was none.
    [[gnu::noinline]] bool take_from_executor(transport::any& t) {
        asks_again_ = give_to_executor([this] { return in_hand_.progress(*call_.by); });
        bool moved = false;
        while (transport::transfer* const x = in_hand_.pop()) {
            moved = true;
            if (in_hand_.is_finish(*x)) return left_ = 0, true;
            complete(t, number_of(*x));
        }
        run_ready(t);
        finish_by_executor();
        return moved;
    }
    /// The operator's last stage, once all steps are done: as if it were one more.
    void finish_by_executor() {
        if (left_ > 0 || !call_.finisher) return;
        if (!give_to_executor([this] { return hand_over_finish(group_->wake); })) left_ = 1;
    }
    /// An exception of the executor ends the call; until then it gets no more work.
    template <class Ask>
    [[nodiscard]] bool give_to_executor(Ask ask) {
        if (!in_hand_.failure().empty()) return false;
        try {
            return ask();
        } catch (const std::exception& e) {
            in_hand_.fail(*e.what() ? e.what() : "it does not say why");
        } catch (...) { // an operator's, which the executor has let through
            in_hand_.fail("it does not say why");
        }
        is_in_trouble_ = true;
        return false;
    }

    void complete(transport::any& t, std::uint32_t i) {
        if (page_) [[unlikely]]
            page_.end(activity_of(i), t.now());
        --left_;
        // The last one first, onto the stack: of steps that this one releases, the first in the program starts first.
        const auto followers = plan_->dependencies.followers_of(i);
        for (std::size_t k = followers.size(); k > 0; --k) release(followers[k - 1]);
    }
    /// Something that the step waits for has come. When all has come the counter is reset, for the next run.
    void release(std::uint32_t i) {
        if (--waits_[i] != 0) return;
        waits_[i] = plan_->dependencies.waits[i];
        ready_[ready_count_++] = i;
    }

    /// The activity of a step, without its times.
    [[nodiscard]] schedule::activity activity_of(std::uint32_t i) const noexcept {
        const schedule::step& s = plan_->steps[i];
        const int peer = communicates(s) ? plan_->peers[static_cast<std::size_t>(s.peer)] : -1;
        return {plan_->where.rank, static_cast<int>(i), s.what, peer, transfers_[i].bytes};
    }

    [[nodiscard]] bool pending(std::size_t i) const noexcept {
        return transfers_[i].owner == &done_ && transfers_[i].status == transport::transfer_status::pending;
    }

    std::uint32_t slot_;
    sent_counts sent_;
    group* group_ = nullptr;
    std::uint64_t request_ = 0, same_since_ = 0, meaning_ = 0, signature_ = 0;
    std::vector<std::uint32_t> waits_; ///< by step, for how much it still waits; once it is ready, in the next run
    std::vector<std::uint32_t> ready_; ///< a stack of `ready_count_` steps
    std::size_t ready_count_ = 0;
    transport::transfer_queue done_;
    group::memory scratch_;
    std::size_t scratch_needed_ = 0;
    bool is_laid_out_ = false; ///< the transfers lead to the call's memory, and to this scratch
    const std::byte* laid_out_scratch_ = nullptr;
    std::size_t left_ = 0;    ///< steps that are not done yet; 1 while the executor is at the last stage
    bool asks_again_ = false; ///< see asks_again()
    int mismatched_ = -1;
    record_page page_;
    call_report reported_{};
};

} // namespace tutti::engine
