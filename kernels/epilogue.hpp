// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "reduce/access.hpp"
#include "reduce/pack.hpp"

#include <tutti/collectives/reduction/element.hpp>
#include <tutti/collectives/reduction/exact.hpp>
#include <tutti/collectives/reduction/host_device.hpp>
#include <tutti/collectives/reduction/scalar.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

/// Operations on a total before it leaves the registers. Epilogues are put together when the program is compiled:
/// `scaled{1.0F / ranks, stored<bfloat16>{{to}, 1}}`. Each has `write(total, at)` for elements [at, at + lanes), which
/// may change the totals; `list(arrays)`, the arrays that it touches; and the sizes of their smallest and largest
/// element.
namespace tutti::kernels {

namespace detail {

/// The types that a total may be stored as: its own, or a floating-point type to which it rounds once.
template <class Total, class To>
concept storable_as = std::same_as<Total, To> || (std::same_as<Total, float> && tutti::detail::floating<To>) ||
                      (std::same_as<Total, double> && std::same_as<To, float>) ||
                      (tutti::detail::is_narrow_float<Total> && std::floating_point<To>);

/// The same bits on host and device: a NaN in its one form, nothing flushed.
template <class To, class Total>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr To converted(const Total& total) noexcept {
    if constexpr (std::same_as<Total, double> && std::same_as<To, float>)
        return tutti::detail::canonical(tutti::detail::to_float(total));
    else if constexpr (!std::same_as<Total, double> && std::same_as<To, double>)
        return tutti::detail::canonical(tutti::detail::to_double(static_cast<float>(total)));
    else
        return static_cast<To>(total);
}

} // namespace detail

/// The end of a chain that has stored its results.
struct nothing {
    static constexpr std::size_t smallest_element = widest, largest_element = 1;
    template <unsigned lanes, class Total>
    TUTTI_HOST_DEVICE void write(Total (&)[lanes], std::size_t) const noexcept {}
    void list(std::vector<touched>&) const {}
};

/// The most destinations of one pass: as many as sources.
inline constexpr unsigned most_destinations = 8;

/// Writes the total to each destination, converted to To: between float and double, or from float to 16 and 8 bits.
template <element To>
struct stored {
    static constexpr std::size_t smallest_element = sizeof(To), largest_element = sizeof(To);
    /// The destinations, `number` of them.
    To* to[most_destinations]{};
    unsigned number = 1; ///< of destinations

    template <unsigned lanes, class Total>
    TUTTI_HOST_DEVICE void write(Total (&total)[lanes], std::size_t at) const noexcept {
        static_assert(detail::storable_as<Total, To>,
                      "tutti: a total is stored as it is, or rounded once: float to any floating-point type, double "
                      "to float");
        pack<To, lanes> out;
        TUTTI_UNROLL
        for (unsigned k = 0; k < lanes; ++k) out.element[k] = detail::converted<To>(total[k]);
        TUTTI_UNROLL
        for (unsigned d = 0; d < most_destinations; ++d)
            if (d < number) out.store(to[d] + at);
    }

    void list(std::vector<touched>& arrays) const {
        if (number > most_destinations)
            reject("a kernel", "it has " + std::to_string(number) + " destinations",
                   "write " + std::to_string(most_destinations) + " at most in one pass");
        for (unsigned d = 0; d < number; ++d)
            arrays.push_back({reinterpret_cast<std::uintptr_t>(to[d]), sizeof(To), alignof(To), "destination"});
    }
};

/// Where a chain ends that writes one kind of array.
template <element To>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr stored<To>& destinations_of(stored<To>& last) noexcept {
    return last;
}

/// Multiplies the total, then goes on. For an average the factor is 1.0F / ranks, rounded once, on the host.
template <std::floating_point Factor, class Next>
struct scaled {
    static constexpr std::size_t smallest_element = Next::smallest_element, largest_element = Next::largest_element;
    Factor factor = 1; ///< each total is multiplied by it
    Next next{};       ///< takes the product

    template <unsigned lanes, class Total>
    TUTTI_HOST_DEVICE void write(Total (&total)[lanes], std::size_t at) const noexcept {
        static_assert(std::same_as<Total, Factor>, "tutti: a total is scaled by a factor of its own type");
        TUTTI_UNROLL
        for (unsigned k = 0; k < lanes; ++k)
            total[k] = static_cast<Total>(tutti::detail::canonical(tutti::detail::times(total[k], factor)));
        next.template write<lanes>(total, at);
    }

    void list(std::vector<touched>& arrays) const { next.list(arrays); }
};

/// The same of a chain that scales first.
template <std::floating_point Factor, class Next>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr auto& destinations_of(scaled<Factor, Next>& last) noexcept {
    return destinations_of(last.next);
}

/// The same by a factor in device memory, which an earlier kernel has computed, as in clipping.
template <std::floating_point Factor, class Next>
struct scaled_by {
    static constexpr std::size_t smallest_element = Next::smallest_element, largest_element = Next::largest_element;
    const Factor* factor = nullptr; ///< where the factor is, in memory of the device
    Next next{};                    ///< takes the product

    template <unsigned lanes, class Total>
    TUTTI_HOST_DEVICE void write(Total (&total)[lanes], std::size_t at) const noexcept {
        scaled<Factor, Next>{*factor, next}.template write<lanes>(total, at);
    }

    void list(std::vector<touched>& arrays) const { next.list(arrays); }
};

} // namespace tutti::kernels
