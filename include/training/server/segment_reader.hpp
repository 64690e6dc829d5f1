// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "segment_files.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// A server's file, all of which has been checked.
class segment_reader : public training::detail::checkpoint_reader<segment_file_header> {
public:
    struct place {
        segment_header head;
        std::uint64_t at; ///< where its values begin
    };

    /// Throws checkpoint_error where the file is not whole.
    explicit segment_reader(std::string path) : checkpoint_reader(std::move(path), "shard_server::restore") {
        check_sum();
        find_segments();
    }

    [[nodiscard]] const std::vector<place>& segments() const noexcept { return segments_; }
    /// All of a segment.
    template <update_rule Rule>
    [[nodiscard]] shard_data<Rule> values_of(const place& of) const {
        const auto size = static_cast<std::size_t>(of.head.values);
        shard_data<Rule> d{std::vector<float>(size), std::vector<float>(Rule::states * size), of.head.updates,
                           of.head.pushes, of.head.last_rate};
        read(of.at, std::span(d.values));
        read(of.at + size * sizeof(float), std::span(d.state));
        return d;
    }

private:
    void find_segments() {
        std::uint64_t at = sizeof(segment_file_header);
        for (std::uint64_t i = 0; i < header().held; ++i) {
            place p{};
            if (end() - at < sizeof p.head) fail(checkpoint_flaw::truncated, "ends too early");
            read(at, std::span(&p.head, 1));
            p.at = at += sizeof p.head;
            const std::uint64_t floats = (end() - at) / sizeof(float);
            if (header().states > floats || p.head.values > floats / (1 + header().states))
                fail(checkpoint_flaw::truncated, "ends too early");
            at += p.head.values * (1 + header().states) * sizeof(float);
            segments_.push_back(p);
        }
        if (at != end()) fail(checkpoint_flaw::truncated, "has more bytes than its header says");
    }

    std::vector<place> segments_;
};

} // namespace tutti::training::server::detail
