// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/own_process.hpp"
#include "../../sockets/mapping.hpp"
#include "regions.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace tutti::transport::detail::shm {

/// The symmetric memory of this rank. Any thread; it may outlive the segment whose table it fills, which detaches then.
class symmetric_heap : public std::enable_shared_from_this<symmetric_heap> {
public:
    /// `shares`: the system gives memory that can be shared.
    explicit symmetric_heap(regions& table, bool shares = true) noexcept : shares_(shares), table_(&table) {}
    symmetric_heap(const symmetric_heap&) = delete;
    symmetric_heap& operator=(const symmetric_heap&) = delete;

    /// Zeroed memory, aligned to pages, that peers can map where any can be shared. Throws std::system_error.
    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::size_t bytes) {
        auto made = std::make_shared<block>(shared_from_this(), whole_pages(std::max<std::size_t>(bytes, 1)));
        auto* const start = static_cast<std::byte*>(made->memory.get());
        return {std::move(made), start};
    }

    /// The region that all of these bytes are part of; 0: they are not symmetric memory.
    [[nodiscard]] std::uint64_t region_of(const std::byte* start, std::size_t bytes) {
        const auto at = reinterpret_cast<std::uintptr_t>(start);
        const std::lock_guard lock{mutex_};
        for (const extent& e : extents_)
            if (at >= e.start && at < e.start + e.bytes && bytes <= e.start + e.bytes - at) return e.id;
        return 0;
    }

    /// Whatever a peer still writes to these bytes, which are few, does not show here any more: their pages become
    /// private, with what they hold, and are as any other memory from now on. What another thread of this process
    /// writes to the same pages meanwhile may be lost. Without memory for copies they stay as they are.
    void take_back(const std::byte* start, std::size_t bytes) noexcept {
        const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        const auto at = reinterpret_cast<std::uintptr_t>(start);
        const std::uintptr_t first = at / page * page, last = (at + bytes + page - 1) / page * page;
        void* const there = reinterpret_cast<void*>(first);
        void* const own = ::mmap(nullptr, last - first, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (own == MAP_FAILED) return;
        cut_out(first, last);
        std::memcpy(own, there, last - first);
        static_cast<void>(::mremap(own, last - first, last - first, MREMAP_MAYMOVE | MREMAP_FIXED, there));
    }

    /// Nothing is ever taken back from now on, so nobody but this rank may write.
    void pin() noexcept { is_pinned_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool is_pinned() const noexcept { return is_pinned_.load(std::memory_order_relaxed); }

    void detach() noexcept {
        const std::lock_guard lock{mutex_};
        table_ = nullptr;
    }

private:
    struct extent {
        std::uint64_t id;
        std::uintptr_t start;
        std::size_t bytes;
    };

    struct block {
        block(std::shared_ptr<symmetric_heap> h, std::size_t bytes)
            : heap(std::move(h)), size(bytes), file(heap->shares_ ? grown(bytes) : bootstrap::descriptor{}),
              memory(file.get(), 0, bytes), id(file ? heap->add(*this) : 0) {}
        block(const block&) = delete;
        block& operator=(const block&) = delete;
        ~block() {
            if (!heap->process_.is_this()) return; // a child's copy: the table and the file are the parent's
            heap->remove(id);
            // Peers may still have it mapped, which would keep its pages. A file that became shorter would kill them.
            static_cast<void>(
                ::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)));
        }

        static bootstrap::descriptor grown(std::size_t bytes) {
            auto file = nameless_file();
            resize(file.get(), bytes);
            return file;
        }

        std::shared_ptr<symmetric_heap> heap;
        std::size_t size;
        bootstrap::descriptor file;
        mapping memory;
        std::uint64_t id;
    };

    /// Where the table is full or gone the memory is as any other: 0.
    std::uint64_t add(const block& b) {
        const std::lock_guard lock{mutex_};
        for (std::size_t tries = 0; table_ && tries < regions::most; ++tries) {
            const std::uint64_t id = ++last_id_;
            regions::entry& e = table_->of(id);
            if (e.id.load(std::memory_order_relaxed) != 0) continue;
            const auto start = reinterpret_cast<std::uintptr_t>(b.memory.get());
            extents_.push_back({id, start, b.size});
            e.file.store(b.file.get(), std::memory_order_relaxed);
            e.start.store(start, std::memory_order_relaxed);
            e.bytes.store(b.size, std::memory_order_relaxed);
            e.id.store(id, std::memory_order_release);
            return id;
        }
        return 0;
    }

    /// These addresses are in no extent any more. Where there is no memory for another one, what lies behind them
    /// neither.
    void cut_out(std::uintptr_t first, std::uintptr_t last) noexcept {
        const std::lock_guard lock{mutex_};
        for (extent& e : extents_) {
            const std::uintptr_t end = e.start + e.bytes;
            if (last <= e.start || end <= first) continue;
            const extent behind{e.id, std::min(last, end), end - std::min(last, end)};
            e.bytes = first > e.start ? first - e.start : 0;
            if (behind.bytes == 0) return;
            try {
                extents_.push_back(behind);
            } catch (const std::bad_alloc&) { // it is as any other memory
            }
            return;
        }
    }
    void remove(std::uint64_t id) noexcept {
        const std::lock_guard lock{mutex_};
        std::erase_if(extents_, [&](const extent& e) { return e.id == id; });
        if (table_ && id != 0) table_->of(id).id.store(0, std::memory_order_release);
    }

    tutti::detail::own_process process_;
    std::atomic<bool> is_pinned_{false}; ///< relaxed: set before the memory that it is about is handed out
    const bool shares_;
    std::mutex mutex_; ///< guards all below
    regions* table_;
    std::uint64_t last_id_ = 0;
    std::vector<extent> extents_;
};

} // namespace tutti::transport::detail::shm
