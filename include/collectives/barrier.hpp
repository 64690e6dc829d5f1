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
    void barrier() const {
        const auto& self = static_cast<const Communicator&>(*this);
        const std::span<char> nothing;
        auto c =
            detail::make_call<schedule::operation::allreduce, char>(0, maximum, algorithm::butterfly{}, self.choice());
        c.title = "barrier";
        c.operation_on_elements = 1; // unlike every operator's: a barrier does not match an empty allreduce
        detail::put_buffers(c, nothing, nothing, true);
        detail::access::run(self, c);
    }
};

} // namespace tutti
