// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operations.hpp"

namespace tutti {

/// reduce_scatter: rank r gets the r-th of `size` equal parts of the reduction of all ranks' data.
///
/// Preconditions on all ranks: equal counts, element types, operators and algorithms (without one: an input that is
/// symmetric_memory on all or on none); the same order of calls.
/// Shapes: the input has size times as many elements as the output. In place: the output is the rank's own part of
/// the input. The result is valid in the output when the call returns. Errors: as of allreduce.
/// Cost: that of the algorithm; ring and halving_doubling send (P-1)/P n.
template <class Communicator>
class reduce_scatter_operations {
public:
    template <class In, class Out, class Op, class How = detail::automatic>
    void reduce_scatter(const In& in, Out&& out, const Op& op, const How& how = {}) const {
        detail::access::run(self(), call(in, out, op, how));
    }
    /// Non-blocking: returns a request at once.
    template <class In, class Out, class Op, class How = detail::automatic>
    [[nodiscard]] auto reduce_scatter_async(In&& in, Out&& out, const Op& op, const How& how = {}) const {
        detail::check_outlive<In, Out>();
        const auto copy = detail::kept(op);
        return detail::access::start(self(), call(in, out, detail::in_use(copy, op), how), copy);
    }
    /// Checks, chooses and plans once; `run` it as often as you like.
    template <class In, class Out, class Op, class How = detail::automatic>
    [[nodiscard]] auto prepare_reduce_scatter(In&& in, Out&& out, const Op& op, const How& how = {}) const {
        detail::check_outlive<In, Out>();
        const auto copy = detail::kept(op);
        return detail::access::prepare(self(), call(in, out, detail::in_use(copy, op), how), copy);
    }

private:
    [[nodiscard]] const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }

    template <class In, class Out, class Op, class How>
    [[nodiscard]] engine::call call(In& input, Out& output, const Op& op, const How& how) const {
        const auto in = detail::span_of(input);
        const auto out = detail::writable_span_of(output);
        using T = typename decltype(out)::element_type;
        detail::check_buffers("reduce_scatter", in, out);
        const auto size = static_cast<std::size_t>(self().size()), rank = static_cast<std::size_t>(self().rank());
        detail::check_parts("reduce_scatter", in.size(), out.size(), size);
        auto c = detail::make_call<schedule::operation::reduce_scatter, T>(in.size(), op, how, self().choice(), 0,
                                                                           detail::says_symmetric<In>);
        detail::put_buffers(c, in, out, detail::same_memory("reduce_scatter", in, out, rank * out.size()));
        return c;
    }
};

} // namespace tutti
