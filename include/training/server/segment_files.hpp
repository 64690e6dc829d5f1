// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../agreement.hpp"
#include "../checkpoint/file.hpp"
#include "../update_rules.hpp"
#include "placement.hpp"
#include "shard.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// The file of a server: a header; for each of its segments its number, what the rule knows of it, values and states;
/// and the checksum of all before it. Numbers are in the byte order of the machine, which the magic number shows.
namespace tutti::training::server::detail {

struct segment_file_header {
    static constexpr std::uint64_t magic_of_files = 0x7475747469707331; // "tuttips1"
    std::uint64_t magic = magic_of_files;
    std::uint64_t keys = 0, segments = 0; ///< of the store
    std::uint64_t rule = 0;               ///< the hash of its name
    std::uint64_t states = 0;             ///< floats for each value
    std::uint64_t held = 0;               ///< segments in the file
};
struct segment_header {
    std::uint64_t segment = 0, values = 0, updates = 0, pushes = 0;
    double last_rate = 0;
};

template <update_rule Rule>
[[nodiscard]] segment_file_header header_of(const store_layout& l, std::size_t held) {
    return {segment_file_header::magic_of_files,
            l.keys,
            static_cast<std::uint64_t>(l.segments),
            training::detail::hash_of({std::string(Rule::name)}),
            Rule::states,
            held};
}

/// False if it could not be written; a file that was there before is then as it was.
template <update_rule Rule>
[[nodiscard]] bool write_segments(const std::string& path, const store_layout& l,
                                  const std::map<std::uint32_t, const shard_data<Rule>*>& segments) {
    training::detail::checkpoint_writer to(path);
    const auto write = [&to](const auto& data) { to.write(std::as_bytes(std::span(data))); };
    const segment_file_header h = header_of<Rule>(l, segments.size());
    write(std::span(&h, 1));
    for (const auto& [g, d] : segments) {
        const segment_header s{g, d->values.size(), d->updates, d->pushes, d->last_rate};
        write(std::span(&s, 1));
        write(d->values);
        write(d->state);
    }
    to.place();
    return to.fault().words.empty();
}

/// Reads a file that has been checked as a whole.
class segment_reader {
public:
    /// Throws checkpoint_error where the file is not whole.
    explicit segment_reader(std::string path) : path_(std::move(path)) {
        const training::detail::open_file file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
        struct ::stat facts {};
        if (file.get() < 0 || ::fstat(file.get(), &facts) != 0)
            fail(checkpoint_flaw::unreadable, "cannot be opened: " + training::detail::last_failure());
        bytes_.resize(static_cast<std::size_t>(facts.st_size));
        for (std::size_t n = 0; n < bytes_.size();) {
            const ::ssize_t some = ::read(file.get(), bytes_.data() + n, bytes_.size() - n);
            if (some < 0 && errno == EINTR) continue;
            if (some <= 0) fail(checkpoint_flaw::unreadable, "cannot be read: " + training::detail::last_failure());
            n += static_cast<std::size_t>(some);
        }
        check_sum();
    }
    template <class T>
    void read(std::span<T> to) {
        if (to.size_bytes() > end_ - at_) fail(checkpoint_flaw::truncated, "ends too early");
        if (!to.empty()) std::memcpy(to.data(), bytes_.data() + at_, to.size_bytes());
        at_ += to.size_bytes();
    }
    /// Throws checkpoint_error if bytes are left.
    void finish() const {
        if (at_ != end_) fail(checkpoint_flaw::truncated, "has more bytes than its header says");
    }
    [[noreturn]] void fail(checkpoint_flaw what, const std::string& words) const {
        throw checkpoint_error(what, "shard_server::restore", path_, words);
    }

private:
    void check_sum() {
        std::uint64_t magic = 0, stored = 0;
        if (bytes_.size() < sizeof(segment_file_header) + sizeof stored)
            fail(checkpoint_flaw::truncated, "has " + std::to_string(bytes_.size()) + " bytes, no header");
        std::memcpy(&magic, bytes_.data(), sizeof magic);
        if (magic != segment_file_header::magic_of_files)
            fail(checkpoint_flaw::foreign, "is no server's checkpoint of this machine's kind");
        end_ = bytes_.size() - sizeof stored;
        std::memcpy(&stored, bytes_.data() + end_, sizeof stored);
        training::detail::checksum sum;
        sum.add(std::span(bytes_).first(end_));
        if (sum.value() != stored) fail(checkpoint_flaw::damaged, "is damaged: its checksum is wrong");
    }

    std::string path_;
    std::vector<std::byte> bytes_;
    std::size_t at_ = 0, end_ = 0;
};

/// All segments of these files. Where two files have one, the one with more updates: after a death an old file may have
/// stayed. Throws checkpoint_error.
template <update_rule Rule>
[[nodiscard]] std::map<std::uint32_t, shard_data<Rule>> read_segments(const std::vector<std::string>& files,
                                                                      const store_layout& l) {
    std::map<std::uint32_t, shard_data<Rule>> all;
    const placement where(l);
    for (const std::string& path : files) {
        segment_reader from(path);
        segment_file_header h;
        from.read(std::span(&h, 1));
        const auto mine = header_of<Rule>(where.layout(), h.held);
        if (std::memcmp(&h, &mine, sizeof h) != 0)
            from.fail(checkpoint_flaw::other_model, "is of a store with other keys, segments or another rule");
        for (std::uint64_t i = 0; i < h.held; ++i) {
            segment_header s;
            from.read(std::span(&s, 1));
            if (s.segment >= where.segments() || s.values != where.keys_of(s.segment).count)
                from.fail(checkpoint_flaw::other_model, "has a segment that there is not");
            shard_data<Rule> d{std::vector<float>(s.values), std::vector<float>(Rule::states * s.values), s.updates,
                               s.pushes, s.last_rate};
            from.read(std::span(d.values));
            from.read(std::span(d.state));
            auto& kept = all[static_cast<std::uint32_t>(s.segment)];
            if (kept.values.empty() || kept.updates <= d.updates) kept = std::move(d);
        }
        from.finish();
    }
    return all;
}

} // namespace tutti::training::server::detail
