// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operations.hpp"

namespace tutti {

/// reduce: the root gets the reduction of all ranks' data, element by element.
///
/// Preconditions on all ranks: equal counts, element types, operators, algorithms and roots; the same order of calls.
/// Shapes: at the root, input and output have equal counts, and are the same memory or disjoint; elsewhere the output
/// is not looked at and may be empty. The result is valid at the root when the call returns; elsewhere the input may
/// be used again. Errors: as of allreduce. Cost: that of the algorithm; binomial_tree has depth ceil(log2 P).
template <class Communicator>
class reduce_operations {
public:
    template <class In, class Out, class Op, class How = detail::automatic>
    void reduce(const In& in, Out&& out, int root, const Op& op, const How& how = {}) const {
        detail::access::run(self(), call(in, out, root, op, how));
    }
    /// Non-blocking: returns a request at once.
    template <class In, class Out, class Op, class How = detail::automatic>
    [[nodiscard]] auto reduce_async(In&& in, Out&& out, int root, const Op& op, const How& how = {}) const {
        detail::check_outlive<In, Out>();
        const auto copy = detail::kept(op);
        return detail::access::start(self(), call(in, out, root, detail::in_use(copy, op), how), copy);
    }
    /// Checks, chooses and plans once; `run` it as often as you like.
    template <class In, class Out, class Op, class How = detail::automatic>
    [[nodiscard]] auto prepare_reduce(In&& in, Out&& out, int root, const Op& op, const How& how = {}) const {
        detail::check_outlive<In, Out>();
        const auto copy = detail::kept(op);
        return detail::access::prepare(self(), call(in, out, root, detail::in_use(copy, op), how), copy);
    }

private:
    [[nodiscard]] const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }

    template <class In, class Out, class Op, class How>
    [[nodiscard]] engine::call call(In& input, Out& output, int root, const Op& op, const How& how) const {
        const auto in = detail::span_of(input);
        auto out = detail::writable_span_of(output);
        using T = typename decltype(out)::element_type;
        detail::check_root("reduce", root, self().size());
        if (self().rank() != root) out = {};
        detail::check_buffers("reduce", in, out);
        if (self().rank() == root) detail::check_counts("reduce", in.size(), out.size());
        auto c = detail::make_call<schedule::operation::reduce, T>(in.size(), op, how, self().choice(), root);
        detail::put_buffers(c, in, out, detail::same_memory("reduce", in, out));
        return c;
    }
};

} // namespace tutti
