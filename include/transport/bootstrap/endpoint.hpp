// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "address.hpp"
#include "failure.hpp"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::transport::bootstrap {

/// Where to find somebody, as people write it.
struct endpoint {
    std::string host; ///< a name or a literal address, IPv6 without brackets
    std::uint16_t port = 0;
    friend bool operator==(const endpoint&, const endpoint&) = default;

    [[nodiscard]] std::string text() const {
        const auto number = std::to_string(port);
        return host.find(':') == std::string::npos ? host + ":" + number : "[" + host + "]:" + number;
    }

    /// It can only mean this host: "localhost" or a literal loopback address.
    [[nodiscard]] bool says_loopback() const {
        const auto literal = address::literal(host, port);
        return host == "localhost" || (literal && literal->loopback());
    }
};

/// Ports that may be listened on, both included; 0 to 0: any that the system gives.
struct port_range {
    std::uint16_t first = 0;
    std::uint16_t last = 0;
    friend bool operator==(const port_range&, const port_range&) = default;
    [[nodiscard]] std::string text() const { return std::to_string(first) + "-" + std::to_string(last); }
};

/// Reads "5000-5063". Throws a bootstrap error that quotes the text and calls it `what`.
[[nodiscard]] inline port_range parse_ports(std::string_view text, const std::string& what) {
    unsigned first = 0, last = 0;
    const char* const end = text.data() + text.size();
    const auto low = std::from_chars(text.data(), end, first);
    const bool dash = low.ec == std::errc{} && low.ptr != end && *low.ptr == '-';
    const auto high = dash ? std::from_chars(low.ptr + 1, end, last) : low;
    if (!dash || high.ec != std::errc{} || high.ptr != end || first < 1 || last > 65535 || first > last)
        bootstrap_failed(what + " is \"" + std::string(text) + "\": it must be two ports, the lower first",
                         "write 5000-5063");
    return {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last)};
}

/// Reads "host:port", "10.0.0.1:port" or "[::1]:port", port from 1 to 65535. Throws a bootstrap error that quotes the
/// text and calls it `what`.
[[nodiscard]] inline endpoint parse_endpoint(std::string_view text, const std::string& what) {
    const auto wrong = [&](const std::string& why) {
        bootstrap_failed(what + " is \"" + std::string(text) + "\": " + why,
                         "write host:port, 10.0.0.1:29500 or [2001:db8::1]:29500");
    };
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) wrong("it has no port");
    std::string_view host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);
    if (host.empty()) wrong("it has no host");
    if (!bracketed && host.find(':') != std::string_view::npos) wrong("an IPv6 address needs brackets");
    if (host.find_first_of("[] \t/") != std::string_view::npos) wrong("that is no host");
    unsigned port = 0;
    const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (bad != std::errc{} || end != digits.data() + digits.size() || port < 1 || port > 65535)
        wrong("the port must be a number from 1 to 65535");
    if (bracketed && !address::literal(std::string(host), 0)) wrong("brackets are for IPv6 addresses");
    return {std::string(host), static_cast<std::uint16_t>(port)};
}

} // namespace tutti::transport::bootstrap
