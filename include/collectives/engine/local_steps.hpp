// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/copy.hpp"
#include "call.hpp"
#include "executor_work.hpp"
#include "group.hpp"
#include "interruptible_reducer.hpp"

#include "../../transport/contract/any.hpp"
#include "../schedule/lowering/plan.hpp"
#include "../schedule/lowering/split.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tutti::engine {

/// The local steps of a run, and the memory of all its steps. They are done by the driving thread, at once
/// or piece by piece; or by the call's executor, if it has one. The base of `plan_run`.
class local_steps {
protected:
    using operands = std::array<const std::byte*, schedule::most_operands>;

    struct memory {
        std::byte* base = nullptr;
        std::size_t first = 0;                   ///< the first element of its window
        std::span<const std::size_t> parts_at{}; ///< where its parts begin, if not one after the other: elements
    };

    local_steps(std::shared_ptr<const schedule::plan> p, const call& c, const transport::clock::time_point& deadline)
        : plan_(std::move(p)), call_(c), transfers_(plan_->steps.size()), places_(plan_->windows.size()),
          functor_(deadline) {}
    local_steps(const local_steps&) = delete;
    local_steps& operator=(const local_steps&) = delete;
    ~local_steps() = default;

    /// Where a chunk lies whose first element is `element`.
    [[nodiscard]] std::byte* at(schedule::buffer b, int chunk, std::size_t element) const noexcept {
        const memory& m = places_[static_cast<std::size_t>(index_of(b))];
        if (!m.parts_at.empty()) [[unlikely]]
            return at_displaced(m, b, chunk, element);
        const schedule::chunk_window& w = plan_->windows[static_cast<std::size_t>(index_of(b))];
        const std::size_t before = w.ranges() == 1 ? element - m.first : offset_of(cut_, w, chunk);
        return m.base ? m.base + before * call_.element_bytes : nullptr;
    }
    /// The call's own reducer, or the interruptible one around it.
    [[nodiscard]] const reducer& reduction() const noexcept { return watches_functor_ ? functor_.get() : call_.reduce; }

    /// Does a step; false: it goes on in pieces, by go_on, or the call cannot come to its end.
    [[gnu::always_inline]] bool do_step(transport::any& t, std::uint32_t i) {
        transport::transfer& x = transfers_[i];
        if (x.bytes <= at_once_bytes() || reads_views(i)) return work(t, i, 0, x.bytes);
        x.moved = 0;
        put_off_.push(x);
        return false;
    }
    /// The same in a buffer whose parts are displaced.
    [[nodiscard, gnu::noinline]] std::byte* at_displaced(const memory& m, schedule::buffer b, int chunk,
                                                         std::size_t element) const noexcept {
        const int ranks = plan_->where.size, width = schedule::part_width(plan_->what, ranks, plan_->chunks());
        const int part = chunk / width; // of an alltoall, part d * ranks + s is the block from s to d
        const int peer = plan_->what != schedule::operation::alltoall ? part
                         : b == schedule::buffer::input               ? part / ranks
                                                                      : part % ranks;
        const std::size_t within = element - cut_.bound(part * width);
        return m.base ? m.base + (m.parts_at[static_cast<std::size_t>(peer)] + within) * call_.element_bytes : nullptr;
    }
    /// The next piece of the first step that was put off. Its number if it is done, -1 if not.
    [[nodiscard]] int go_on(transport::any& t) {
        transport::transfer& x = *put_off_.front();
        const std::uint32_t i = number_of(x);
        const std::size_t most = at_once_bytes() / call_.element_bytes * call_.element_bytes;
        const std::size_t bytes = std::min(x.bytes - x.moved, std::max(most, call_.element_bytes));
        const bool good = work(t, i, x.moved, bytes);
        x.moved += bytes;
        if (good && x.moved < x.bytes) return -1;
        put_off_.pop();
        return good ? static_cast<int>(i) : -1;
    }

    /// Gives a step to the executor. True: it is done.
    [[nodiscard]] bool hand_over(std::uint32_t i, const wakeup& wake) {
        return in_hand_.start(*call_.by, work_of(i, wake), transfers_[i]);
    }
    /// The elements that the operator's last stage is for.
    [[nodiscard]] std::size_t elements_to_finish() const noexcept {
        return call_.finisher ? elements_of(cut_, plan_->windows[index_of(schedule::buffer::output)]) : 0;
    }
    /// Gives the last stage to the executor. True: it is done.
    [[nodiscard]] bool hand_over_finish(const wakeup& wake) {
        local_work w = blank_work(wake);
        w.what = local_work::kind::finish;
        w.from[0] = w.to = call_.output;
        w.sources = 1;
        w.elements = elements_to_finish();
        w.finisher = call_.finisher;
        w.ranks = plan_->where.size;
        return in_hand_.start_finish(*call_.by, w);
    }
    /// The first step that its executor has; -1 if that is the last stage.
    [[nodiscard]] int step_in_hand() const noexcept {
        for (std::size_t i = 0; i < transfers_.size(); ++i)
            if (in_hand_.holds(transfers_[i])) return static_cast<int>(i);
        return -1;
    }

    [[nodiscard]] std::uint32_t number_of(const transport::transfer& x) const noexcept {
        return static_cast<std::uint32_t>(&x - transfers_.data());
    }

    std::shared_ptr<const schedule::plan> plan_;
    call call_;
    schedule::layout cut_{0, 1};
    std::vector<transport::transfer> transfers_; ///< by step; of those without a peer only the places and the bytes
    std::vector<memory> places_;                 ///< by buffer
    std::vector<transport::any::channel*> channels_;
    transport::transfer_queue put_off_; ///< steps without a peer that are under way; `moved` says how far
    interruptible_reducer functor_;
    executor_work in_hand_;
    bool is_in_trouble_ = false;
    bool views_messages_ = false; ///< the transport may lend them
    /// By a clock of the transport's own a functor is not interrupted: its time counts when it is done.
    bool watches_functor_ = false;

private:
    /// Work without a peer that is longer goes on in pieces, between which messages move and deadlines are looked at.
    /// A piece of a built-in operator is as long as what is stored past the caches, and takes some milliseconds.
    [[nodiscard]] std::size_t at_once_bytes() const noexcept {
        constexpr std::size_t of_functor = 64 * 1024, of_built_in = 16 * 1024 * 1024;
        return call_.reduce.is_functor ? of_functor : of_built_in;
    }
    /// It reads messages where they lie, which is to be done in one go.
    [[nodiscard]] bool reads_views(std::uint32_t i) const {
        return views_messages_ && plan_->steps[i].what == schedule::action::reduce_many &&
               !plan_->dependencies.viewed.of(static_cast<int>(i)).empty();
    }

    /// Some bytes of a step without a peer, from byte `offset` on. False, and the call cannot come to its end: an
    /// operand was taken back by its sender, or the functor was too slow.
    [[gnu::always_inline]] bool work(transport::any& t, std::uint32_t i, std::size_t offset, std::size_t bytes) {
        const schedule::step& s = plan_->steps[i];
        const transport::transfer& x = transfers_[i];
        if (bytes == 0) return true;
        if (s.what == schedule::action::reduce_many) return combine_many(t, i, offset, bytes) && is_in_time();
        std::byte* const to = x.to + offset;
        const std::byte* const from = x.from + offset;
        if (s.what == schedule::action::copy) return copy(s, to, from, bytes), true;
        const bool left = s.other == schedule::side::left;
        const reducer& r = reduction();
        r.combine(to, left ? from : to, left ? to : from, bytes / call_.element_bytes, r.state);
        return !r.is_functor || is_in_time();
    }
    /// A copy from the input is the operator's first stage, if it has one: then nothing else reads the input.
    [[gnu::always_inline]] void copy(const schedule::step& s, std::byte* to, const std::byte* from, std::size_t bytes) {
        if (call_.starter.run && s.from.where == schedule::buffer::input) [[unlikely]]
            call_.starter.run(to, from, bytes / call_.element_bytes, call_.starter.factor.data());
        else
            tutti::detail::copy_bytes(to, from, bytes);
    }
    [[nodiscard]] bool is_in_time() noexcept {
        is_in_trouble_ = is_in_trouble_ || functor_.late();
        return !functor_.late();
    }

    [[gnu::noinline]] bool combine_many(transport::any& t, std::uint32_t i, std::size_t offset, std::size_t bytes) {
        operands from;
        const std::size_t number = find_operands(i, offset, from);
        const bool done =
            look(t, i, from) && combine_many(t, i, transfers_[i].to + offset, std::span(from).first(number), bytes);
        return release_viewed(t, i) && done;
    }
    /// False: a sender that awaits the result in its memory has taken that back, or the functor was too slow.
    bool combine_many(transport::any& t, std::uint32_t i, std::byte* to, std::span<const std::byte*> from,
                      std::size_t bytes) {
        std::array<transport::any::channel*, schedule::most_operands> answered;
        const std::size_t answers = find_answered(i, answered);
        const reducer& r = reduction();
        // So much stays in the first cache until it has been copied.
        const std::size_t most = std::max<std::size_t>(8192 / r.element_bytes, 1) * r.element_bytes;
        const std::size_t piece = answers > 0 ? std::min(most, bytes) : bytes;
        for (std::size_t done = 0; done < bytes; done += piece) {
            const std::size_t some = std::min(piece, bytes - done);
            r.combine_many(to + done, from.data(), from.size(), some / r.element_bytes, r.state);
            if (functor_.late()) return false; // that was no result
            for (transport::any::channel* const to_peer : std::span(answered).first(answers))
                if (!t.answer(*to_peer, done, to + done, some)) return false;
            for (const std::byte*& x : from) x += some;
        }
        return true;
    }
    /// Those who await the result where their operands lie; returns how many there are. Their answers bring no data.
    std::size_t find_answered(std::uint32_t i, std::span<transport::any::channel*> answered) {
        std::size_t number = 0;
        for (const schedule::answers::reply& a : plan_->answered.of(static_cast<int>(i))) {
            const transport::transfer& x = transfers_[static_cast<std::size_t>(a.receive)];
            bool& brought = transfers_[static_cast<std::size_t>(a.send)].is_answer;
            brought = views_messages_ && x.viewed && x.answer == a.message;
            if (brought) answered[number++] = &channel_of(a.receive);
        }
        return number;
    }
    /// Where the operands of a step lie that are stored; returns how many there are.
    std::size_t find_operands(std::uint32_t i, std::size_t offset, operands& from) const {
        const schedule::step& s = plan_->steps[i];
        const std::size_t low = cut_.bound(s.to.first);
        const auto number = static_cast<std::size_t>(schedule::sources(s));
        for (std::size_t k = 0; k < number; ++k)
            from[k] = at(source(s, static_cast<int>(k)).where, s.to.first, low) + offset;
        return number;
    }

    /// Finds those operands of a step that lie where their senders have them. False: not all of them are there.
    bool look(transport::any& t, std::uint32_t i, operands& from) {
        bool here = true;
        if (!views_messages_) return here;
        for (const auto& [receive, number] : plan_->dependencies.viewed.of(static_cast<int>(i))) {
            transport::transfer& x = transfers_[static_cast<std::size_t>(receive)];
            if (!x.viewed) continue;
            from[static_cast<std::size_t>(number)] = t.look(channel_of(receive), x);
            here = here && from[static_cast<std::size_t>(number)];
        }
        return here;
    }
    /// They have been read. What is void is waited for again: it will not come, and its sender is to blame.
    bool release_viewed(transport::any& t, std::uint32_t i) {
        bool valid = true;
        if (!views_messages_) return valid;
        for (const auto& [receive, number] : plan_->dependencies.viewed.of(static_cast<int>(i))) {
            transport::transfer& x = transfers_[static_cast<std::size_t>(receive)];
            if (!std::exchange(x.viewed, false) || t.release(channel_of(receive), x)) continue;
            x.status = transport::transfer_status::pending;
            x.moved = 0;
            valid = false;
        }
        return valid;
    }
    [[nodiscard]] transport::any::channel& channel_of(int i) const {
        return *channels_[static_cast<std::size_t>(plan_->steps[static_cast<std::size_t>(i)].peer)];
    }

    /// A step as an executor is told of it.
    [[nodiscard]] local_work work_of(std::uint32_t i, const wakeup& wake) const {
        const schedule::step& s = plan_->steps[i];
        const transport::transfer& x = transfers_[i];
        local_work w = blank_work(wake);
        w.to = x.to;
        w.elements = x.bytes / call_.element_bytes;
        w.from[0] = x.from;
        w.sources = 1;
        if (call_.starter.run && s.what == schedule::action::copy && s.from.where == schedule::buffer::input) {
            w.what = local_work::kind::start;
            w.starter = &call_.starter;
        }
        if (s.what == schedule::action::copy || w.elements == 0) return w;
        w.what = local_work::kind::reduce;
        w.op = &call_.reduce;
        if (s.what == schedule::action::reduce_many) {
            w.sources = find_operands(i, 0, w.from);
        } else {
            const bool left = s.other == schedule::side::left;
            w.from[0] = left ? x.from : x.to;
            w.from[1] = left ? x.to : x.from;
            w.sources = 2;
        }
        return w;
    }
    [[nodiscard]] local_work blank_work(const wakeup& wake) const {
        local_work w;
        w.element_bytes = call_.element_bytes;
        w.type = call_.type;
        w.operation_on_elements = call_.operation_on_elements;
        w.wake = wake;
        return w;
    }
};

} // namespace tutti::engine
