// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/own_process.hpp"
#include "rail.hpp"
#include "words.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::detail::verbs {

/// Memory of this process that its RDMA ports may reach. Memory stays registered while a lease is out. Ordinary
/// memory is deregistered with its last lease, or kept as far as the user allows; symmetric memory stays registered
/// until it is freed. Any thread.
class registrations {
    struct entry {
        const std::byte* begin = nullptr;
        std::size_t bytes = 0;
        bool writable = false;  ///< reads of this rank may store there
        bool symmetric = false; ///< stays registered, used or not
        std::size_t users = 0;
        std::vector<owned<ibv_mr>> of; ///< by rail
        [[nodiscard]] bool holds(const std::byte* p, std::size_t n, bool to_write) const noexcept {
            return (symmetric || writable == to_write) && p >= begin && n <= bytes &&
                   static_cast<std::size_t>(p - begin) <= bytes - n;
        }
    };

public:
    /// Registered memory, until it is destroyed.
    class lease {
    public:
        lease() = default;
        lease(lease&& other) noexcept : all_(std::exchange(other.all_, nullptr)), it_(other.it_) {}
        lease& operator=(lease&& other) noexcept {
            std::swap(all_, other.all_);
            std::swap(it_, other.it_);
            return *this;
        }
        ~lease() {
            if (all_) all_->give_back(it_);
        }
        [[nodiscard]] explicit operator bool() const noexcept { return all_ != nullptr; }
        [[nodiscard]] std::uint32_t local(std::size_t rail) const noexcept {
            return it_->of.empty() ? 0 : it_->of[rail]->lkey;
        }
        [[nodiscard]] std::uint32_t remote(std::size_t rail) const noexcept {
            return it_->of.empty() ? 0 : it_->of[rail]->rkey;
        }
        /// Ends the registration, so that a peer that still reads fails. False if others use it too.
        [[nodiscard]] bool revoke() noexcept { return !all_ || all_->revoke(it_); }

    private:
        friend registrations;
        lease(registrations& all, std::list<entry>::iterator it) noexcept : all_(&all), it_(it) {}
        registrations* all_ = nullptr;
        std::list<entry>::iterator it_;
    };

    registrations(const std::vector<std::unique_ptr<rail>>& rails, std::size_t kept)
        : rails_(rails), most_kept_(kept) {}
    registrations(const registrations&) = delete;
    registrations& operator=(const registrations&) = delete;

    /// For peers to read, or with `to_write` for this rank's reads to store in. An empty lease if the system refuses:
    /// then refusal() says why.
    [[nodiscard]] lease acquire(const std::byte* p, std::size_t bytes, bool to_write) {
        const std::scoped_lock hold(lock_);
        for (auto it = all_.begin(); it != all_.end(); ++it)
            if (it->holds(p, bytes, to_write)) {
                if (it->users++ == 0 && !it->symmetric) kept_ -= it->bytes;
                all_.splice(all_.begin(), all_, it); // last used
                return {*this, it};
            }
        entry e{p, bytes, to_write, false, 1, {}};
        if (!enter(e)) return {};
        all_.push_front(std::move(e));
        return {*this, all_.begin()};
    }

    /// Zeroed pages that are registered. They may outlive `all`. Throws a bootstrap error.
    [[nodiscard]] static std::shared_ptr<std::byte> allocate(const std::shared_ptr<registrations>& all,
                                                             std::size_t bytes) {
        const std::size_t whole = std::max<std::size_t>(bytes, 1);
        void* const pages = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) throw std::bad_alloc();
        const std::shared_ptr<std::byte> memory(static_cast<std::byte*>(pages),
                                                [whole](std::byte* p) { ::munmap(p, whole); });
        return adopt(all, memory, whole);
    }
    /// Registers memory until the pointer that it returns is gone. Throws a bootstrap error.
    [[nodiscard]] static std::shared_ptr<std::byte> adopt(const std::shared_ptr<registrations>& all,
                                                          const std::shared_ptr<std::byte>& memory, std::size_t bytes) {
        if (!all->enter_symmetric(memory.get(), bytes))
            bootstrap::bootstrap_failed("symmetric memory: " + all->refusal());
        return {memory.get(), [weak = std::weak_ptr(all), memory](std::byte* p) {
                    if (const auto still = weak.lock()) still->retire(p);
                }};
    }

    /// Why the last acquire() has failed; begins with "it".
    [[nodiscard]] std::string refusal() const {
        const std::scoped_lock hold(lock_);
        return refusal_;
    }
    [[nodiscard]] std::size_t registered_bytes() const {
        const std::scoped_lock hold(lock_);
        return pinned_;
    }
    /// How often the system was asked to register memory.
    [[nodiscard]] std::uint64_t made() const {
        const std::scoped_lock hold(lock_);
        return made_;
    }

    /// Nothing is registered any more. To be called when no lease is out, before the rails go.
    void end() noexcept {
        const std::scoped_lock hold(lock_);
        all_.clear();
        kept_ = pinned_ = 0;
    }

private:
    [[nodiscard]] bool enter_symmetric(const std::byte* begin, std::size_t bytes) {
        const std::scoped_lock hold(lock_);
        entry e{begin, bytes, true, true, 0, {}};
        if (!enter(e)) return false;
        all_.push_front(std::move(e));
        return true;
    }
    /// Symmetric memory is freed. A peer's read of it then fails.
    void retire(const std::byte* begin) noexcept {
        if (!process_.is_this()) return; // and another thread of the parent may have held the lock
        const std::scoped_lock hold(lock_);
        for (auto it = all_.begin(); it != all_.end(); ++it)
            if (it->symmetric && it->begin == begin) {
                forget(*it);
                it->symmetric = false;
                it->bytes = 0; // nothing is found here any more
                if (it->users == 0) all_.erase(it);
                return;
            }
    }

    [[nodiscard]] bool enter(entry& e) {
        const unsigned access = (e.writable ? unsigned{IBV_ACCESS_LOCAL_WRITE} : 0U) |
                                (e.symmetric || !e.writable ? unsigned{IBV_ACCESS_REMOTE_READ} : 0U);
        for (const auto& r : rails_) {
            ibv_mr* mr = nullptr;
            while (!(mr = ibv_reg_mr(r->domain(), const_cast<std::byte*>(e.begin), e.bytes, access))) {
                const int code = errno;
                if (evict_one()) continue; // cached registrations may have used up a limit
                refusal_ = words_of_registration(e.bytes, pinned_, code);
                return false;
            }
            e.of.emplace_back(mr);
        }
        pinned_ += e.bytes;
        ++made_;
        return true;
    }
    void give_back(std::list<entry>::iterator it) noexcept {
        const std::scoped_lock hold(lock_);
        if (--it->users > 0 || it->symmetric) return;
        if (it->of.empty() || it->bytes > most_kept_) {
            forget(*it);
            all_.erase(it);
            return;
        }
        kept_ += it->bytes;
        while (kept_ > most_kept_ && evict_one()) continue;
    }
    [[nodiscard]] bool revoke(std::list<entry>::iterator it) noexcept {
        const std::scoped_lock hold(lock_);
        if (it->users > 1 || it->symmetric) return false;
        forget(*it);
        it->bytes = 0;
        return true;
    }
    bool evict_one() noexcept {
        for (auto it = all_.end(); it != all_.begin();) {
            --it;
            if (it->users > 0 || it->symmetric) continue;
            kept_ -= it->bytes;
            forget(*it);
            all_.erase(it);
            return true;
        }
        return false;
    }
    void forget(entry& e) noexcept {
        if (!e.of.empty()) pinned_ -= e.bytes;
        e.of.clear();
    }

    const std::vector<std::unique_ptr<rail>>& rails_;
    std::size_t most_kept_;
    mutable std::mutex lock_;
    std::list<entry> all_;   // last used first
    std::size_t kept_ = 0;   // cached bytes without a lease
    std::size_t pinned_ = 0; // bytes in all
    std::uint64_t made_ = 0; // registrations
    std::string refusal_;
    tutti::detail::own_process process_;
};

} // namespace tutti::transport::detail::verbs
