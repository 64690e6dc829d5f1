// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "narrow_float.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace tutti {

namespace detail {

template <class T>
inline constexpr bool is_plain_object =
    std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T>;

template <class T>
inline constexpr bool is_address = std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_null_pointer_v<T>;

} // namespace detail

/// The elements that a collective moves and reduces: every arithmetic type, floats of 16 and 8 bits, and every
/// trivially copyable type that is no pointer. Records and enumerations travel as their bytes, so all ranks must lay
/// them out alike; what a reduction leaves in their padding is unspecified.
template <class T>
concept element = detail::is_plain_object<T> && std::is_trivially_copyable_v<T> && !detail::is_address<T>;

/// Stops the build with a plain sentence where T is no element.
template <class T>
constexpr void check_element() noexcept {
    static_assert(detail::is_plain_object<T>,
                  "tutti: an element must be a plain object: no const, volatile, reference, array, function or void");
    static_assert(!detail::is_address<T>, "tutti: an element must not be a pointer: it means nothing on another rank");
    static_assert(!std::is_floating_point_v<T> || std::numeric_limits<T>::is_specialized,
                  "tutti: std::numeric_limits must know a floating-point element, or NaN has no canonical form");
    static_assert(!detail::is_plain_object<T> || std::is_trivially_copyable_v<T>,
                  "tutti: an element must be trivially copyable: it travels as its bytes (std::pair and std::tuple "
                  "are not: write a struct)");
}

namespace detail {

enum class element_kind : std::uint8_t {
    signed_integer,
    unsigned_integer,
    floating,
    boolean,
    signed_character,
    unsigned_character,
    record,
};

template <class T>
concept character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
                    std::same_as<T, char16_t> || std::same_as<T, char32_t>;

template <element T>
[[nodiscard]] constexpr element_kind kind_of() noexcept {
    if constexpr (floating<T>)
        return element_kind::floating;
    else if constexpr (!std::is_arithmetic_v<T>)
        return element_kind::record;
    else if constexpr (std::same_as<T, bool>)
        return element_kind::boolean;
    else if constexpr (character<T>)
        return std::is_signed_v<T> ? element_kind::signed_character : element_kind::unsigned_character;
    else
        return std::is_signed_v<T> ? element_kind::signed_integer : element_kind::unsigned_integer;
}

inline constexpr std::uint64_t hash_start = 0xcbf29ce484222325;

/// FNV-1a. http://www.isthe.com/chongo/tech/comp/fnv
[[nodiscard]] constexpr std::uint64_t hash(std::string_view text, std::uint64_t from = hash_start) noexcept {
    for (const char c : text) from = (from ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return from;
}

[[nodiscard]] constexpr std::uint64_t hash(std::size_t number, std::uint64_t from) noexcept {
    for (int i = 0; i < 8; ++i, number /= 256) from = (from ^ number % 256) * 0x100000001b3;
    return from;
}

/// The name that the compiler gives T. `const char*` is returned because it is no alias: g++ would append what an
/// alias stands for.
template <class T>
[[nodiscard]] constexpr const char* signature_of() noexcept {
    return __PRETTY_FUNCTION__;
}

template <class T>
[[nodiscard]] constexpr std::string_view compiler_name_of() noexcept {
    const std::string_view text{signature_of<T>()};
    const std::size_t first = text.find("T = ") + 4;
    return text.substr(first, text.rfind(']') - first);
}

/// Significant bits of a floating-point type, which tell apart those of one size.
template <floating T>
[[nodiscard]] constexpr int digits_of() noexcept {
    if constexpr (is_narrow_float<T>)
        return T::format::digits;
    else
        return std::numeric_limits<T>::digits;
}

/// " bytes", or " byte" for one.
[[nodiscard]] inline std::string bytes_in_words(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

/// Says the name of an element type, for errors.
struct type_words {
    std::string (*say)(const void*) = nullptr;
    const void* of = nullptr; ///< what it is given

    explicit operator bool() const noexcept { return say; }
    [[nodiscard]] std::string operator()() const { return say(of); }
};

} // namespace detail

/// Identity of an element type, to compare across ranks. Arithmetic types are told apart by kind and size only (and
/// floating ones by their precision), so `long` and `long long` of one size agree; other types by size and by the name
/// that the compiler gives them, so all ranks should be built by one compiler where they exchange records.
template <element T>
[[nodiscard]] consteval std::uint64_t type_id() noexcept {
    constexpr auto kind = detail::kind_of<T>();
    std::uint64_t id = detail::hash(sizeof(T), detail::hash(static_cast<std::size_t>(kind), detail::hash_start));
    if constexpr (kind == detail::element_kind::record) id = detail::hash(detail::compiler_name_of<T>(), id);
    if constexpr (kind == detail::element_kind::floating)
        id = detail::hash(static_cast<std::size_t>(detail::digits_of<T>()), id);
    return id;
}

/// An element type in words: "float32", "bfloat16", "int64", "uint8", "bool", "char16", "record of 12 bytes". A signed
/// character type says so: "signed char8".
template <element T>
[[nodiscard]] std::string type_name() {
    if constexpr (detail::is_narrow_float<T>) return T::format::name;
    constexpr bool extended = std::numeric_limits<T>::digits == 64 && std::floating_point<T>;
    const std::string bits = extended ? "80" : std::to_string(sizeof(T) * 8);
    switch (detail::kind_of<T>()) {
    case detail::element_kind::signed_integer: return "int" + bits;
    case detail::element_kind::unsigned_integer: return "uint" + bits;
    case detail::element_kind::floating: return "float" + bits;
    case detail::element_kind::boolean: return "bool";
    case detail::element_kind::signed_character: return "signed char" + bits;
    case detail::element_kind::unsigned_character: return "char" + bits;
    case detail::element_kind::record: break;
    }
    return "record of " + detail::bytes_in_words(sizeof(T));
}

namespace detail {
template <element T>
[[nodiscard]] type_words words_of() noexcept {
    return {[](const void*) { return type_name<T>(); }, nullptr};
}
} // namespace detail

} // namespace tutti
