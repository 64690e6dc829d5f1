// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "library.hpp"

#include <array>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

// First: what compares causes may ask for it.
#if TUTTI_ASIO_IS_BOOST
template <>
struct boost::system::is_error_condition_enum<tutti::cause> : std::true_type {};
#else
template <>
struct std::is_error_condition_enum<tutti::cause> : std::true_type {};
#endif

namespace tutti {
namespace detail {
inline namespace TUTTI_ASIO_NAMESPACE {

using error_codes::error_code;

/// The last errors that were told as error codes, so that the whole of them can be had. Any thread.
class told_errors {
public:
    static constexpr unsigned cause_bits = 8; ///< of a code's value: the cause, counted from 1; above it a number

    /// The value of a code.
    [[nodiscard]] static int value_of(cause why, unsigned number = 0) noexcept {
        return static_cast<int>(number << cause_bits | (static_cast<unsigned>(why) + 1));
    }
    /// Nothing of a value that no error has.
    [[nodiscard]] static std::optional<cause> cause_of(int value) noexcept {
        const unsigned known = static_cast<unsigned>(value) & ((1U << cause_bits) - 1);
        if (known == 0 || known > static_cast<unsigned>(cause::file) + 1) return std::nullopt;
        return static_cast<cause>(known - 1);
    }

    [[nodiscard]] int keep(const error& what) {
        const std::lock_guard lock(mutex_);
        last_ = last_ % most_number + 1;
        all_[last_ % all_.size()] = {last_, what};
        return value_of(what.why(), last_);
    }
    /// Where so many were told since that it is gone, one with its cause alone.
    [[nodiscard]] std::optional<error> find(int value) const {
        const auto why = cause_of(value);
        if (!why) return std::nullopt;
        const unsigned number = static_cast<unsigned>(value) >> cause_bits;
        const std::lock_guard lock(mutex_);
        const entry& e = all_[number % all_.size()];
        if (number > 0 && e.number == number) return e.what;
        return error(make_fault(*why, {}, -1, {}));
    }

private:
    static constexpr unsigned most_number = (1U << (31 - cause_bits)) - 1;
    struct entry {
        unsigned number = 0;
        std::optional<error> what{};
    };
    mutable std::mutex mutex_;
    std::array<entry, 256> all_;
    unsigned last_ = 0;
};

/// The category of tutti's causes.
class cause_category final : public error_codes::error_category {
public:
#if TUTTI_ASIO_IS_BOOST
    cause_category() noexcept : error_category(0x7a5c11e70775ca5eU) {} // equal to that of another library's copy
#endif
    [[nodiscard]] const char* name() const noexcept override { return "tutti"; }
    [[nodiscard]] std::string message(int value) const override {
        const auto found = errors.find(value);
        return found ? found->what() : "no error of tutti's";
    }
    [[nodiscard]] bool equivalent(int value, const error_codes::error_condition& with) const noexcept override {
        return with.category() == *this && told_errors::cause_of(value) == told_errors::cause_of(with.value());
    }

    mutable told_errors errors;
};

[[nodiscard]] inline const cause_category& category_of_causes() noexcept {
    static const cause_category& one = *new cause_category; // for error codes of static lifetime
    return one;
}
[[nodiscard]] inline error_code code_of(const error& what) noexcept {
    try {
        return {category_of_causes().errors.keep(what), category_of_causes()};
    } catch (const std::exception&) { // no memory
        return {told_errors::value_of(what.why()), category_of_causes()};
    }
}

} // namespace TUTTI_ASIO_NAMESPACE
} // namespace detail

inline namespace TUTTI_ASIO_NAMESPACE {

/// `code == tutti::cause::timeout` asks why.
[[nodiscard]] inline detail::error_codes::error_condition make_error_condition(cause why) noexcept {
    return {detail::told_errors::value_of(why), detail::category_of_causes()};
}

} // namespace TUTTI_ASIO_NAMESPACE
} // namespace tutti
