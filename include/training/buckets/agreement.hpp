// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../collectives/allgather.hpp"
#include "../../collectives/broadcast.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::training::detail {

/// FNV-1a over the lines and their ends.
[[nodiscard]] inline std::uint64_t hash_of(const std::vector<std::string>& lines) noexcept {
    std::uint64_t h = 0xcbf29ce484222325;
    const auto add = [&h](unsigned char c) { h = (h ^ c) * 0x100000001b3; };
    for (const auto& line : lines) {
        for (const char c : line) add(static_cast<unsigned char>(c));
        add('\n');
    }
    return h;
}

/// A hash of the bits of floats, in the order in which they lie. Cost: one pass over them.
[[nodiscard]] inline std::uint64_t hash_of(std::span<const float> numbers) noexcept {
    std::array<std::uint64_t, 4> h{1, 2, 3, 4}; // in one lane each product would wait for the one before it
    const auto add = [&h](std::size_t lane, float x) {
        h[lane] = (h[lane] ^ std::bit_cast<std::uint32_t>(x)) * 0x9e3779b97f4a7c15;
        h[lane] ^= h[lane] >> 32U;
    };
    std::size_t i = 0;
    for (; i + h.size() <= numbers.size(); i += h.size())
        for (std::size_t lane = 0; lane < h.size(); ++lane) add(lane, numbers[i + lane]);
    for (; i < numbers.size(); ++i) add(i % h.size(), numbers[i]);
    std::uint64_t all = numbers.size();
    for (const std::uint64_t one : h) all = (all ^ one) * 0x9e3779b97f4a7c15;
    return all;
}

/// " of 0.9, 0": the numbers of a rule, a compressor or another option, each as short as it reads back; nothing where
/// it has no numbers().
template <class Option>
[[nodiscard]] std::string numbers_in_words(const Option& of) {
    std::string text;
    if constexpr (requires { of.inner(); }) return numbers_in_words(of.inner());
    if constexpr (requires { of.numbers(); })
        for (const double x : of.numbers()) {
            std::array<char, 32> digits{};
            const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
            text += (text.empty() ? " of " : ", ") + std::string(digits.data(), end);
        }
    return text;
}

/// The text of rank `root`, on every rank.
template <class Communicator>
[[nodiscard]] std::string told_by(const Communicator& world, int root, const std::string& text) {
    const std::uint64_t length = world.broadcast(std::uint64_t{text.size()}, root);
    std::string told(length, ' ');
    if (world.rank() == root) told = text;
    world.broadcast(told, root);
    return told;
}

/// The line of that number in a text of lines.
[[nodiscard]] inline std::string line_of(std::string_view lines, std::size_t number) {
    for (; number > 0 && lines.find('\n') != lines.npos; --number) lines.remove_prefix(lines.find('\n') + 1);
    const std::string_view line = lines.substr(0, lines.find('\n'));
    return line.empty() ? "nothing" : '"' + std::string(line) + '"';
}

/// "; ranks 2, 5 and 7 differ from rank 0", where several do.
template <class Communicator>
[[nodiscard]] std::string words_of_others(const Communicator& world, const std::vector<std::uint64_t>& hashes) {
    constexpr std::size_t most = 8;
    std::vector<std::string> names;
    for (std::size_t r = 1; r < hashes.size(); ++r)
        if (hashes[r] != hashes[0]) names.push_back(std::to_string(world.world_rank(static_cast<int>(r))));
    if (names.size() < 2) return {};
    std::string text = "; ranks " + names[0];
    for (std::size_t i = 1; i < std::min(most, names.size()); ++i)
        text += (i + 1 == names.size() ? " and " : ", ") + names[i];
    if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
    return text + " differ from rank " + std::to_string(world.world_rank(0));
}

/// Throws cause::mismatch on every rank unless all give the same lines. The error has the first line that differs, as
/// rank 0 of `world` and another rank have it, and that one as its peer. It names all ranks that differ from rank 0, by
/// their ranks in the first communicator of all. The communicator stays usable. Collective. Cost: an allgather of 8
/// bytes a rank.
template <class Communicator>
void require_same_lines(const Communicator& world, const std::string& operation, const std::vector<std::string>& lines,
                        const std::string& remedy) {
    const std::vector<std::uint64_t> hashes = world.allgather(hash_of(lines));
    if (std::all_of(hashes.begin(), hashes.end(), [&](std::uint64_t h) { return h == hashes[0]; })) return;
    std::string mine;
    for (const auto& line : lines) mine += line + '\n';
    const std::string theirs = told_by(world, 0, mine);
    const auto same = std::mismatch(mine.begin(), mine.end(), theirs.begin(), theirs.end()).first;
    const bool differs = mine != theirs;
    const auto line = differs ? static_cast<std::uint64_t>(std::count(mine.begin(), same, '\n')) : ~std::uint64_t{0};
    const std::vector<std::uint64_t> first = world.allgather(line);
    const auto rank = static_cast<int>(std::min_element(first.begin(), first.end()) - first.begin());
    const std::size_t number = first[static_cast<std::size_t>(rank)];
    const int peer = world.world_rank(rank);
    throw error(tutti::detail::make_fault(cause::mismatch, operation, peer,
                                          "rank " + std::to_string(world.world_rank(0)) + " has " +
                                              line_of(theirs, number) + " where rank " + std::to_string(peer) +
                                              " has " + line_of(told_by(world, rank, mine), number) +
                                              words_of_others(world, hashes),
                                          remedy));
}

} // namespace tutti::training::detail
