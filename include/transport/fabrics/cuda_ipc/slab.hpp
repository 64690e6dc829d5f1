// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"
#include "../../contract/device_runtime.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace tutti::transport::detail::cuda {

/// The device memory of this rank that its peers can open: regions of its own, and allocations of the user's that were
/// registered. Any thread; it may outlive the fabric. A region of its own that is not used any more is kept for the
/// next one of its size: peers may still have it open.
template <device_runtime R>
class slab : public std::enable_shared_from_this<slab<R>> {
public:
    /// Regions of its own are multiples of this, and others are no smaller: a handle leads to a whole block of CUDA's,
    /// which smaller allocations may share.
    static constexpr std::size_t unit = std::size_t{2} << 20;

    explicit slab(const R& runtime) : runtime_(runtime) {}
    slab(const slab&) = delete;
    slab& operator=(const slab&) = delete;
    ~slab() {
        for (const region& r : regions_)
            if (r.own) runtime_.free(r.start);
    }

    /// Part of a region.
    struct place {
        std::uint64_t region; ///< unlike any other of this process
        std::byte* start;     ///< of the region
        std::size_t offset;
        typename R::handle handle;
    };

    /// Zeroed. Throws device_error.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) {
        if (bytes > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
        const std::size_t whole = (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
        std::byte* const start = taken(whole);
        return {start, [self = this->shared_from_this()](std::byte* p) { self->give_back(p); }};
    }

    /// The allocation of the user's that these bytes lie in is a region from now on, unless it is less than `unit`.
    /// Precondition: it is memory of a device, and stays until no peer has it open. Throws device_error where peers
    /// cannot open it, and invalid_argument.
    void add(std::byte* at, std::size_t bytes) {
        runtime_.use();
        const std::span<std::byte> whole = runtime_.allocation_of(at);
        if (bytes > whole.size() - static_cast<std::size_t>(at - whole.data()))
            reject("register_memory", "the memory reaches beyond the allocation that it begins in");
        if (whole.size() < unit) return;
        const std::lock_guard lock(mutex_);
        const auto handle = runtime_.handle_of(whole.data());
        for (const region& r : regions_)
            if (r.start == whole.data() && (r.own || is_same(r, whole.size(), handle))) return;
        added(whole, handle, false);
    }

    /// Where these bytes lie, if they are part of a region.
    [[nodiscard]] std::optional<place> find(const std::byte* at, std::size_t bytes) const {
        const auto address = reinterpret_cast<std::uintptr_t>(at);
        const std::lock_guard lock(mutex_);
        for (const region& r : regions_) {
            const auto start = reinterpret_cast<std::uintptr_t>(r.start);
            if (address >= start && address - start < r.bytes && bytes <= r.bytes - (address - start))
                return place{r.id, r.start, address - start, r.handle};
        }
        return std::nullopt;
    }

private:
    struct region {
        std::uint64_t id;
        std::byte* start;
        std::size_t bytes;
        typename R::handle handle;
        bool own;          ///< of the slab, not of the user
        bool used = false; ///< of its own: given out by allocate()
    };

    [[nodiscard]] std::byte* taken(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        region* best = nullptr;
        for (region& r : regions_)
            if (r.own && !r.used && r.bytes >= bytes && r.bytes / 2 <= bytes && (!best || r.bytes < best->bytes))
                best = &r;
        if (!best) best = &allocated(bytes);
        runtime_.use();
        runtime_.clear(best->start, best->bytes);
        best->used = true;
        return best->start;
    }
    [[nodiscard]] region& allocated(std::size_t bytes) {
        runtime_.use();
        std::byte* const start = runtime_.allocate(bytes);
        try {
            return added({start, bytes}, runtime_.handle_of(start), true);
        } catch (...) {
            runtime_.free(start);
            throw;
        }
    }
    static_assert(std::has_unique_object_representations_v<typename R::handle>); // for its bytes are compared
    [[nodiscard]] static bool is_same(const region& r, std::size_t bytes, const typename R::handle& h) noexcept {
        return r.bytes == bytes && std::memcmp(&r.handle, &h, sizeof h) == 0;
    }
    /// What the user has registered where this lies now must have been freed since.
    region& added(std::span<std::byte> what, const typename R::handle& handle, bool own) {
        static std::atomic<std::uint64_t> last{0}; // relaxed: only different numbers matter
        std::erase_if(regions_, [&](const region& r) {
            return !r.own && r.start < what.data() + what.size() && what.data() < r.start + r.bytes;
        });
        const auto id = 1 + last.fetch_add(1, std::memory_order_relaxed);
        return regions_.emplace_back(region{id, what.data(), what.size(), handle, own});
    }
    void give_back(const std::byte* start) noexcept {
        const std::lock_guard lock(mutex_);
        for (region& r : regions_)
            if (r.start == start) r.used = false;
    }

    R runtime_;
    mutable std::mutex mutex_; ///< guards regions_
    std::vector<region> regions_;
};

} // namespace tutti::transport::detail::cuda
