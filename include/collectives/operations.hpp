// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "arguments.hpp"
#include "prepared.hpp"

#include <memory>

namespace tutti::detail {

/// How the operations' headers reach into a communicator.
struct access {
    /// Runs a call to its end.
    static void run(const auto& world, engine::call&& c) {
        c.by = world.executor_;
        world.membership_->complete(c, world.default_deadline());
    }
    /// Starts a call. `keeps` is its operator, if it has state.
    [[nodiscard]] static auto start(const auto& world, engine::call&& c, std::shared_ptr<const void> keeps = {}) {
        c.by = world.executor_;
        return request(world.membership_, world.membership_->start(c, world.default_deadline(), std::move(keeps)));
    }
    [[nodiscard]] static auto prepare(const auto& world, engine::call&& c, std::shared_ptr<const void> keeps = {}) {
        c.by = world.executor_;
        return prepared(world.membership_, c, world.default_deadline(), std::move(keeps));
    }
};

} // namespace tutti::detail
