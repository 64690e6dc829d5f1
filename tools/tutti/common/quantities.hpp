// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace tutti::tools {

namespace detail {

/// A unit as people write it, and how many of it make one second, or one byte a second.
struct unit {
    std::string_view name;
    double per_one;
};

inline constexpr std::array<unit, 4> time_units{{{"ns", 1e9}, {"us", 1e6}, {"ms", 1e3}, {"s", 1}}};
inline constexpr std::array<unit, 10> bandwidth_units{{{"Gbit/s", 8 / 1e9},
                                                       {"Mbit/s", 8 / 1e6},
                                                       {"Tbit/s", 8 / 1e12},
                                                       {"GB/s", 1 / 1e9},
                                                       {"MB/s", 1 / 1e6},
                                                       {"TB/s", 1 / 1e12},
                                                       {"KiB/s", 1. / 1024},
                                                       {"MiB/s", 1. / (1 << 20)},
                                                       {"GiB/s", 1. / (1 << 30)},
                                                       {"B/s", 1}}};

struct number_and_unit {
    double number;
    std::string unit;
};

/// The name above of a unit that is spelled otherwise: µs, with either of the two letters, Gb/s, gbit/s.
[[nodiscard]] inline std::string usual_name(std::string_view unit) {
    std::string name(unit);
    for (const std::string_view micro : {"\u00b5", "\u03bc"})
        if (unit.starts_with(micro)) name.replace(0, micro.size(), "u");
    if (name.size() == 4 && name.ends_with("b/s")) name.replace(1, 1, "bit");
    constexpr std::string_view small = "mgt", large = "MGT";
    if (const std::size_t k = small.find(name[0]); name.ends_with("bit/s") && k != small.npos) name[0] = large[k];
    return name;
}

[[noreturn]] inline void refuse(std::string_view text, const char* what, const char* remedy) {
    throw std::invalid_argument(fmt::format("'{}' is no {}: {}", text, what, remedy));
}

[[nodiscard]] inline number_and_unit split_quantity(std::string_view text, const char* what, const char* remedy) {
    double number = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong != std::errc{} || !std::isfinite(number) || std::signbit(number)) refuse(text, what, remedy);
    return {number, usual_name(text.substr(static_cast<std::size_t>(end - text.data())))};
}

} // namespace detail

/// Seconds from a time as people write it: 10us, 10µs, 1000ns, 1.5ms, 2s; 0 needs no unit. Divides rather than
/// multiplies, so that 1000ns is 1us to the last bit. Throws std::invalid_argument that quotes what was written.
[[nodiscard]] inline double parse_time(std::string_view text) {
    constexpr auto what = "time", remedy = "write it as in 10us, 1000ns, 1.5ms or 2s";
    const auto [number, unit] = detail::split_quantity(text, what, remedy);
    if (unit.empty() && number == 0) return 0;
    for (const auto& known : detail::time_units)
        if (known.name == unit) return number / known.per_one;
    detail::refuse(text, what, remedy);
}

/// Seconds per byte from a time per byte, 0.1ns/B, or from a bandwidth: 25Gbit/s, which is 25Gb/s, 10GB/s (powers of
/// 1000), 12GiB/s (powers of 1024); 0 needs no unit. Throws as parse_time does.
[[nodiscard]] inline double parse_time_per_byte(std::string_view text) {
    constexpr auto what = "time per byte or bandwidth", remedy = "write it as in 0.1ns/B, 25Gbit/s or 10GB/s";
    const auto [number, unit] = detail::split_quantity(text, what, remedy);
    if (unit.empty() && number == 0) return 0;
    for (const auto& known : detail::time_units)
        if (unit.ends_with("/B") && known.name == unit.substr(0, unit.size() - 2)) return number / known.per_one;
    for (const auto& known : detail::bandwidth_units)
        if (known.name == unit && number > 0) return known.per_one / number;
    detail::refuse(text, what, remedy);
}

/// "10 us": in the largest unit that leaves at least 1, with at most six digits.
[[nodiscard]] inline std::string time_text(double seconds) {
    if (seconds == 0) return "0";
    const auto& units = detail::time_units;
    std::size_t k = units.size() - 1;
    while (k > 0 && seconds * units[k].per_one < 0.9999995) --k;
    return fmt::format("{:.6g} {}", seconds * units[k].per_one, units[k].name);
}

/// "25 Gbit/s", which is how networks are sold.
[[nodiscard]] inline std::string bandwidth_text(double bits_per_second) {
    if (bits_per_second >= 1e12) return fmt::format("{:.4g} Tbit/s", bits_per_second / 1e12);
    if (bits_per_second >= 1e9) return fmt::format("{:.4g} Gbit/s", bits_per_second / 1e9);
    return fmt::format("{:.4g} Mbit/s", bits_per_second / 1e6);
}

/// "0.32 ns/B".
[[nodiscard]] inline std::string time_per_byte_text(double seconds) {
    return seconds == 0 ? "0" : fmt::format("{:.6g} ns/B", seconds * 1e9);
}

/// "97.5 MiB", "8 B": bytes in powers of 1024, four digits.
[[nodiscard]] inline std::string bytes_text(double bytes) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t k = 0;
    while (bytes >= 999.95 && k + 1 < units.size() && (k > 0 || bytes >= 1024)) {
        bytes /= 1024;
        ++k;
    }
    return fmt::format("{:.4g} {}", bytes, units[k]);
}

/// The same in two digits, of what a model or a measurement does not know better: "90 KiB".
[[nodiscard]] inline std::string rough_bytes_text(double bytes) {
    if (bytes < 10) return bytes_text(bytes);
    double unit = std::pow(1024, std::floor(std::log2(bytes) / 10));
    if (unit > 1 && bytes >= 995 * unit) unit *= 1024; // as bytes_text has it
    const double step = std::pow(10, std::floor(std::log10(bytes / unit)) - 1);
    return bytes_text(std::round(bytes / unit / step) * step * unit);
}

/// The same where the number is known, else "-".
[[nodiscard]] inline std::string volume_text(const std::optional<long long>& bytes) {
    return bytes ? bytes_text(static_cast<double>(*bytes)) : "-";
}

} // namespace tutti::tools
