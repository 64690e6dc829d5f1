// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../../sockets/errors.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

/// Variables of the environment, as launchers set them.
namespace tutti::transport::bootstrap::detail {

/// The value; empty where it is not set, or where a launcher that knew none has printed a null pointer.
[[nodiscard]] inline std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value && std::string_view(value) != "(null)" ? value : "";
}

[[nodiscard]] inline bool is_set(const char* name) { return !variable(name).empty(); }

[[nodiscard]] inline std::optional<long long> number_in(std::string_view text) {
    long long value = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || bad != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Throws a bootstrap error that names the variable where it is not set, or holds anything else.
TUTTI_COLD [[nodiscard]] inline int
whole_number(const char* name, int least, int most,
             const std::string& remedy = "start the program with tutti run, or set it") {
    const std::string text = variable(name);
    const auto value = number_in(text);
    if (text.empty()) bootstrap_failed(std::string(name) + " is not set", remedy);
    if (!value || *value < least || *value > most)
        bootstrap_failed(std::string(name) + " is \"" + text + "\": it must be a whole number from " +
                         std::to_string(least) + " to " + std::to_string(most));
    return static_cast<int>(*value);
}

/// 0 or 1; 0 if it is not set.
TUTTI_COLD [[nodiscard]] inline bool yes_or_no(const char* name) {
    const std::string text = variable(name);
    if (!text.empty() && text != "0" && text != "1")
        bootstrap_failed(std::string(name) + " is \"" + text + "\": it must be 0 or 1");
    return text == "1";
}

inline constexpr int most_ranks = 1 << 20;

/// A port for a launcher that gives none: from 20000 to 31999, where the system by itself gives out none, and the same
/// on all ranks that pass the same text. Jobs of different texts mostly get different ones (FNV-1a).
[[nodiscard]] inline std::uint16_t port_of(std::string_view text) {
    std::uint32_t hash = 2'166'136'261u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619u;
    return static_cast<std::uint16_t>(20'000 + hash % 12'000);
}

/// What a user can always do where a launcher does not say enough.
inline constexpr const char* say_it_yourself =
    "set TUTTI_ADDRESS (rank 0's host:port) and TUTTI_SECRET_FILE on every rank, or use tutti::invitation";

} // namespace tutti::transport::bootstrap::detail
