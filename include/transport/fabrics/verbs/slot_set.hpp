// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "rail.hpp"
#include "registrations.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tutti::transport::detail::verbs {

/// The memory that packets come into and go out from, of one rail. All peers share the receive slots: the device takes
/// the next one, whoever sends. Each link brings as many as its peer may fill, so that no packet finds none.
class slot_set {
public:
    /// In the number of a receive request, beside that of its slot; no request to send has it.
    static constexpr std::uint64_t tag = std::uint64_t{1} << 63;

    /// `bytes` of a slot. `most` slots at most, the device may allow less. Throws a bootstrap error.
    slot_set(const rail& on, std::size_t bytes, std::uint32_t most) : on_(on), bytes_(bytes) {
        ibv_srq_init_attr how{};
        how.attr.max_wr = std::min(most + late, static_cast<std::uint32_t>(on.facts().max_srq_wr));
        how.attr.max_sge = 1;
        queue_.reset(ibv_create_srq(on.domain(), &how));
        if (!queue_) on.refuse("gives no shared receive queue of " + std::to_string(how.attr.max_wr) + " entries");
        most_ = std::max(std::min(how.attr.max_wr, most + late), late);
    }

    [[nodiscard]] ibv_srq* queue() const noexcept { return queue_.get(); }
    [[nodiscard]] std::size_t slot_bytes() const noexcept { return bytes_; }
    /// Sets receive slots aside for a link. False if the device allows no more.
    [[nodiscard]] bool reserve(std::uint32_t receiving) noexcept {
        if (receiving > most_ - late - reserved_) return false;
        reserved_ += receiving;
        return true;
    }

    /// Cells to send from, which are registered.
    struct cells {
        std::byte* first;
        std::uint32_t key;
    };
    /// Adds receive slots for a link, and gives it cells. Precondition: the slots are reserved. Null first if the
    /// system refuses; errno says why.
    [[nodiscard]] cells add(std::uint32_t receiving, std::uint32_t sending) {
        if (count_ == 0) receiving += late;
        chunk c;
        c.memory = std::make_unique_for_overwrite<std::byte[]>((std::size_t{receiving} + sending) * bytes_);
        c.mr.reset(ibv_reg_mr(on_.domain(), c.memory.get(), (std::size_t{receiving} + sending) * bytes_, local_write));
        if (!c.mr) return {nullptr, 0};
        const cells own{c.memory.get() + std::size_t{receiving} * bytes_, c.mr->lkey};
        for (std::uint32_t i = 0; i < receiving; ++i)
            where_.push_back({c.memory.get() + std::size_t{i} * bytes_, c.mr->lkey});
        chunks_.push_back(std::move(c));
        for (std::uint32_t i = 0; i < receiving; ++i) free(count_ + i);
        count_ += receiving;
        return post_all() ? own : cells{nullptr, 0};
    }

    [[nodiscard]] std::span<const std::byte> content(std::uint32_t slot, std::size_t length) const noexcept {
        return {where_[slot].first, std::min(length, bytes_)};
    }
    /// The slot has been read. It counts as free for the peers at once: until post() gives it to the device again,
    /// which takes several at a time, the device has others.
    void free(std::uint32_t slot) {
        sges_.push_back({reinterpret_cast<std::uint64_t>(where_[slot].first), static_cast<std::uint32_t>(bytes_),
                         where_[slot].key});
        freed_.push_back(slot);
    }
    /// Posts freed slots to the device in batches. False if the device refuses.
    [[nodiscard]] bool post() { return freed_.size() <= late || post_all(); }

private:
    static constexpr std::uint32_t late = 7; ///< slots that may be free and not yet the device's

    /// One doorbell for all.
    [[nodiscard]] bool post_all() {
        requests_.resize(freed_.size());
        for (std::size_t i = 0; i < freed_.size(); ++i)
            requests_[i] = {tag | freed_[i], i + 1 < freed_.size() ? &requests_[i + 1] : nullptr, &sges_[i], 1};
        ibv_recv_wr* refused = nullptr;
        const int code = ibv_post_srq_recv(queue_.get(), requests_.data(), &refused);
        freed_.clear();
        sges_.clear();
        if (code != 0) errno = code;
        return code == 0;
    }

    struct chunk {
        std::unique_ptr<std::byte[]> memory;
        owned<ibv_mr> mr;
    };

    const rail& on_;
    std::size_t bytes_;
    std::vector<chunk> chunks_; // memory goes after the queue
    owned<ibv_srq> queue_;
    std::uint32_t most_ = 0;
    std::uint32_t reserved_ = 0;
    std::uint32_t count_ = 0;
    std::vector<cells> where_; // by slot
    std::vector<std::uint32_t> freed_;
    std::vector<ibv_sge> sges_;
    std::vector<ibv_recv_wr> requests_;
};

} // namespace tutti::transport::detail::verbs
