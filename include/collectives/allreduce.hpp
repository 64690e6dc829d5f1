// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operations.hpp"

namespace tutti {

/// allreduce: every rank gets the reduction of all ranks' data, element by element; the same bits on every rank.
///
/// Preconditions on all ranks: equal counts, element types, operators and algorithms (without one: symmetric_memory on
/// all or on none), and the same order of calls on the communicator. Shapes: input and output have equal counts; they
/// are the same memory or disjoint. The result is valid in the output when the call returns; the input is not written
/// unless it is the output. Errors: tutti::error. A call that is wrong in itself (invalid_argument) has changed
/// nothing; after any other error the communicator is unusable, and says so, on all ranks. Cost: that of the algorithm
/// (schedule::cost in its header): the last argument's; the library chooses where there is none, or an empty
/// std::optional<algorithm::any>. The operator is taken as associative and commutative; see non_commutative.
template <class Communicator>
class allreduce_operations {
public:
    template <class Range, class Op, class How = detail::automatic>
        requires(detail::range_like<Range> && !detail::range_like<Op>)
    void allreduce(Range&& data, const Op& op, const How& how = {}) const {
        detail::access::run(self(), call(data, op, how));
    }
    template <class In, class Out, class Op, class How = detail::automatic>
        requires(detail::range_like<Out>)
    void allreduce(const In& in, Out&& out, const Op& op, const How& how = {}) const {
        detail::access::run(self(), call(in, out, op, how));
    }

    /// Of one value instead of a range: returns the result, on every rank. All ranks reduce one element.
    template <class T, class Op, class How = detail::automatic>
        requires(!detail::range_like<T> && !detail::range_like<Op>)
    [[nodiscard]] T allreduce(const T& value, const Op& op, const How& how = {}) const {
        static_assert(!std::is_pointer_v<T>,
                      "tutti: the allreduce of a pointer would reduce the pointer: take std::span(pointer, count)");
        T result = value;
        allreduce(std::span(&result, 1), op, how);
        return result;
    }

    /// Non-blocking: returns a request at once.
    template <class Range, class Op, class How = detail::automatic>
        requires(!detail::range_like<Op>)
    [[nodiscard]] auto allreduce_async(Range&& data, const Op& op, const How& how = {}) const {
        detail::check_range<Range>();
        detail::check_outlive<Range>();
        const auto copy = detail::kept(op);
        return detail::access::start(self(), call(data, detail::in_use(copy, op), how), copy);
    }
    template <class In, class Out, class Op, class How = detail::automatic>
        requires(detail::range_like<Out>)
    [[nodiscard]] auto allreduce_async(In&& in, Out&& out, const Op& op, const How& how = {}) const {
        detail::check_outlive<In, Out>();
        const auto copy = detail::kept(op);
        return detail::access::start(self(), call(in, out, detail::in_use(copy, op), how), copy);
    }

    /// Checks, chooses and plans once; `run` it as often as you like.
    template <class Range, class Op, class How = detail::automatic>
        requires(!detail::range_like<Op>)
    [[nodiscard]] auto prepare_allreduce(Range&& data, const Op& op, const How& how = {}) const {
        detail::check_range<Range>();
        detail::check_outlive<Range>();
        const auto copy = detail::kept(op);
        return detail::access::prepare(self(), call(data, detail::in_use(copy, op), how), copy);
    }
    template <class In, class Out, class Op, class How = detail::automatic>
        requires(detail::range_like<Out>)
    [[nodiscard]] auto prepare_allreduce(In&& in, Out&& out, const Op& op, const How& how = {}) const {
        detail::check_outlive<In, Out>();
        const auto copy = detail::kept(op);
        return detail::access::prepare(self(), call(in, out, detail::in_use(copy, op), how), copy);
    }

private:
    [[nodiscard]] const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }

    template <class Range, class Op, class How>
    [[nodiscard]] engine::call call(Range& range, const Op& op, const How& how) const {
        const auto data = detail::writable_span_of(range);
        detail::check_not_null("allreduce", std::as_bytes(data));
        using T = typename decltype(data)::element_type;
        auto c = detail::make_call<schedule::operation::allreduce, T>(data.size(), op, how, self().choice(), 0,
                                                                      detail::says_symmetric<Range>);
        detail::put_buffers(c, data, data, true);
        return c;
    }
    template <class In, class Out, class Op, class How>
    [[nodiscard]] engine::call call(In& input, Out& output, const Op& op, const How& how) const {
        const auto in = detail::span_of(input);
        const auto out = detail::writable_span_of(output);
        using T = typename decltype(out)::element_type;
        detail::check_buffers("allreduce", in, out);
        detail::check_counts("allreduce", in.size(), out.size());
        auto c = detail::make_call<schedule::operation::allreduce, T>(
            out.size(), op, how, self().choice(), 0, detail::says_symmetric<In> && detail::says_symmetric<Out>);
        detail::put_buffers(c, in, out, detail::same_memory("allreduce", in, out));
        return c;
    }
};

} // namespace tutti
