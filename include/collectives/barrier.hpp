// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/issue.hpp"

#include <span>

namespace tutti {

/// barrier: no rank returns before all ranks have called.
///
/// Precondition on all ranks: the same order of calls. Errors: as of allreduce.
/// Cost: that of an allreduce of no bytes, by the algorithm that the library chooses for it.
///
/// @snippet reference.cpp barrier
template <class Issuer>
class barrier_operations {
public:
    /// Returns, or completes, when all ranks have called it.
    auto barrier() const {
        return detail::access::issue<>(self(), maximum, [&](const auto& op) {
            const std::span<char> nothing;
            auto c =
                detail::make_call<schedule::operation::allreduce>(self(), nothing, nothing, 0, op, detail::automatic{});
            c.title = "barrier";
            c.operation_on_elements = 1; // unlike every operator's: a barrier does not match an empty allreduce
            return c;
        });
    }

private:
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti
