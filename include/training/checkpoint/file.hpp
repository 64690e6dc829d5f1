// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

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

/// What went wrong on the rank that has the file, to be told to the others. No words: nothing.
struct file_fault {
    checkpoint_flaw what = checkpoint_flaw::unwritable;
    std::string words;
};

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
        : place_(tutti::detail::place_of_plain_file(path)), written_(place_ ? *place_ + ".new" : std::move(path)),
          // O_NONBLOCK: a pipe that nobody reads is an error, not a wait for ever.
          file_(::open(written_.c_str(), O_WRONLY | O_CLOEXEC | (place_ ? O_CREAT | O_TRUNC | O_NOFOLLOW : O_NONBLOCK),
                       0666)) {
        if (file_.get() < 0) {
            fail(place_ ? "cannot be created beside it" : "cannot be opened");
            if (!place_ && errno == ENXIO) fault_.words = "cannot be opened: nobody reads it";
            return;
        }
        if (!place_) {
            ::fcntl(file_.get(), F_SETFL, ::fcntl(file_.get(), F_GETFL) & ~O_NONBLOCK);
            return;
        }
        struct ::stat before {};
        if (::stat(place_->c_str(), &before) == 0 && ::fchmod(file_.get(), before.st_mode & 07777U) != 0)
            fail("cannot be given the permissions of the file before it");
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
        if (fault_.words.empty() && ::fsync(file_.get()) != 0) fail("cannot be written");
        if (!fault_.words.empty()) return;
        if (std::rename(written_.c_str(), place_->c_str()) != 0) return fail("cannot be replaced");
        is_placed_ = true;
        const std::size_t slash = place_->rfind('/');
        const std::string folder = slash == std::string::npos ? "." : place_->substr(0, slash + 1);
        const open_file directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        // Some file systems cannot synchronise a folder; the file itself is whole.
        if (directory.get() >= 0) static_cast<void>(::fsync(directory.get()));
    }
    [[nodiscard]] const file_fault& fault() const noexcept { return fault_; }

private:
    void put(std::span<const std::byte> bytes) {
        if (place_ && fault_.words.empty() && bytes.size() > tutti::detail::most_file_bytes() - written_bytes_)
            fault_.words = "cannot be written: " + tutti::detail::words_of_file_limit();
        written_bytes_ += bytes.size();
        while (fault_.words.empty() && !bytes.empty()) {
            const ssize_t some = ::write(file_.get(), bytes.data(), bytes.size());
            if (some < 0 && errno != EINTR) return fail("cannot be written");
            if (some > 0) bytes = bytes.subspan(static_cast<std::size_t>(some));
        }
    }
    void fail(const std::string& what) { fault_ = {checkpoint_flaw::unwritable, what + ": " + last_failure()}; }

    std::optional<std::string> place_;
    std::string written_;
    open_file file_;
    checksum sum_;
    file_fault fault_;
    std::uint64_t written_bytes_ = 0; ///< never more than the limit, until there is a fault
    bool is_placed_ = false;
};

/// Reads a file, all of which is checked before any of it is given.
class checkpoint_reader {
public:
    /// Checks it against the text of the model.
    checkpoint_reader(const std::string& path, const std::string& text, std::uint64_t elements, std::uint64_t arrays)
        : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (file_.get() < 0)
            fail(checkpoint_flaw::unreadable, "cannot be opened: " + last_failure());
        else
            check_header();
        if (fault_.words.empty()) check_content();
        if (fault_.words.empty()) check_model(text, elements, arrays);
    }

    [[nodiscard]] const file_fault& fault() const noexcept { return fault_; }
    [[nodiscard]] const checkpoint_header& header() const noexcept { return header_; }
    /// The next bytes of the arrays, in the order of the file.
    void read(std::span<std::byte> bytes) {
        if (!get(bytes))
            fail(checkpoint_flaw::unreadable, "cannot be read any further, and a part was read: " + last_failure());
    }

private:
    void fail(checkpoint_flaw what, std::string words) { fault_ = {what, std::move(words)}; }

    [[nodiscard]] bool get(std::span<std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t some = ::read(file_.get(), bytes.data(), bytes.size());
            if (some == 0 || (some < 0 && errno != EINTR)) return false;
            if (some > 0) bytes = bytes.subspan(static_cast<std::size_t>(some));
        }
        return true;
    }

    void check_header() {
        const ::off_t bytes = ::lseek(file_.get(), 0, SEEK_END);
        ::lseek(file_.get(), 0, SEEK_SET);
        checkpoint_header h;
        const bool is_read = get(std::as_writable_bytes(std::span(&h, 1)));
        if (!is_read && bytes >= static_cast<::off_t>(sizeof h))
            return fail(checkpoint_flaw::unreadable, "cannot be read: " + last_failure());
        if (!is_read) return fail(checkpoint_flaw::truncated, "has " + std::to_string(bytes) + " bytes, no header");
        if (h.magic != checkpoint_magic)
            return fail(checkpoint_flaw::foreign, "is no checkpoint of this machine's kind");
        if (h.version != checkpoint_version)
            return fail(checkpoint_flaw::version,
                        "has version " + std::to_string(h.version) + ", not " + std::to_string(checkpoint_version));
        if (static_cast<std::uint64_t>(bytes) != h.file_bytes())
            return fail(checkpoint_flaw::truncated, "has " + std::to_string(bytes) + " bytes where its header says " +
                                                        std::to_string(h.file_bytes()));
        header_ = h;
    }

    /// Reads all of it once. Leaves the file behind the header.
    void check_content() {
        checksum sum;
        sum.add(std::as_bytes(std::span(&header_, 1)));
        std::array<std::byte, 65536> some{};
        for (std::uint64_t left = header_.file_bytes() - sizeof header_ - sizeof(std::uint64_t); left > 0;) {
            const auto next =
                std::span(some).first(static_cast<std::size_t>(std::min<std::uint64_t>(left, some.size())));
            if (!get(next)) return fail(checkpoint_flaw::unreadable, "cannot be read: " + last_failure());
            sum.add(next);
            left -= next.size();
        }
        std::uint64_t stored = 0;
        if (!get(std::as_writable_bytes(std::span(&stored, 1))) || stored != sum.value())
            return fail(checkpoint_flaw::damaged, "is damaged: its checksum is wrong, so some of its " +
                                                      std::to_string(header_.file_bytes()) +
                                                      " bytes are not those that were written");
        ::lseek(file_.get(), sizeof header_, SEEK_SET);
    }

    void check_model(const std::string& text, std::uint64_t elements, std::uint64_t arrays) {
        // No longer than the first line that differs needs, whatever the file says.
        const std::uint64_t most = text.size() + 4096;
        std::string stored(static_cast<std::size_t>(std::min(header_.text_bytes, most)), ' ');
        read(std::as_writable_bytes(std::span(stored)));
        if (fault_.words.empty() && (stored != text || header_.elements != elements || header_.arrays != arrays))
            fail(checkpoint_flaw::other_model, "is of another model or rule: " + first_difference(stored, text));
    }
    [[nodiscard]] static std::string first_difference(const std::string& theirs, const std::string& ours) {
        std::size_t begin = 0;
        for (std::size_t i = 0; i < std::min(theirs.size(), ours.size()) && theirs[i] == ours[i]; ++i)
            if (theirs[i] == '\n') begin = i + 1;
        const auto line = [begin](const std::string& of) {
            return begin < of.size() ? '"' + of.substr(begin, of.find('\n', begin) - begin) + '"' : "nothing";
        };
        return "it has " + line(theirs) + " where this one has " + line(ours);
    }

    open_file file_;
    checkpoint_header header_;
    file_fault fault_;
};

} // namespace tutti::training::detail
