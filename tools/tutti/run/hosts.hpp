// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/lists.hpp"

#include <transport/sockets/address.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {

/// Which rank runs on which host.
struct placement {
    std::vector<std::string> hosts; ///< each once, in the order in which they are first named, as ssh takes them
    std::vector<int> host_of;       ///< by rank

    [[nodiscard]] int ranks() const noexcept { return static_cast<int>(host_of.size()); }
    [[nodiscard]] std::vector<int> ranks_of(int host) const {
        std::vector<int> all;
        for (int r = 0; r < ranks(); ++r)
            if (host_of[static_cast<std::size_t>(r)] == host) all.push_back(r);
        return all;
    }
    /// `slots` further ranks on that host.
    void add(const std::string& host, int slots) {
        constexpr int most = 4096;
        const auto known = std::find(hosts.begin(), hosts.end(), host);
        const int number = static_cast<int>(known - hosts.begin());
        if (known == hosts.end()) hosts.push_back(host);
        if (slots > most - ranks()) throw std::invalid_argument(fmt::format("there are more than {} slots", most));
        host_of.insert(host_of.end(), static_cast<std::size_t>(slots), number);
    }
};

/// The host alone: "user@a" is a, for all but ssh.
[[nodiscard]] inline std::string without_user(const std::string& host) { return host.substr(host.rfind('@') + 1); }

namespace detail {

[[nodiscard]] inline int slots_from(std::string_view digits, std::string_view text) {
    int slots = 0;
    const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), slots);
    if (wrong != std::errc{} || end != digits.data() + digits.size() || slots < 1)
        throw std::invalid_argument(fmt::format("'{}': the number of slots must be a whole number from 1", text));
    return slots;
}

/// A host's name is handed to ssh: it must not look like an option, nor hold what a shell could take for its own.
inline void require_host(const std::string& host, std::string_view text) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("._-:%@").find(c) != std::string_view::npos;
    };
    const std::string name = without_user(host);
    if (name.empty() || host.front() == '-' || name.front() == '-' || host.front() == '@' ||
        !std::all_of(host.begin(), host.end(), fits))
        throw std::invalid_argument(fmt::format("'{}' is no host: write a, a:4, user@a:4 or [fd00::1]:4", text));
    if (name.find_first_not_of("0123456789") == name.npos)
        throw std::invalid_argument(
            fmt::format("'{}' is a number, not a host; to pretend hosts, write --pretend-hosts", text));
}

/// A host, and how many slots it has if that was said.
struct mention {
    std::string host;
    std::optional<int> slots;
};

/// Reads "a", "a:4", "user@a:4", "fd00::1", "[fd00::1]:4".
[[nodiscard]] inline mention parse_mention(std::string_view text) {
    const std::size_t at = text.rfind('@') + 1; // 0 without a user
    std::string_view name = text.substr(at), rest;
    const std::size_t colon = name.find(':');
    if (name.starts_with('[')) {
        const std::size_t end = name.find(']');
        rest = name.substr(std::min(end, name.size() - 1) + 1);
        name = name.substr(1, end == name.npos ? 0 : end - 1);
        const std::size_t scope = name.find('%');
        if (scope != name.npos && transport::bootstrap::address::literal(std::string(name.substr(0, scope)), 0))
            throw std::invalid_argument(fmt::format("'{}' means another host on each link: give an address that is the "
                                                    "same on all hosts",
                                                    text));
        if (!transport::bootstrap::address::literal(std::string(name), 0))
            throw std::invalid_argument(fmt::format("'{}': brackets are for IPv6 addresses", text));
    } else if (colon != name.npos && name.find(':', colon + 1) == name.npos) {
        rest = name.substr(colon);
        name = name.substr(0, colon);
    }
    mention m{std::string(text.substr(0, at)) + std::string(name), std::nullopt};
    require_host(m.host, text);
    const bool is_address = name.find(':') != name.npos;
    if (is_address && !transport::bootstrap::address::literal(std::string(name), 0))
        throw std::invalid_argument(fmt::format("'{}' is no host: write a:4, or [fd00::1]:4", text));
    if (!rest.empty() && rest.front() != ':')
        throw std::invalid_argument(fmt::format("'{}': after a host comes :SLOTS", text));
    if (!rest.empty()) m.slots = slots_from(rest.substr(1), text);
    return m;
}

/// The words of a line without its comment; "slots = 4" is one word, as "slots=4".
[[nodiscard]] inline std::vector<std::string> words_of_line(std::string_view line) {
    std::vector<std::string> words;
    bool joins = false;
    line = line.substr(0, line.find('#'));
    for (std::size_t begin = 0; (begin = line.find_first_not_of(" \t\r", begin)) != line.npos;) {
        const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
        const std::string_view word = line.substr(begin, end - begin);
        if ((joins || word.front() == '=') && !words.empty())
            words.back() += word;
        else
            words.emplace_back(word);
        joins = word.back() == '=';
        begin = end;
    }
    return words;
}

/// A line of a hostfile: nothing if it is empty.
[[nodiscard]] inline std::optional<mention> parse_host_line(std::string_view line) {
    const auto words = words_of_line(line);
    if (words.empty()) return std::nullopt;
    mention m = parse_mention(words.front());
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::size_t equals = std::min(words[i].find('='), words[i].size());
        const std::string key = words[i].substr(0, equals),
                          value = words[i].substr(std::min(equals + 1, words[i].size()));
        if (key == "max_slots" || key == "max-slots") continue; // nothing here starts more ranks than there are slots
        if (key == "user" && m.host.find('@') == m.host.npos) {
            m.host = value + "@" + m.host;
            require_host(m.host, words[i]);
            continue;
        }
        if (key != "slots")
            throw std::invalid_argument(fmt::format("'{}' is not known; write host slots=4, or host:4", words[i]));
        if (m.slots) throw std::invalid_argument("the number of slots stands there twice");
        m.slots = slots_from(value, words[i]);
    }
    return m;
}

} // namespace detail

/// Reads "a:4,b:4": ranks in the order of the slots, one slot where no number is given. A host may be named again, as
/// in "a,b,a,b". Throws std::invalid_argument that quotes what is wrong.
[[nodiscard]] inline placement parse_hosts(std::string_view text) {
    placement all;
    for (const std::string& word : split_list(text)) {
        const auto m = detail::parse_mention(word);
        all.add(m.host, m.slots.value_or(1));
    }
    return all;
}

/// Reads a hostfile: a host on a line, as "a slots=4" (Open MPI) or "a:4" (MPICH), "#" before comments. A byte order
/// mark of UTF-8 is passed over. Throws std::invalid_argument that gives `name` and the line.
[[nodiscard]] inline placement parse_hostfile(std::string_view text, const std::string& name) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    if (text.starts_with(mark)) text.remove_prefix(mark.size());
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") || text.find('\0') != text.npos)
        throw std::invalid_argument(name + " holds bytes that no plain text has, as in UTF-16: save it as UTF-8");
    placement all;
    for (int number = 1; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        try {
            if (const auto m = detail::parse_host_line(line)) all.add(m->host, m->slots.value_or(1));
        } catch (const std::invalid_argument& e) {
            throw std::invalid_argument(fmt::format("{}:{}: {}", name, number, e.what()));
        }
    }
    if (all.hosts.empty()) throw std::invalid_argument(name + " names no host");
    return all;
}

/// The first `ranks` slots; all of them if it is 0. Throws std::invalid_argument if there are not so many.
[[nodiscard]] inline placement first_slots(placement all, int ranks) {
    if (ranks > all.ranks())
        throw std::invalid_argument(
            fmt::format("{} ranks have {} slots: give the hosts more, as in a:4,b:4", ranks, all.ranks()));
    if (ranks > 0) all.host_of.resize(static_cast<std::size_t>(ranks));
    const int used = *std::max_element(all.host_of.begin(), all.host_of.end()) + 1; // hosts are numbered as they come
    all.hosts.resize(static_cast<std::size_t>(used));
    return all;
}

} // namespace tutti::tools
