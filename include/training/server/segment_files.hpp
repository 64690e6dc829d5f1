// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../buckets/agreement.hpp"
#include "../checkpoint/file.hpp"
#include "../update_rules.hpp"
#include "placement.hpp"
#include "shard.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

/// A server's file of one save: a header; for each of its segments its number, what the rule knows of it, values and
/// states; and the checksum of all before it. Numbers are in the byte order of the machine, which the magic number
/// shows.
namespace tutti::training::server::detail {

struct segment_file_header {
    static constexpr std::string_view kind = "server's checkpoint";
    std::uint64_t magic = 0x7475747469707332; // "tuttips2"
    std::uint64_t save = 0;                   ///< the id of the save, which the files of all servers share
    std::uint64_t keys = 0, segments = 0;     ///< of the store
    std::uint64_t rule = 0;                   ///< the hash of its name
    std::uint64_t states = 0;                 ///< floats for each value
    std::uint64_t held = 0;                   ///< segments in the file
};
struct segment_header {
    std::uint64_t segment = 0, values = 0, updates = 0, pushes = 0;
    double last_rate = 0;
};

template <update_rule Rule>
[[nodiscard]] segment_file_header header_of(const store_layout& l, std::uint64_t save, std::size_t held) {
    return {.save = save,
            .keys = l.keys,
            .segments = static_cast<std::uint64_t>(l.segments),
            .rule = training::detail::hash_of({std::string(Rule::name)}),
            .states = Rule::states,
            .held = held};
}

/// False if it could not be written; a file that was there before is then as it was.
template <update_rule Rule>
[[nodiscard]] bool write_segments(const std::string& path, const store_layout& l, std::uint64_t save,
                                  const std::map<std::uint32_t, shard_data<Rule>>& segments) {
    training::detail::checkpoint_writer to(path);
    const auto write = [&to](const auto& data) { to.write(std::as_bytes(std::span(data))); };
    const segment_file_header h = header_of<Rule>(l, save, segments.size());
    write(std::span(&h, 1));
    for (const auto& [g, d] : segments) {
        const segment_header s{g, d.values.size(), d.updates, d.pushes, d.last_rate};
        write(std::span(&s, 1));
        write(d.values);
        write(d.state);
    }
    to.place();
    return !to.fault();
}

} // namespace tutti::training::server::detail
