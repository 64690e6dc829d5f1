// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../transfer.hpp"

namespace tutti::transport::detail {

/// Transfers waiting for their turn, linked through themselves.
class fifo {
public:
    void push(transfer& x) noexcept {
        x.next = nullptr;
        (last_ ? last_->next : first_) = &x;
        last_ = &x;
    }
    /// Removes the first and returns it; there must be one.
    transfer& pop() noexcept {
        transfer& x = *first_;
        first_ = x.next;
        if (!first_) last_ = nullptr;
        return x;
    }
    [[nodiscard]] transfer* front() const noexcept { return first_; }
    [[nodiscard]] bool empty() const noexcept { return !first_; }

private:
    transfer* first_ = nullptr;
    transfer* last_ = nullptr;
};

} // namespace tutti::transport::detail
