// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../../contract/members.hpp"
#include "../../contract/status_page.hpp"
#include "../../sockets/mapping.hpp"
#include "place.hpp"
#include "process.hpp"

#include <chrono>
#include <ctime>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace tutti::transport::status {

/// The page of a rank of this process, as a file that others find. The file goes with this object; a process that is
/// killed leaves it behind, unlocked.
class own_page {
public:
    /// For a rank that has joined. Nothing where the page is switched off (TUTTI_STATUS=0), or the system has no place
    /// for it: a rank does without.
    [[nodiscard]] static std::optional<own_page> made(int rank, const bootstrap::world_table& table) {
        try {
            return tried(rank, table);
        } catch (const std::exception&) { // no memory
            return std::nullopt;
        }
    }

    own_page(own_page&& other) noexcept
        : name_(other.name_), file_(std::move(other.file_)), memory_(std::move(other.memory_)),
          is_published_(std::exchange(other.is_published_, false)) {}
    own_page& operator=(own_page&&) = delete;
    TUTTI_COLD ~own_page() {
        if (!is_published_ || made_by_ != ::getpid()) return; // a child that was only forked removes nothing
        if (const auto in = place::open(false)) in->remove(name_);
    }

    [[nodiscard]] page& get() const noexcept { return *static_cast<page*>(memory_.get()); }

private:
    TUTTI_COLD [[nodiscard]] static std::optional<own_page> tried(int rank, const bootstrap::world_table& table) {
        if (is_switched_off()) return std::nullopt;
        const auto in = place::open(true);
        if (!in) return std::nullopt;
        const auto nodes = table.nodes();
        if (is_first_of_node(rank, nodes)) sweep(*in, table.world);
        own_page made(*in, {table.world, rank});
        if (!made.file_) return std::nullopt;
        made.fill_in(table, nodes);
        return made.publish(*in) ? std::optional(std::move(made)) : std::nullopt;
    }

    /// A file without a name: nobody can take it for one of a dead process before it is locked. A child that was only
    /// forked keeps no copy of the descriptor with the lock, but it keeps the mapping, and with it whatever that was
    /// made of. So the lock is on a second opening of the file.
    TUTTI_COLD own_page(const place& in, page_name name) : name_(name) {
        const bootstrap::descriptor nameless(::openat(in.folder(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
        if (!nameless) return;
        auto again = bootstrap::descriptor::unshared(
            [&] { return ::open(path_of(nameless.get()).c_str(), O_RDWR | O_CLOEXEC); });
        if (!again || ::flock(again.get(), LOCK_EX | LOCK_NB) != 0) return;
        if (tutti::detail::most_file_bytes() < page_bytes || ::posix_fallocate(nameless.get(), 0, page_bytes) != 0)
            return;
        memory_ = detail::shm::mapping{nameless.get(), 0, page_bytes};
        new (memory_.get()) page;
        file_ = std::move(again);
    }
    [[nodiscard]] static std::string path_of(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

    /// One rank a host sweeps: for all of them to do so would take the square of their number.
    [[nodiscard]] static bool is_first_of_node(int rank, const std::vector<int>& nodes) {
        for (int r = 0; r < rank; ++r)
            if (nodes[static_cast<std::size_t>(r)] == nodes[static_cast<std::size_t>(rank)]) return false;
        return true;
    }

    TUTTI_COLD void fill_in(const bootstrap::world_table& table, const std::vector<int>& nodes) {
        const auto mine = static_cast<std::size_t>(name_.rank);
        page_head& h = get().head;
        h.world = name_.world;
        h.rank = name_.rank;
        h.size = static_cast<std::int32_t>(table.members.size());
        h.node = nodes[mine];
        for (const int n : nodes) h.hosts = n + 1 > h.hosts ? n + 1 : h.hosts;
        h.pid = ::getpid();
        if (const auto facts = facts_of_process("self")) h.process_start = facts->start;
        h.joined = std::chrono::steady_clock::now().time_since_epoch().count();
        h.joined_wall = std::time(nullptr);
        const auto put_text = [](auto& to, const std::string& s) { put(to, s.data(), s.size()); };
        put_text(h.host, table.members[mine].host);
        put_text(h.zero_host, table.members[0].host);
        put_text(h.command, own_command_line());
        put_text(h.group, table.members[mine].group);
        h.global_rank = table.members[mine].global_rank;
    }

    [[nodiscard]] bool publish(const place& in) {
        const auto from = path_of(file_.get());
        const auto to = text_of(name_);
        is_published_ = ::linkat(AT_FDCWD, from.c_str(), in.folder(), to.c_str(), AT_SYMLINK_FOLLOW) == 0;
        return is_published_;
    }

    page_name name_;
    bootstrap::descriptor file_;
    detail::shm::mapping memory_;
    bool is_published_ = false;
    ::pid_t made_by_ = ::getpid();
};

} // namespace tutti::transport::status
