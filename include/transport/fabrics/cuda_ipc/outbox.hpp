// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../device/copy.hpp"
#include "../device/pinned_memory.hpp"
#include "inner_transfers.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace tutti::transport::detail::cuda {

/// The sending end of a channel. A record announces each message, which lies in one of three places:
///
/// - Host memory: it follows its record through shared memory.
/// - The slab: the record says where, and the receiver copies it from there.
/// - Other device memory. Up to `small_bytes` are copied to host memory, and go on from there. A longer
///   message is copied to the slab part by part, and the receiver copies each from there.
///
/// Before the first message that the receiver shall copy, a *question* asks whether it can. Nothing is sent behind it
/// until the answer has come. If the receiver cannot, messages of device memory go through host memory, part by part.
///
/// The receiver answers when it has started a receive on this channel, even if its data do not match. A message that is
/// lent needs that receive anyway, since it is complete when it was read. Short messages behind the question complete
/// after the answer, and not at once: the one exception to the credits of `transport`. The answer needs nothing but the
/// receiver's progress. A copy that does not end is an answer after some time.
template <device_runtime R>
class outbox {
public:
    static constexpr std::size_t small_bytes = 64 * 1024;
    static constexpr std::size_t staged_bytes = 512 * 1024;           ///< of a part that goes through host memory
    static constexpr std::uint32_t most_lent = shm::lane::slot_count; ///< as many as shared memory passes on at a time

    outbox(resources<R>& all, shm::channel& through, inner_transfers<R>& own, typename R::stream& over,
           std::atomic<access>& to_peer) noexcept
        : all_(all), through_(through), inner_(own), stream_(over), to_peer_(to_peer) {}
    outbox(const outbox&) = delete;
    outbox& operator=(const outbox&) = delete;
    ~outbox() {
        if (bounce_) all_.pinned.give_back(std::move(*bounce_));
        for (stage& s : stages_)
            if (s.pinned) all_.pinned.give_back(std::move(*s.pinned));
    }

    void send(transfer& x) {
        x.moved = 0;
        waiting_.push(x);
        if (waiting_.front() == &x) advance();
    }

    /// Moves the first messages on that are not on their way yet. True if any did.
    bool advance() {
        bool moved = false;
        while (!waiting_.empty()) {
            const auto [some, all] = go_on(*waiting_.front());
            moved = moved || some;
            if (!all) break;
        }
        return moved;
    }
    [[nodiscard]] bool busy() const noexcept { return !waiting_.empty(); }
    /// A copy is under way, whose end advance() would find.
    [[nodiscard]] bool copies() const noexcept {
        return small_.is_under_way() ||
               std::any_of(stages_.begin(), stages_.end(), [](const stage& s) { return s.work.is_under_way(); });
    }
    /// One has ended.
    [[nodiscard]] bool ready() const {
        return small_.is_over(all_.runtime) || std::any_of(stages_.begin(), stages_.end(), [this](const stage& s) {
                   return s.work.is_over(all_.runtime);
               });
    }

    /// An inner transfer of this end has ended.
    void ended(const inner_transfer<R>& e) {
        if (e.what == kind::ask) return hear_answer(e);
        transfer* const x = e.message;
        if (!x) return;
        if (e.stage >= 0) stages_[static_cast<std::size_t>(e.stage)].is_lent = false;
        if (e.what == kind::lend) {
            x->moved += e.told.part_bytes;
            all_.records.give_back(*e.lent);
            --lent_count_;
        } else if (e.what == kind::send_payload) {
            if (bounce_ && e.from == bounce_->data()) is_bounce_used_ = false;
            x->moved += e.bytes;
        }
        if (x->moved == x->bytes) complete(*x);
    }

    /// No copy reads the data to be sent any more. False: one still does.
    [[nodiscard]] bool stop(clock::time_point until) noexcept {
        bool all = small_.await(all_.runtime, until);
        for (stage& s : stages_) all = s.work.await(all_.runtime, until) && all;
        return all;
    }

private:
    struct stage {
        std::shared_ptr<std::byte> memory;              ///< of the slab,
        std::optional<device::pinned_memory<R>> pinned; ///< or this, as access_ says
        device::copy<R> work;
        std::size_t bytes = 0;
        bool is_lent = false; ///< or on its way through shared memory
        [[nodiscard]] bool is_free() const noexcept { return !bytes && !is_lent; }
    };
    struct progress {
        bool some, all; ///< `all`: the message is on its way, and waits here no longer
    };
    using kind = typename inner_transfer<R>::kind;

    progress go_on(transfer& x) {
        if (begun_ > 0) return go_on_by_copies(x);
        if (is_asking_) return {false, false};
        const auto where = x.bytes > 0 ? all_.memory->find(x.from, x.bytes) : std::nullopt;
        const bool on_device = where || (x.bytes > 0 && all_.runtime.is_on_device(x.from));
        if (on_device && (where || x.bytes > small_bytes) && !is_known()) return ask();
        if (where && access_ == access::direct) {
            if (lent_count_ == most_lent) return {false, false};
            waiting_.pop();
            lend(x, *where, x.bytes, -1);
            return {true, true};
        }
        if (on_device) return go_on_by_copies(x);
        waiting_.pop();
        post(x, x.from, x.bytes, -1);
        return {true, true};
    }
    progress go_on_by_copies(transfer& x) { return x.bytes <= small_bytes ? go_on_small(x) : go_on_in_parts(x); }

    progress go_on_small(transfer& x) {
        if (begun_ == 0) {
            if (is_bounce_used_) return {false, false};
            if (!bounce_) bounce_.emplace(all_.pinned.take(small_bytes));
            small_.start(all_.runtime, bounce_->data(), x.from, x.bytes, stream_);
            is_bounce_used_ = true;
            begun_ = x.bytes;
        }
        if (!small_.has_ended(all_.runtime)) return {false, false};
        begun_ = 0;
        waiting_.pop();
        post(x, bounce_->data(), x.bytes, -1);
        return {true, true};
    }

    progress go_on_in_parts(transfer& x) {
        bool some = false;
        for (; begun_ < x.bytes && stages_[next_copy_].is_free(); next_copy_ = after(next_copy_), some = true) {
            stage& s = stages_[next_copy_];
            s.bytes = std::min(x.bytes - begun_, lends() ? slab<R>::unit : staged_bytes);
            s.work.start(all_.runtime, memory_of(s), x.from + begun_, s.bytes, stream_);
            begun_ += s.bytes;
        }
        while (lent_ < begun_) {
            stage& s = stages_[next_lent_];
            if (s.work.is_under_way() && !s.work.has_ended(all_.runtime)) break;
            if (lends() && lent_count_ == most_lent) break;
            some = true;
            const std::size_t bytes = std::exchange(s.bytes, 0);
            const bool last = (lent_ += bytes) == x.bytes;
            if (last) begun_ = lent_ = 0, waiting_.pop();
            s.is_lent = true;
            const int number = static_cast<int>(next_lent_);
            lends() ? lend(x, *all_.memory->find(s.memory.get(), bytes), bytes, number)
                    : post(x, s.pinned->data(), bytes, number);
            next_lent_ = after(next_lent_);
            if (last) return {true, true};
        }
        return {some, false};
    }
    [[nodiscard]] bool lends() const noexcept { return access_ == access::direct; }
    [[nodiscard]] std::byte* memory_of(stage& s) {
        if (lends()) {
            if (!s.memory) s.memory = all_.memory->allocate(slab<R>::unit);
            return s.memory.get();
        }
        if (!s.pinned) s.pinned.emplace(all_.pinned.take(staged_bytes));
        return s.pinned->data();
    }
    [[nodiscard]] std::size_t after(std::size_t turn) const noexcept { return (turn + 1) % stages_.size(); }

    /// How the peer gets device memory is known. It does not change during a message.
    [[nodiscard]] bool is_known() noexcept {
        if (access_ == access::unknown) access_ = to_peer_.load(std::memory_order_relaxed); // another channel has asked
        return access_ != access::unknown;
    }
    progress ask() {
        const auto where = all_.probe.place();
        inner_transfer<R>& e = inner_.take(kind::ask, nullptr);
        e.told.what = record::kind::question;
        e.told.signature = all_.probe.seed();
        e.told.message_bytes = ++all_.questions;
        tell_place(e.told, where);
        is_asking_ = true;
        pass_on(e);
        return {true, false};
    }
    void hear_answer(const inner_transfer<R>& e) noexcept {
        // Relaxed: the release of the record came after it. A late answer to an older question may come at any time.
        const auto answer = std::atomic_ref(e.lent->answer).load(std::memory_order_relaxed);
        const bool is_direct = answer == answer_to(e.told.message_bytes, true);
        access_ = is_direct ? access::direct : access::staged;
        // A receiver that has closed the context does not answer. What is sent there does not matter any more.
        if (is_direct || answer == answer_to(e.told.message_bytes, false))
            to_peer_.store(access_, std::memory_order_relaxed);
        all_.records.give_back(*e.lent);
        is_asking_ = false;
    }

    /// All of the message, or a part of it, through shared memory.
    void post(transfer& x, const std::byte* from, std::size_t bytes, int from_stage) {
        inner_transfer<R>& e = inner_.take(kind::send_record, x.bytes == 0 ? &x : nullptr);
        e.told.what = bytes == x.bytes ? record::kind::whole : record::kind::part;
        e.told.part_bytes = bytes;
        e.told.signature = x.signature;
        e.told.message_bytes = x.bytes;
        start(e, reinterpret_cast<const std::byte*>(&e.told), sizeof e.told, record_signature);
        if (x.bytes == 0) return;
        inner_transfer<R>& data = inner_.take(kind::send_payload, &x);
        data.stage = from_stage;
        start(data, from, bytes, payload_signature);
    }
    void lend(transfer& x, const typename slab<R>::place& where, std::size_t bytes, int from_stage) {
        inner_transfer<R>& e = inner_.take(kind::lend, &x);
        e.stage = from_stage;
        e.told.what = record::kind::lent;
        e.told.signature = x.signature;
        e.told.message_bytes = x.bytes;
        e.told.part_bytes = bytes;
        tell_place(e.told, where);
        ++lent_count_;
        pass_on(e);
    }
    /// Puts a record where its reader looks at it. The reader may write there, so nothing but the answer is read back.
    void pass_on(inner_transfer<R>& e) {
        e.lent = &all_.records.take();
        *e.lent = e.told;
        start(e, reinterpret_cast<const std::byte*>(e.lent), sizeof *e.lent, record_signature);
    }
    static void tell_place(record& r, const typename slab<R>::place& where) noexcept {
        r.process = ::getpid();
        r.region = where.region;
        r.address = reinterpret_cast<std::uintptr_t>(where.start);
        r.offset = where.offset;
        std::memcpy(r.handle.data(), &where.handle, sizeof where.handle);
    }
    void start(inner_transfer<R>& e, const std::byte* from, std::size_t bytes, std::uint64_t signature) {
        e.from = from;
        e.bytes = bytes;
        e.signature = signature;
        all_.shared.send(through_, e);
    }

    resources<R>& all_;
    shm::channel& through_;
    inner_transfers<R>& inner_;
    typename R::stream& stream_;
    std::atomic<access>& to_peer_;    ///< as far as any channel has found out
    access access_ = access::unknown; ///< of this channel: once known it stays
    bool is_asking_ = false;          ///< a question is under way
    transfer_queue waiting_;          ///< for their turn: the first may be under way
    std::size_t begun_ = 0;           ///< bytes of the first whose copy has begun
    std::size_t lent_ = 0;            ///< of those, bytes that were lent, or posted
    device::copy<R> small_;           ///< to bounce_
    std::optional<device::pinned_memory<R>> bounce_;
    bool is_bounce_used_ = false; ///< until shared memory has taken its data
    std::array<stage, 2> stages_; ///< in turn
    std::size_t next_copy_ = 0, next_lent_ = 0;
    std::uint32_t lent_count_ = 0; ///< records that were not read yet
};

} // namespace tutti::transport::detail::cuda
