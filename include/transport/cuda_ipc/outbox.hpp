// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../device/copy.hpp"
#include "../device/pinned_memory.hpp"
#include "inner_transfers.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::transport::detail::cuda {

/// The sending end of a channel. A record announces each message, which lies in one of three places:
///
/// - Host memory: it follows its record through shared memory.
/// - The slab: the record says where, and the receiver copies it from there.
/// - Other device memory. Up to `small_bytes` are copied to host memory, and go on from there. A longer
///   message is copied to the slab part by part, and the receiver copies each from there.
template <device_runtime R>
class outbox {
public:
    static constexpr std::size_t small_bytes = 64 * 1024;
    static constexpr std::uint32_t most_lent = shm::lane::slots; ///< as many as shared memory passes on at a time

    outbox(resources<R>& all, shm::channel& through, inner_transfers<R>& own, typename R::stream& over) noexcept
        : all_(all), through_(through), inner_(own), stream_(over) {}
    outbox(const outbox&) = delete;
    outbox& operator=(const outbox&) = delete;
    ~outbox() {
        if (bounce_) all_.pinned.give_back(std::move(*bounce_));
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
        transfer* const x = e.message;
        if (!x) return;
        if (e.what == inner_transfer<R>::kind::lend) {
            x->moved += e.lent->part_bytes;
            all_.records.give_back(*e.lent);
            --lent_count_;
            if (e.stage >= 0) stages_[static_cast<std::size_t>(e.stage)].is_lent = false;
        } else {
            if (bounce_ && e.from == bounce_->data()) is_bounce_used_ = false;
            x->moved = x->bytes;
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
        std::shared_ptr<std::byte> memory;
        device::copy<R> work;
        std::size_t bytes = 0;
        bool is_lent = false;
        [[nodiscard]] bool is_free() const noexcept { return !bytes && !is_lent; }
    };
    struct progress {
        bool some, all; ///< `all`: the message is on its way, and waits here no longer
    };
    using kind = typename inner_transfer<R>::kind;

    progress go_on(transfer& x) {
        if (begun_ > 0) return go_on_by_copies(x);
        const auto where = x.bytes > 0 ? all_.memory->find(x.from, x.bytes) : std::nullopt;
        if (where) {
            if (lent_count_ == most_lent) return {false, false};
            waiting_.pop();
            lend(x, *where, x.bytes, -1);
            return {true, true};
        }
        if (x.bytes > 0 && all_.runtime.is_on_device(x.from)) return go_on_by_copies(x);
        waiting_.pop();
        post(x, x.from);
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
        post(x, bounce_->data());
        return {true, true};
    }

    progress go_on_in_parts(transfer& x) {
        bool some = false;
        for (; begun_ < x.bytes && stages_[next_copy_].is_free(); next_copy_ = after(next_copy_), some = true) {
            stage& s = stages_[next_copy_];
            if (!s.memory) s.memory = all_.memory->allocate(slab<R>::unit);
            s.bytes = std::min(x.bytes - begun_, slab<R>::unit);
            s.work.start(all_.runtime, s.memory.get(), x.from + begun_, s.bytes, stream_);
            begun_ += s.bytes;
        }
        while (lent_ < begun_) {
            stage& s = stages_[next_lent_];
            if (s.work.is_under_way() && !s.work.has_ended(all_.runtime)) break;
            if (lent_count_ == most_lent) break;
            some = true;
            const std::size_t bytes = std::exchange(s.bytes, 0);
            const bool last = (lent_ += bytes) == x.bytes;
            if (last) begun_ = lent_ = 0, waiting_.pop();
            s.is_lent = true;
            lend(x, *all_.memory->find(s.memory.get(), bytes), bytes, static_cast<int>(next_lent_));
            next_lent_ = after(next_lent_);
            if (last) return {true, true};
        }
        return {some, false};
    }
    [[nodiscard]] std::size_t after(std::size_t turn) const noexcept { return (turn + 1) % stages_.size(); }

    void post(transfer& x, const std::byte* from) {
        inner_transfer<R>& e = inner_.take(kind::send_record, x.bytes == 0 ? &x : nullptr);
        e.told.signature = x.signature;
        e.told.message_bytes = x.bytes;
        start(e, reinterpret_cast<const std::byte*>(&e.told), sizeof e.told, record_signature);
        if (x.bytes > 0) start(inner_.take(kind::send_payload, &x), from, x.bytes, payload_signature);
    }
    void lend(transfer& x, const typename slab<R>::place& where, std::size_t bytes, int from_stage) {
        inner_transfer<R>& e = inner_.take(kind::lend, &x);
        e.lent = &all_.records.take();
        e.stage = from_stage;
        ++lent_count_;
        record& r = *e.lent;
        r = {};
        r.signature = x.signature;
        r.message_bytes = x.bytes;
        r.part_bytes = bytes;
        r.process = ::getpid();
        r.region = where.region;
        r.address = reinterpret_cast<std::uintptr_t>(where.start);
        r.offset = where.offset;
        std::memcpy(r.handle.data(), &where.handle, sizeof where.handle);
        start(e, reinterpret_cast<const std::byte*>(&r), sizeof r, record_signature);
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
    transfer_queue waiting_; ///< for their turn: the first may be under way
    std::size_t begun_ = 0;  ///< bytes of the first whose copy has begun
    std::size_t lent_ = 0;   ///< of those, bytes that were lent
    device::copy<R> small_;  ///< to bounce_
    std::optional<device::pinned_memory<R>> bounce_;
    bool is_bounce_used_ = false; ///< until shared memory has taken its data
    std::array<stage, 2> stages_; ///< in turn
    std::size_t next_copy_ = 0, next_lent_ = 0;
    std::uint32_t lent_count_ = 0; ///< records that were not read yet
};

} // namespace tutti::transport::detail::cuda
