// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operations.hpp"

namespace tutti {

/// allgather: every rank gets all ranks' data, one after the other in rank order.
///
/// Preconditions on all ranks: equal counts, element types and algorithms; the same order of calls.
/// Shapes: the output has size times as many elements as the input. In place: the input is the rank's own part of the
/// output. The result is valid in the output when the call returns. Errors: as of allreduce.
/// Cost: that of the algorithm; all send (P-1)/P of the output where P is a power of two.
template <class Communicator>
class allgather_operations {
public:
    template <class In, class Out, class How = detail::automatic>
    void allgather(const In& in, Out&& out, const How& how = {}) const {
        detail::access::run(self(), call(in, out, how));
    }
    /// Non-blocking: returns a request at once.
    template <class In, class Out, class How = detail::automatic>
    [[nodiscard]] auto allgather_async(In&& in, Out&& out, const How& how = {}) const {
        detail::check_outlive<In, Out>();
        return detail::access::start(self(), call(in, out, how));
    }
    /// Checks, chooses and plans once; `run` it as often as you like.
    template <class In, class Out, class How = detail::automatic>
    [[nodiscard]] auto prepare_allgather(In&& in, Out&& out, const How& how = {}) const {
        detail::check_outlive<In, Out>();
        return detail::access::prepare(self(), call(in, out, how));
    }

private:
    [[nodiscard]] const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }

    template <class In, class Out, class How>
    [[nodiscard]] engine::call call(In& input, Out& output, const How& how) const {
        const auto in = detail::span_of(input);
        const auto out = detail::writable_span_of(output);
        using T = typename decltype(out)::element_type;
        detail::check_buffers("allgather", in, out);
        const auto size = static_cast<std::size_t>(self().size()), rank = static_cast<std::size_t>(self().rank());
        detail::check_parts("allgather", in.size(), out.size(), size);
        auto c = detail::make_copying_call<schedule::operation::allgather, T>(out.size(), how, self().choice());
        detail::put_buffers(c, in, out, detail::same_memory("allgather", out, in, rank * in.size()));
        return c;
    }
};

} // namespace tutti
