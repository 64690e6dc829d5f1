// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "segment_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// A server's file, all of which has been checked.
class segment_reader {
public:
    struct place {
        segment_header head;
        std::uint64_t at; ///< where its values begin
    };

    /// Throws checkpoint_error where the file is not whole.
    explicit segment_reader(std::string path)
        : path_(std::move(path)), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
        struct ::stat facts {};
        if (file_.get() < 0 || ::fstat(file_.get(), &facts) != 0)
            fail(checkpoint_flaw::unreadable, "cannot be opened: " + training::detail::last_failure());
        const auto bytes = static_cast<std::uint64_t>(facts.st_size);
        if (bytes < sizeof head_ + sizeof(std::uint64_t))
            fail(checkpoint_flaw::truncated, "has " + std::to_string(bytes) + " bytes, no header");
        end_ = bytes - sizeof(std::uint64_t);
        read(0, std::span(&head_, 1));
        if (head_.magic != segment_file_header::magic_of_files)
            fail(checkpoint_flaw::foreign, "is no server's checkpoint of this machine's kind");
        check_sum();
        find_segments();
    }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const segment_file_header& head() const noexcept { return head_; }
    [[nodiscard]] const std::vector<place>& segments() const noexcept { return segments_; }
    /// All of a segment.
    template <update_rule Rule>
    [[nodiscard]] shard_data<Rule> read(const place& of) const {
        const auto size = static_cast<std::size_t>(of.head.values);
        shard_data<Rule> d{std::vector<float>(size), std::vector<float>(Rule::states * size), of.head.updates,
                           of.head.pushes, of.head.last_rate};
        read(of.at, std::span(d.values));
        read(of.at + size * sizeof(float), std::span(d.state));
        return d;
    }
    [[noreturn]] void fail(checkpoint_flaw what, const std::string& words) const {
        throw checkpoint_error(what, "shard_server::restore", path_, words);
    }

private:
    template <class T>
    void read(std::uint64_t at, std::span<T> to) const {
        auto bytes = std::as_writable_bytes(to);
        while (!bytes.empty()) {
            const ::ssize_t some = ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<::off_t>(at));
            if (some < 0 && errno == EINTR) continue;
            if (some <= 0) fail(checkpoint_flaw::unreadable, "cannot be read: " + training::detail::last_failure());
            bytes = bytes.subspan(static_cast<std::size_t>(some));
            at += static_cast<std::uint64_t>(some);
        }
    }
    void check_sum() const {
        training::detail::checksum sum;
        std::array<std::byte, 65536> some{};
        for (std::uint64_t at = 0; at < end_; at += some.size()) {
            const auto next =
                std::span(some).first(static_cast<std::size_t>(std::min<std::uint64_t>(end_ - at, some.size())));
            read(at, next);
            sum.add(next);
        }
        std::uint64_t stored = 0;
        read(end_, std::span(&stored, 1));
        if (sum.value() != stored) fail(checkpoint_flaw::damaged, "is damaged: its checksum is wrong");
    }
    void find_segments() {
        std::uint64_t at = sizeof head_;
        for (std::uint64_t i = 0; i < head_.held; ++i) {
            place p{};
            if (end_ - at < sizeof p.head) fail(checkpoint_flaw::truncated, "ends too early");
            read(at, std::span(&p.head, 1));
            p.at = at += sizeof p.head;
            const std::uint64_t floats = (end_ - at) / sizeof(float);
            if (head_.states > floats || p.head.values > floats / (1 + head_.states))
                fail(checkpoint_flaw::truncated, "ends too early");
            at += p.head.values * (1 + head_.states) * sizeof(float);
            segments_.push_back(p);
        }
        if (at != end_) fail(checkpoint_flaw::truncated, "has more bytes than its header says");
    }

    std::string path_;
    training::detail::open_file file_;
    segment_file_header head_;
    std::uint64_t end_ = 0; ///< where the checksum begins
    std::vector<place> segments_;
};

} // namespace tutti::training::server::detail
