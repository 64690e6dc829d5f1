// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "segment_reader.hpp"

#include "../../base/file_place.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

/// A server writes each save beside the one before, as `file.ID`. When all servers have written, it becomes `file`, or
/// what that leads to if it is a symbolic link. So the files of a job that died at any time have one save that is
/// whole.
namespace tutti::training::server::detail {

[[nodiscard]] inline std::string beside(const std::string& file, std::uint64_t save) {
    return tutti::detail::place_of_plain_file(file).value_or(file) + '.' + std::to_string(save);
}

/// Calls f(path, id) for each file that was written beside this one; those that were not finished end in ".new".
template <class F>
void each_beside(const std::string& file, const F& f) {
    namespace fs = std::filesystem;
    const fs::path whole(tutti::detail::place_of_plain_file(file).value_or(file));
    const std::string begin = whole.filename().string() + '.';
    std::error_code ended;
    for (fs::directory_iterator at(whole.has_parent_path() ? whole.parent_path() : ".", ended), end;
         !ended && at != end; at.increment(ended)) {
        const std::string name = at->path().filename().string();
        if (name.compare(0, begin.size(), begin) != 0) continue;
        const std::size_t digits = name.find_first_not_of("0123456789", begin.size());
        const std::string id = name.substr(begin.size(), digits - begin.size());
        if (id.empty() || id.size() > 19 || (digits != std::string::npos && name.substr(digits) != ".new")) continue;
        f(at->path().string(), std::stoull(id));
    }
}

/// That server's file is of this save or a later one.
[[nodiscard]] inline bool has_save(const std::string& file, std::uint64_t save) {
    std::ifstream from(file, std::ios::binary);
    segment_file_header h;
    from.read(reinterpret_cast<char*>(&h), sizeof h);
    return from && h.magic == segment_file_header{}.magic && h.save >= save;
}
/// A save is whole: it takes its place, and those before it go. False if that cannot be.
[[nodiscard]] inline bool keep_save(const std::string& file, std::uint64_t save) {
    const auto place = tutti::detail::place_of_plain_file(file);
    if (place && has_save(file, save)) return true; // another worker's came later, and is whole too
    if (!place || std::rename(beside(file, save).c_str(), place->c_str()) != 0) return false;
    std::vector<std::string> old;
    each_beside(file, [&](const std::string& path, std::uint64_t id) {
        if (id < save) old.push_back(path);
    });
    for (const auto& path : old) std::remove(path.c_str());
    return true;
}

/// The files of a server: of the save that is kept, and of later ones. Throws checkpoint_error if there is none, or the
/// one of that name is flawed.
[[nodiscard]] inline std::vector<segment_reader> files_of_server(const std::string& file) {
    std::vector<segment_reader> all;
    each_beside(file, [&](const std::string& path, std::uint64_t) {
        try {
            all.emplace_back(path);
        } catch (const checkpoint_error&) {
            // It was not finished, or is another program's.
        }
    });
    if (all.empty() || std::filesystem::exists(file)) all.emplace_back(file);
    return all;
}

/// The first segment that none of these files has; nothing: they have all.
[[nodiscard]] inline std::optional<std::uint64_t> missing_segment(const std::vector<segment_reader>& files,
                                                                  std::uint64_t segments) {
    std::vector<bool> has(segments);
    for (const auto& f : files)
        for (const auto& s : f.segments()) has[static_cast<std::size_t>(s.head.segment)] = true;
    const auto gap = std::find(has.begin(), has.end(), false);
    if (gap == has.end()) return std::nullopt;
    return static_cast<std::uint64_t>(gap - has.begin());
}

/// Throws checkpoint_error unless it is of this store.
template <update_rule Rule>
void require_same_store(const segment_reader& file, const placement& where) {
    const segment_file_header mine = header_of<Rule>(where.layout(), file.header().save, file.header().held);
    if (std::memcmp(&file.header(), &mine, sizeof mine) != 0)
        file.fail(checkpoint_flaw::other_model, "is of a store with other keys, segments or another rule");
    for (const auto& s : file.segments())
        if (s.head.segment >= where.segments() || s.head.values != where.keys_of(s.head.segment).count)
            file.fail(checkpoint_flaw::other_model, "has a segment that there is not");
}

/// The last save whose files have all segments, among those of these servers. Throws checkpoint_error.
template <update_rule Rule>
[[nodiscard]] std::vector<segment_reader> last_whole_save(const std::vector<std::string>& files,
                                                          const placement& where) {
    std::map<std::uint64_t, std::vector<segment_reader>, std::greater<>> saves;
    for (const auto& file : files)
        for (auto& f : files_of_server(file)) {
            require_same_store<Rule>(f, where);
            saves[f.header().save].push_back(std::move(f));
        }
    std::string lack = "no files";
    for (auto& [id, of] : saves) {
        const auto gap = missing_segment(of, where.segments());
        if (!gap) return std::move(of);
        lack = "its save lacks segment " + std::to_string(*gap);
    }
    const bool is_mixed = saves.size() > 1;
    throw checkpoint_error(is_mixed ? checkpoint_flaw::mixed : checkpoint_flaw::other_model, "shard_server::restore",
                           files.empty() ? "nothing" : files.front(),
                           is_mixed ? "and those beside it are of several saves, none of which is whole" : lack);
}

} // namespace tutti::training::server::detail
