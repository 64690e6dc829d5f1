// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "errors.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace tutti::transport::bootstrap {

/// An IPv4 or IPv6 address with a port.
class address {
public:
    address() = default;
    address(const sockaddr* from, socklen_t length) : length_(std::min<socklen_t>(length, sizeof storage_)) {
        std::memcpy(&storage_, from, length_);
    }

    /// A literal address; nothing if the text is not one.
    TUTTI_COLD [[nodiscard]] static std::optional<address> literal(const std::string& text, std::uint16_t port) {
        address a;
        if (::inet_pton(AF_INET, text.c_str(), &a.v4().sin_addr) == 1)
            a.become(AF_INET, sizeof(sockaddr_in));
        else if (::inet_pton(AF_INET6, text.c_str(), &a.v6().sin6_addr) == 1)
            a.become(AF_INET6, sizeof(sockaddr_in6));
        else
            return std::nullopt;
        a.set_port(port);
        return a;
    }

    [[nodiscard]] int family() const noexcept { return storage_.ss_family; }
    [[nodiscard]] const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
    [[nodiscard]] socklen_t length() const noexcept { return length_; }
    [[nodiscard]] std::uint16_t port() const noexcept {
        return ntohs(family() == AF_INET6 ? v6().sin6_port : v4().sin_port);
    }
    void set_port(std::uint16_t port) noexcept {
        if (family() == AF_INET6)
            v6().sin6_port = htons(port);
        else
            v4().sin_port = htons(port);
    }

    /// The bytes of the address in network order: 4, 16, or none.
    [[nodiscard]] std::span<const std::uint8_t> octets() const noexcept {
        if (family() == AF_INET) return {reinterpret_cast<const std::uint8_t*>(&v4().sin_addr), 4};
        if (family() == AF_INET6) return {reinterpret_cast<const std::uint8_t*>(&v6().sin6_addr), 16};
        return {};
    }

    [[nodiscard]] bool loopback() const noexcept {
        if (family() == AF_INET) return octets()[0] == 127;
        if (family() != AF_INET6) return false;
        if (IN6_IS_ADDR_V4MAPPED(&v6().sin6_addr)) return octets()[12] == 127;
        return IN6_IS_ADDR_LOOPBACK(&v6().sin6_addr);
    }

    /// An IPv6 address that means another host on each link (fe80::/10): it is none without a scope.
    [[nodiscard]] bool link_local() const noexcept {
        return family() == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&v6().sin6_addr);
    }

    /// An IPv4 address that a dual-stack socket wrote as IPv6, as IPv4 again; others as they are.
    [[nodiscard]] address unmapped() const {
        if (family() != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&v6().sin6_addr)) return *this;
        address a;
        a.become(AF_INET, sizeof(sockaddr_in));
        std::memcpy(&a.v4().sin_addr, octets().data() + 12, 4);
        a.set_port(port());
        return a;
    }

    /// Without the port: "10.0.0.1", "::1".
    [[nodiscard]] std::string host() const {
        std::array<char, INET6_ADDRSTRLEN> text{};
        if (octets().empty() || !::inet_ntop(family(), octets().data(), text.data(), text.size())) return "?";
        return text.data();
    }

    /// "10.0.0.1:80", "[::1]:80".
    [[nodiscard]] std::string text() const {
        const auto number = std::to_string(port());
        return family() == AF_INET6 ? "[" + host() + "]:" + number : host() + ":" + number;
    }

    TUTTI_COLD friend bool operator==(const address& a, const address& b) {
        const auto x = a.octets();
        const auto y = b.octets();
        return a.family() == b.family() && a.port() == b.port() && std::equal(x.begin(), x.end(), y.begin(), y.end());
    }

private:
    void become(int family, socklen_t length) noexcept {
        storage_.ss_family = static_cast<sa_family_t>(family);
        length_ = length;
    }
    [[nodiscard]] sockaddr_in& v4() noexcept { return reinterpret_cast<sockaddr_in&>(storage_); }
    [[nodiscard]] const sockaddr_in& v4() const noexcept { return reinterpret_cast<const sockaddr_in&>(storage_); }
    [[nodiscard]] sockaddr_in6& v6() noexcept { return reinterpret_cast<sockaddr_in6&>(storage_); }
    [[nodiscard]] const sockaddr_in6& v6() const noexcept { return reinterpret_cast<const sockaddr_in6&>(storage_); }

    sockaddr_storage storage_{};
    socklen_t length_ = 0;
};

/// A host and a port, as people write them.
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
TUTTI_COLD [[nodiscard]] inline port_range parse_ports(std::string_view text, const std::string& what) {
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
TUTTI_COLD [[nodiscard]] inline endpoint parse_endpoint(std::string_view text, const std::string& what) {
    const auto wrong = [&](const std::string& why) {
        bootstrap_failed(what + " is \"" + std::string(text) + "\": " + why,
                         "write host:port, 10.0.0.1:29500 or [2001:db8::1]:29500");
    };
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos || text.back() == ']') wrong("it has no port");
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
    const auto scope = std::min(host.find('%'), host.size());
    const auto literal = address::literal(std::string(host.substr(0, scope)), 0);
    if (literal && (literal->link_local() || scope < host.size()))
        wrong("such an address means another host on each link: give one that is the same on all hosts");
    if (bracketed && !literal) wrong("brackets are for IPv6 addresses");
    return {std::string(host), static_cast<std::uint16_t>(port)};
}

} // namespace tutti::transport::bootstrap
