// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../../sockets/socket.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

/// The files of status pages: /dev/shm/tutti-UID/WORLD-RANK, the world's id as 16 hexadecimal digits. The folder is the
/// user's alone (0700), as each file is (0600).
///
/// A page's process holds a lock (flock) on the file for as long as it lives. The kernel takes the lock back when the
/// process is gone, however it ended, and in whatever namespace. So a page without a lock is one of a dead process.
namespace tutti::transport::status {

/// TUTTI_STATUS=0: this rank has no page, and rank 0 no socket.
[[nodiscard]] inline bool is_switched_off() noexcept {
    const char* const wanted = std::getenv("TUTTI_STATUS");
    return wanted && std::string_view(wanted) == "0";
}

/// Behind the world's id, the name of rank 0's socket.
inline constexpr const char* desk_suffix = "-socket";

/// The name of a page's file.
struct page_name {
    std::uint64_t world = 0;
    int rank = 0;
    friend bool operator==(const page_name&, const page_name&) = default;
};

[[nodiscard]] inline std::string world_in_words(std::uint64_t world) {
    std::string digits(16, '0');
    for (std::size_t i = digits.size(); i-- > 0; world >>= 4) digits[i] = "0123456789abcdef"[world & 15];
    return digits;
}
[[nodiscard]] inline std::string text_of(const page_name& n) {
    return world_in_words(n.world) + "-" + std::to_string(n.rank);
}
/// Nothing if the text is no such name.
[[nodiscard]] inline std::optional<page_name> page_name_of(std::string_view text) {
    if (text.size() < 18 || text[16] != '-') return std::nullopt;
    page_name n;
    const auto world = std::from_chars(text.data(), text.data() + 16, n.world, 16);
    const auto rank = std::from_chars(text.data() + 17, text.data() + text.size(), n.rank);
    if (world.ec != std::errc{} || world.ptr != text.data() + 16) return std::nullopt;
    if (rank.ec != std::errc{} || rank.ptr != text.data() + text.size() || n.rank < 0) return std::nullopt;
    return text_of(n) == text ? std::optional(n) : std::nullopt;
}

/// The folder of one user.
class place {
public:
    /// That of this process's user.
    [[nodiscard]] static std::string path() { return "/dev/shm/tutti-" + std::to_string(::geteuid()); }

    /// The folder, made if need be. Nothing where there is none, or it is not this user's alone: another user may have
    /// made one of that name.
    TUTTI_COLD [[nodiscard]] static std::optional<place> open(bool make, const std::string& at = path()) {
        if (make) static_cast<void>(::mkdir(at.c_str(), 0700)); // fails where it is there already
        bootstrap::descriptor folder(::open(at.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        struct stat facts {};
        if (!folder || ::fstat(folder.get(), &facts) != 0) return std::nullopt;
        if (facts.st_uid != ::geteuid() || (facts.st_mode & 0077) != 0) return std::nullopt;
        return place(std::move(folder));
    }

    [[nodiscard]] int folder() const noexcept { return folder_.get(); }

    /// All pages that are there, in no order.
    [[nodiscard]] std::vector<page_name> pages() const {
        std::vector<page_name> all;
        each_name([&](const std::string& name) {
            if (const auto n = page_name_of(name)) all.push_back(*n);
        });
        return all;
    }
    /// The worlds of all sockets that are older than a minute.
    TUTTI_COLD [[nodiscard]] std::vector<std::uint64_t> old_sockets() const {
        std::vector<std::uint64_t> all;
        each_name([&](const std::string& name) {
            struct stat facts {};
            std::uint64_t world = 0;
            std::from_chars(name.data(), name.data() + name.size(), world, 16);
            if (name != world_in_words(world) + desk_suffix) return;
            if (::fstatat(folder_.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return;
            if (facts.st_mtime + 60 < std::time(nullptr)) all.push_back(world);
        });
        return all;
    }

    /// A page's file, for reading. None if it is gone, or is no plain file.
    [[nodiscard]] bootstrap::descriptor file_of(const page_name& n) const {
        bootstrap::descriptor file(
            ::openat(folder_.get(), text_of(n).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        struct stat facts {};
        if (file && (::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))) file.reset();
        return file;
    }
    void remove(const page_name& n) const { ::unlinkat(folder_.get(), text_of(n).c_str(), 0); }
    /// What a rank 0 that was killed has left.
    void remove_socket(std::uint64_t world) const {
        ::unlinkat(folder_.get(), (world_in_words(world) + desk_suffix).c_str(), 0);
    }

private:
    template <class Use>
    void each_name(Use use) const {
        const int again = ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); // closedir() closes it
        const std::unique_ptr<DIR, int (*)(DIR*)> entries(again < 0 ? nullptr : ::fdopendir(again), &::closedir);
        if (!entries && again >= 0) ::close(again);
        if (!entries) return;
        while (const dirent* const e = ::readdir(entries.get())) use(std::string(e->d_name));
    }

    explicit place(bootstrap::descriptor folder) : folder_(std::move(folder)) {}
    bootstrap::descriptor folder_;
};

/// Whether the process of that page lives. Asks for a shared lock, and gives it back: two that ask do not mislead each
/// other, and the process itself takes its lock before the file has a name.
[[nodiscard]] inline bool is_held(int file) noexcept {
    if (::flock(file, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
    ::flock(file, LOCK_UN);
    return false;
}

/// Removes the pages of worlds none of whose processes lives on this host any more, but for world `mine`. Pages of dead
/// ranks stay as long as another rank of their world lives: `tutti ps` tells of them.
TUTTI_COLD inline void sweep(const place& in, std::uint64_t mine) {
    const auto all = in.pages();
    std::vector<std::uint64_t> alive{mine};
    const auto lives = [&](const page_name& n) {
        for (const auto world : alive)
            if (world == n.world) return true;
        return false;
    };
    for (const page_name& n : all) {
        if (lives(n)) continue;
        const auto file = in.file_of(n);
        if (file && is_held(file.get())) alive.push_back(n.world);
    }
    for (const page_name& n : all) {
        if (lives(n)) continue;
        in.remove(n);
        if (n.rank == 0) in.remove_socket(n.world);
    }
    // A rank 0 has its page when its socket is so old, unless it was killed as it left.
    for (const auto world : in.old_sockets()) {
        const bool has_page = std::any_of(all.begin(), all.end(), [&](const page_name& n) { return n.world == world; });
        if (!has_page && world != mine) in.remove_socket(world);
    }
}

} // namespace tutti::transport::status
