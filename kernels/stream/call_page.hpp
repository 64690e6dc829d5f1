// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../allreduce/fused_allreduce.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace tutti::kernels::detail {

/// Stored in place of a call's number where a group has failed: it releases every stream.
inline constexpr std::uint64_t released = std::uint64_t{1} << 62;

/// What processes that share a device have in common: host memory that their streams reach.
///
/// - ready[r] is stored by rank r's stream (the number of the call that it has come to), and awaited by the leader's.
/// - done is stored by the leader's stream, and awaited by all other ranks' streams. Rank 0's two streams are ordered
///   by events as well. A stream's store comes after all that it did before, and is visible to whom it releases. So the
///   kernel sees the inputs, and the ranks see the outputs.
/// - requests[k % depth][r] is stored by rank r's host before it puts its store of ready into its stream, and read by
///   the leader's stream after ready. The host stores the next one there when done has reached k.
/// - failure is stored by the leader's kernel, or by any host where it is 0. Of several failures any may be told. Then
///   hosts store `released` to all other words, again and again, since a stream may still store the number of an
///   earlier call after them.
struct call_page {
    /// Calls that may be under way. A stream of CUDA holds about 1000 commands, and the leader's gets 13 for each call
    /// of eight ranks.
    static constexpr std::size_t depth = 64;
    struct alignas(64) word {
        std::uint64_t value = 0;
        [[nodiscard]] std::uint64_t load() noexcept { return std::atomic_ref(value).load(std::memory_order_acquire); }
        void store(std::uint64_t v) noexcept { std::atomic_ref(value).store(v, std::memory_order_release); }
        void store_first(std::uint64_t v) noexcept {
            std::uint64_t none = 0;
            std::atomic_ref(value).compare_exchange_strong(none, v, std::memory_order_acq_rel);
        }
    };
    word done, failure, closed; ///< closed: the leader has no memory of other ranks open any more
    std::array<word, most_peers> ready;
    std::array<std::array<call_request, most_peers>, depth> requests;
};

/// The page, mapped into this process. One rank makes it, the others open it through /proc.
class shared_call_page {
public:
    /// Where another process finds the page.
    struct address {
        std::int64_t process = 0;
        std::int64_t file = -1; ///< -1: there is none
    };

    shared_call_page() = default;
    /// Throws std::system_error.
    [[nodiscard]] static shared_call_page make() {
        shared_call_page made;
        made.file_ = ::memfd_create("tutti calls", MFD_CLOEXEC);
        if (made.file_ < 0 || ::ftruncate(made.file_, static_cast<off_t>(bytes())) != 0) fail("memfd_create");
        made.map();
        ::new (made.at_) call_page;
        return made;
    }
    /// Throws std::system_error.
    [[nodiscard]] static shared_call_page open(const address& a) {
        shared_call_page opened;
        const std::string path = "/proc/" + std::to_string(a.process) + "/fd/" + std::to_string(a.file);
        opened.file_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        if (opened.file_ < 0) fail("open");
        opened.map();
        return opened;
    }
    shared_call_page(shared_call_page&& other) noexcept
        : file_(std::exchange(other.file_, -1)), at_(std::exchange(other.at_, nullptr)) {}
    shared_call_page& operator=(shared_call_page&& other) noexcept {
        std::swap(file_, other.file_);
        std::swap(at_, other.at_);
        return *this;
    }
    ~shared_call_page() {
        if (at_) ::munmap(at_, bytes());
        if (file_ >= 0) ::close(file_);
    }

    [[nodiscard]] address where() const noexcept { return {::getpid(), file_}; }
    [[nodiscard]] call_page& operator*() const noexcept { return *at_; }
    [[nodiscard]] call_page* operator->() const noexcept { return at_; }
    [[nodiscard]] static constexpr std::size_t bytes() noexcept { return (sizeof(call_page) + 4095) / 4096 * 4096; }

private:
    [[noreturn]] static void fail(const char* what) {
        throw std::system_error(errno, std::generic_category(), std::string("the page of calls: ") + what);
    }
    void map() {
        void* const p = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
        if (p == MAP_FAILED) fail("mmap");
        at_ = static_cast<call_page*>(p);
    }

    int file_ = -1;
    call_page* at_ = nullptr;
};

} // namespace tutti::kernels::detail
