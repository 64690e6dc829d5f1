// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/members.hpp"
#include "../../sockets/errors.hpp"
#include "../../sockets/wait_ready.hpp"
#include "bell_pipe.hpp"
#include "card.hpp"
#include "foreign_memory.hpp"
#include "segment.hpp"

#include <fcntl.h>
#include <sys/syscall.h>

#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace tutti::transport::detail::shm {

/// Another rank of this host: its segment, and whether its process lives.
class peer {
public:
    /// Maps its segment and tries whether its memory can be read. Throws a bootstrap error. `self`: this rank.
    peer(const bootstrap::member& m, const std::optional<card>& its, int self)
        : process_(static_cast<pid_t>(m.pid)), memory_(opened(m, its, self)), alive_(watched(m, self)),
          readable_(probe()) {
        if (const int number = top().bell_pipe.load(std::memory_order_acquire); number >= 0)
            if (!(pipe_ = its_pipe(number))) refuse_to_open(m, errno, self);
        top().attached.fetch_add(1, std::memory_order_release);
    }

    [[nodiscard]] head& top() const noexcept { return memory_.top(); }
    /// Wakes it.
    void ring() noexcept {
        if (!top().bell.ring()) return;
        if (!pipe_) open_pipe();
        if (pipe_) pipe_.ring();
    }
    [[nodiscard]] pid_t process() const noexcept { return process_; }
    /// read_foreign() works on it.
    [[nodiscard]] bool readable() const noexcept { return readable_; }

    /// Its lanes and rooms. To look for one throws std::system_error.
    [[nodiscard]] segment& memory() noexcept { return memory_; }

    /// Symmetric memory of the peer, of which these bytes are to be read; null if it is gone. Throws std::system_error.
    [[nodiscard]] const std::byte* symmetric(std::uint64_t region, std::uint64_t address, std::size_t bytes) {
        const mapped* const m = find(region);
        if (!m || address < m->start || address - m->start > m->bytes || bytes > m->bytes - (address - m->start))
            return nullptr;
        return static_cast<const std::byte*>(m->memory.get()) + (address - m->start);
    }

    [[nodiscard]] bool has_left() const noexcept { return top().left.load(std::memory_order_acquire) != 0; }
    [[nodiscard]] bool is_dead() const noexcept {
        // Readable once the process has ended; a negative descriptor is ignored.
        return bootstrap::wait_ready(alive_.get(), POLLIN, clock::time_point{});
    }

private:
    struct mapped {
        std::uint64_t id = 0;
        std::uint64_t start = 0; ///< in the peer's memory
        std::size_t bytes = 0;
        mapping memory;
    };

    [[nodiscard]] bell_pipe its_pipe(int number) const {
        return bell_pipe::opened(process_, number, top().bell_file.load(std::memory_order_relaxed));
    }
    /// It has slept by descriptors only since it has joined.
    [[gnu::cold]] void open_pipe() noexcept {
        try {
            if (!has_left() && !is_dead()) pipe_ = its_pipe(top().bell_pipe.load(std::memory_order_acquire));
        } catch (const std::exception&) { // no memory
        }
    }

    /// The region as it is mapped here, which happens when it is first needed.
    [[nodiscard]] const mapped* find(std::uint64_t region) {
        if (regions_.empty()) regions_.resize(regions::most);
        mapped& m = regions_[region % regions::most];
        if (m.id == region) return &m;
        const regions::entry& e = top().symmetric.of(region);
        if (e.id.load(std::memory_order_acquire) != region) return nullptr;
        const bootstrap::descriptor file = open_file(process_, e.file.load(std::memory_order_relaxed));
        const std::size_t bytes = e.bytes.load(std::memory_order_relaxed);
        if (!file && errno != ENOENT && errno != ESRCH)
            throw std::system_error(errno, std::generic_category(), "symmetric memory cannot be opened");
        // A process that has ended may have left its number, and its descriptors' numbers, to another one.
        if (!file || is_dead() || ::lseek(file.get(), 0, SEEK_END) != static_cast<off_t>(bytes)) return nullptr;
        m = {region, e.start.load(std::memory_order_relaxed), bytes, mapping{file.get(), 0, bytes}};
        return &m;
    }

    [[nodiscard]] static segment opened(const bootstrap::member& m, const std::optional<card>& its, int self) {
        if (!its) refuse(m, "is told of in words that this version does not understand");
        bootstrap::descriptor file = open_file(m.pid, its->file);
        if (!file) refuse_to_open(m, errno, self);
        if (::lseek(file.get(), 0, SEEK_END) < static_cast<off_t>(segment::bytes_for(0)))
            refuse(m, "is something else");
        segment s{std::move(file)};
        if (s.top().layout != head::this_layout || s.top().key != its->key) refuse(m, "is something else");
        return s;
    }

    /// Readable once the process has ended. None where the system has nothing of the kind, or does not allow it.
    [[nodiscard]] static bootstrap::descriptor watched(const bootstrap::member& m, int self) {
        const auto open = [&] { return static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(m.pid), 0)); };
        bootstrap::descriptor of_process{bootstrap::opened_within_limit(open)};
        if (!of_process && errno != ENOSYS && errno != EPERM) refuse_to_open(m, errno, self);
        return of_process;
    }
    /// By an error of the system: this rank lacks something, the other one is gone, or it is kept apart.
    [[noreturn]] static void refuse_to_open(const bootstrap::member& m, int code, int self) {
        const std::string other = "rank " + std::to_string(m.rank);
        if (const auto lack = bootstrap::shortage_in_words(code))
            bootstrap::bootstrap_failed(
                "rank " + std::to_string(self) + " cannot open the shared memory of " + other + ": " + *lack, {}, self);
        if (code == ENOENT || code == ESRCH)
            bootstrap::bootstrap_failed(other + " (process " + std::to_string(m.pid) +
                                            ") was lost: its process has ended",
                                        "look at that rank's own output for why it ended", m.rank);
        refuse(m, "cannot be opened: " + bootstrap::words_of_errno(code));
    }
    [[noreturn]] static void refuse(const bootstrap::member& m, const std::string& why) {
        bootstrap::bootstrap_failed("the shared memory of rank " + std::to_string(m.rank) + " (process " +
                                        std::to_string(m.pid) + ") " + why,
                                    "give that rank a TUTTI_HOST of its own, and take transport::routed, which goes "
                                    "over TCP then",
                                    m.rank);
    }

    [[nodiscard]] bool probe() const noexcept {
        std::uint64_t seen = 0;
        return read_foreign(process_, top().private_key_at, reinterpret_cast<std::byte*>(&seen), sizeof seen) &&
               seen == top().key;
    }

    pid_t process_;
    segment memory_;
    bootstrap::descriptor alive_;
    bell_pipe pipe_; ///< none as long as it sleeps on the futex
    bool readable_;
    std::vector<mapped> regions_; ///< by their places in the peer's table
};

} // namespace tutti::transport::detail::shm
