// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operations.hpp"

#include <span>
#include <type_traits>

namespace tutti {

/// broadcast: every rank gets the root's data, in the same range that the root sends from.
///
/// Preconditions on all ranks: equal counts, element types, algorithms and roots; the same order of calls.
/// The result is valid when the call returns; the root's data are not changed. Errors: as of allreduce.
/// Cost: that of the algorithm; binomial_tree has depth ceil(log2 P), double_binary_tree nearly halves the time of
/// large data.
template <class Communicator>
class broadcast_operations {
public:
    template <class Range, class How = detail::automatic>
        requires(detail::range_like<Range>)
    void broadcast(Range&& data, int root, const How& how = {}) const {
        detail::access::run(self(), call(data, root, how));
    }

    /// Of one value instead of a range: returns the root's, on every rank. Those that the others pass do not count.
    template <class T, class How = detail::automatic>
        requires(!detail::range_like<T>)
    [[nodiscard]] T broadcast(const T& value, int root, const How& how = {}) const {
        static_assert(!std::is_pointer_v<T>,
                      "tutti: the broadcast of a pointer would send the pointer: take std::span(pointer, count)");
        T result = value;
        broadcast(std::span(&result, 1), root, how);
        return result;
    }

    /// Non-blocking: returns a request at once.
    template <class Range, class How = detail::automatic>
    [[nodiscard]] auto broadcast_async(Range&& data, int root, const How& how = {}) const {
        detail::check_outlive<Range>();
        return detail::access::start(self(), call(data, root, how));
    }
    /// Checks, chooses and plans once; `run` it as often as you like.
    template <class Range, class How = detail::automatic>
    [[nodiscard]] auto prepare_broadcast(Range&& data, int root, const How& how = {}) const {
        detail::check_outlive<Range>();
        return detail::access::prepare(self(), call(data, root, how));
    }

private:
    [[nodiscard]] const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }

    template <class Range, class How>
    [[nodiscard]] engine::call call(Range& range, int root, const How& how) const {
        const auto data = detail::writable_span_of(range);
        using T = typename decltype(data)::element_type;
        detail::check_root("broadcast", root, self().size());
        detail::check_not_null("broadcast", std::as_bytes(data));
        auto c = detail::make_copying_call<schedule::operation::broadcast, T>(data.size(), how, self().choice(), root);
        detail::put_buffers(c, data, data, true);
        return c;
    }
};

} // namespace tutti
