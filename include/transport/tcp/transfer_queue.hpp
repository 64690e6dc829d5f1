// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../transfer.hpp"

namespace tutti::transport::detail::tcp {

/// Transfers under way, first in first out, linked through themselves.
class transfer_queue {
public:
    [[nodiscard]] transfer* front() const noexcept { return first_; }
    void push(transfer& x) noexcept {
        x.next = nullptr;
        (last_ ? last_->next : first_) = &x;
        last_ = &x;
    }
    void pop() noexcept {
        first_ = first_->next;
        if (!first_) last_ = nullptr;
    }

private:
    transfer* first_ = nullptr;
    transfer* last_ = nullptr;
};

} // namespace tutti::transport::detail::tcp
