// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../device/kept.hpp"
#include "../shared_memory/fabric.hpp"
#include "peer_memory.hpp"
#include "probe.hpp"
#include "record.hpp"
#include "slab.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::transport::detail::cuda {

/// Records in memory from which peers read them where they lie: so a sender knows when one was read, and can take it
/// back before.
class lent_records {
public:
    explicit lent_records(shm::fabric& from) noexcept : from_(from) {}

    /// Throws std::system_error.
    [[nodiscard]] record& take() {
        if (free_.empty()) add_page();
        record* const r = free_.back();
        free_.pop_back();
        return *r;
    }
    void give_back(record& r) noexcept { free_.push_back(&r); } // its place was reserved

private:
    /// Each is twice as large as the one before, since a rank has 256 pieces of symmetric memory.
    void add_page() {
        const std::size_t records = first_page << pages_.size();
        free_.reserve(2 * records); // all pages together have fewer
        pages_.reserve(pages_.size() + 1);
        pages_.push_back(from_.allocate(records * sizeof(record)));
        auto* const first = reinterpret_cast<record*>(pages_.back().get());
        for (std::size_t i = records; i-- > 0;) free_.push_back(::new (first + i) record);
    }

    static constexpr std::size_t first_page = 512; ///< records: 64 KiB

    shm::fabric& from_;
    std::vector<std::shared_ptr<std::byte>> pages_;
    std::vector<record*> free_;
};

/// How a peer gets what lies in this rank's device memory.
enum class access : std::uint8_t {
    unknown, ///< it was not asked yet
    direct,  ///< it copies it from there
    staged,  ///< it cannot: through pinned host memory
};

/// The resources that all channels of a rank share. The members are made in this order.
template <device_runtime R>
struct resources {
    explicit resources(const R& r) : runtime(r), pinned(r), peers(r, pinned) {}

    /// All memory stays until the process ends: a parent's in the child that fork(2) made, and that of a device which
    /// does not end a copy, since CUDA may wait for it before it frees any.
    void leave() {
        peers.forget();
        probe.forget();
        pinned.leave();
        static_cast<void>(new std::shared_ptr(memory));
    }

    R runtime;
    device::kept_pinned<R> pinned;
    std::shared_ptr<slab<R>> memory = std::make_shared<slab<R>>(runtime);
    own_probe<R> probe{runtime, pinned, *memory};
    std::uint64_t questions = 0; ///< that were asked
    peer_memory<R> peers;
    // Records alone are in its symmetric memory, so only records are viewed or lent.
    shm::fabric shared{{.lend_symmetric_bytes = sizeof(record), .chooses = false}};
    lent_records records{shared};
    transfer_queue ended; ///< inner transfers
};

} // namespace tutti::transport::detail::cuda
