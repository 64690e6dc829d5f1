// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm/butterfly.hpp"
#include "operations.hpp"

#include <span>

namespace tutti {

/// barrier: no rank returns before all ranks have called.
///
/// Precondition on all ranks: the same order of calls. Errors: as of allreduce.
/// Cost: a butterfly of empty messages, depth floor(log2 P), up to two more unless P is a power of two.
template <class Communicator>
class barrier_operations {
public:
    void barrier() const { detail::access::run(self(), call()); }
    /// Returns a request: it completes when all ranks have called.
    [[nodiscard]] auto barrier_async() const { return detail::access::start(self(), call()); }
    /// Plans once; `run` it as often as you like.
    [[nodiscard]] auto prepare_barrier() const { return detail::access::prepare(self(), call()); }

private:
    [[nodiscard]] const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
    [[nodiscard]] engine::call call() const {
        const std::span<char> nothing;
        auto c = detail::make_call<schedule::operation::allreduce, char>(0, maximum, algorithm::butterfly{},
                                                                         self().choice());
        c.title = "barrier";
        c.operation_on_elements = 1; // unlike every operator's: a barrier does not match an empty allreduce
        detail::put_buffers(c, nothing, nothing, true);
        return c;
    }
};

} // namespace tutti
