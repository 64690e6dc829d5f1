// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../buckets/agreement.hpp"
#include "error.hpp"
#include "format.hpp"

#include "../../base/file_limit.hpp"
#include "../../base/file_place.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace tutti::training::detail {

/// An open file.
class open_file {
public:
    explicit open_file(int descriptor = -1) noexcept : descriptor_(descriptor) {}
    open_file(open_file&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    open_file& operator=(open_file&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~open_file() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    [[nodiscard]] int get() const noexcept { return descriptor_; }

private:
    int descriptor_;
};

[[nodiscard]] inline std::string last_failure() { return std::generic_category().message(errno); }

/// Writes beside the file, and puts all in its place at the end, so that at any time the old one or the new one is
/// whole. A symbolic link stays, and what is no plain file is written to. After a failure it writes nothing more.
class checkpoint_writer {
public:
    explicit checkpoint_writer(std::string path)
        : path_(std::move(path)), place_(tutti::detail::place_of_plain_file(path_)),
          written_(place_ ? *place_ + ".new" : path_),
          // O_NONBLOCK: a pipe that nobody reads is an error, not a wait for ever.
          file_(::open(written_.c_str(), O_WRONLY | O_CLOEXEC | (place_ ? O_CREAT | O_TRUNC | O_NOFOLLOW : O_NONBLOCK),
                       0666)) {
        if (file_.get() < 0) {
            const bool is_unread = !place_ && errno == ENXIO;
            fail((place_ ? "cannot be created beside it: " : "cannot be opened: ") +
                 (is_unread ? "nobody reads it" : last_failure()));
            return;
        }
        if (!place_) {
            ::fcntl(file_.get(), F_SETFL, ::fcntl(file_.get(), F_GETFL) & ~O_NONBLOCK);
            return;
        }
        struct ::stat before {};
        if (::stat(place_->c_str(), &before) == 0 && ::fchmod(file_.get(), before.st_mode & 07777U) != 0)
            fail("cannot be given the permissions of the file before it: " + last_failure());
    }
    checkpoint_writer(const checkpoint_writer&) = delete;
    checkpoint_writer& operator=(const checkpoint_writer&) = delete;
    ~checkpoint_writer() {
        if (place_ && !is_placed_ && file_.get() >= 0) ::unlink(written_.c_str());
    }

    void write(std::span<const std::byte> bytes) {
        sum_.add(bytes);
        put(bytes);
    }
    /// Writes the checksum, sees that all is on the disk, and puts it in its place.
    void place() {
        const std::uint64_t sum = sum_.value();
        put(std::as_bytes(std::span(&sum, 1)));
        if (!place_) return;
        if (!fault_ && ::fsync(file_.get()) != 0) fail("cannot be written: " + last_failure());
        if (fault_) return;
        if (std::rename(written_.c_str(), place_->c_str()) != 0) return fail("cannot be replaced: " + last_failure());
        is_placed_ = true;
        const std::size_t slash = place_->rfind('/');
        const std::string folder = slash == std::string::npos ? "." : place_->substr(0, slash + 1);
        const open_file directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        // Some file systems cannot synchronise a folder; the file itself is whole.
        if (directory.get() >= 0) static_cast<void>(::fsync(directory.get()));
    }
    /// What went wrong.
    [[nodiscard]] const std::optional<checkpoint_error>& fault() const noexcept { return fault_; }

private:
    void put(std::span<const std::byte> bytes) {
        if (place_ && !fault_ && bytes.size() > tutti::detail::most_file_bytes() - written_bytes_)
            fail("cannot be written: " + tutti::detail::words_of_file_limit());
        written_bytes_ += bytes.size();
        while (!fault_ && !bytes.empty()) {
            const ssize_t some = ::write(file_.get(), bytes.data(), bytes.size());
            if (some < 0 && errno != EINTR) return fail("cannot be written: " + last_failure());
            if (some > 0) bytes = bytes.subspan(static_cast<std::size_t>(some));
        }
    }
    void fail(const std::string& words) { fault_.emplace(checkpoint_flaw::unwritable, "save", path_, words); }

    std::string path_;
    std::optional<std::string> place_;
    std::string written_;
    open_file file_;
    checksum sum_;
    std::optional<checkpoint_error> fault_;
    std::uint64_t written_bytes_ = 0; ///< never more than the limit, until there is a fault
    bool is_placed_ = false;
};

/// Reads a file that checkpoint_writer wrote. `Header` is what it begins with: its first word is the magic number of
/// its `kind`. Whatever is wrong is thrown as checkpoint_error.
template <class Header>
class checkpoint_reader {
public:
    checkpoint_reader(std::string path, std::string operation)
        : path_(std::move(path)), operation_(std::move(operation)), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
        struct ::stat facts {};
        if (file_.get() < 0 || ::fstat(file_.get(), &facts) != 0)
            fail(checkpoint_flaw::unreadable, "cannot be opened: " + last_failure());
        bytes_ = static_cast<std::uint64_t>(facts.st_size);
        if (bytes_ < sizeof header_ + sizeof(std::uint64_t))
            fail(checkpoint_flaw::truncated, "has " + std::to_string(bytes_) + " bytes, no header");
        read(0, std::span(&header_, 1));
        if (header_.magic != Header{}.magic)
            fail(checkpoint_flaw::foreign, "is no " + std::string(Header::kind) + " of this machine's kind");
    }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const Header& header() const noexcept { return header_; }
    [[noreturn]] void fail(checkpoint_flaw what, const std::string& words) const {
        throw checkpoint_error(what, operation_, path_, words);
    }

protected:
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    /// Where the checksum begins.
    [[nodiscard]] std::uint64_t end() const noexcept { return bytes_ - sizeof(std::uint64_t); }

    template <class T>
    void read(std::uint64_t at, std::span<T> to, const char* otherwise = "cannot be read: ") const {
        auto bytes = std::as_writable_bytes(to);
        while (!bytes.empty()) {
            const ::ssize_t some = ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<::off_t>(at));
            if (some < 0 && errno == EINTR) continue;
            if (some <= 0) fail(checkpoint_flaw::unreadable, otherwise + last_failure());
            bytes = bytes.subspan(static_cast<std::size_t>(some));
            at += static_cast<std::uint64_t>(some);
        }
    }
    /// Reads all of it once, before any of it is given.
    void check_sum() const {
        checksum sum;
        std::array<std::byte, 65536> some{};
        for (std::uint64_t at = 0; at < end(); at += some.size()) {
            const auto next =
                std::span(some).first(static_cast<std::size_t>(std::min<std::uint64_t>(end() - at, some.size())));
            read(at, next);
            sum.add(next);
        }
        std::uint64_t stored = 0;
        read(end(), std::span(&stored, 1));
        if (sum.value() != stored)
            fail(checkpoint_flaw::damaged, "is damaged: its checksum is wrong, so some of its " +
                                               std::to_string(bytes_) + " bytes are not those that were written");
    }

private:
    std::string path_, operation_;
    open_file file_;
    Header header_;
    std::uint64_t bytes_ = 0;
};

/// Reads the arrays of a job.
class arrays_reader : public checkpoint_reader<checkpoint_header> {
public:
    /// Checks it against the text of the model.
    arrays_reader(std::string path, const std::string& text, std::uint64_t elements, std::uint64_t arrays)
        : checkpoint_reader(std::move(path), "restore") {
        const checkpoint_header& h = header();
        if (h.version != checkpoint_version)
            fail(checkpoint_flaw::version,
                 "has version " + std::to_string(h.version) + ", not " + std::to_string(checkpoint_version));
        if (bytes() != h.file_bytes())
            fail(checkpoint_flaw::truncated,
                 "has " + std::to_string(bytes()) + " bytes where its header says " + std::to_string(h.file_bytes()));
        check_sum();
        // No longer than the first line that differs needs, whatever the file says.
        std::string stored(static_cast<std::size_t>(std::min<std::uint64_t>(h.text_bytes, text.size() + 4096)), ' ');
        read(at_, std::span(stored));
        if (stored != text || h.elements != elements || h.arrays != arrays)
            fail(checkpoint_flaw::other_model, "is of another model or rule: " + first_difference(stored, text));
        at_ += stored.size();
    }
    /// The next numbers of the arrays, in the order of the file.
    void next(std::span<float> to) {
        read(at_, to, "cannot be read any further, and a part was read: ");
        at_ += to.size_bytes();
    }

private:
    [[nodiscard]] static std::string first_difference(const std::string& theirs, const std::string& ours) {
        const auto same = std::mismatch(theirs.begin(), theirs.end(), ours.begin(), ours.end()).first;
        const auto line = static_cast<std::size_t>(std::count(theirs.begin(), same, '\n'));
        return "it has " + line_of(theirs, line) + " where this one has " + line_of(ours, line);
    }

    std::uint64_t at_ = sizeof(checkpoint_header); ///< of the next
};

} // namespace tutti::training::detail
