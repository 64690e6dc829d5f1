// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"

#include "../../contract/transfer.hpp"
#include "options.hpp"

#include <string>

namespace tutti::transport::detail::verbs {

/// Throws tutti::error (invalid_argument) where the limits make no sense.
[[nodiscard]] inline const verbs_limits& checked(const verbs_limits& l) {
    if (l.slot_bytes < 4096 || l.slot_bytes > (1U << 20)) reject("verbs", "slot_bytes must be from 4096 to 1048576");
    if (l.eager_bytes < most_varying_bytes)
        reject("verbs", "eager_bytes must be at least " + std::to_string(most_varying_bytes));
    if (l.eager_bytes > l.slot_bytes) reject("verbs", "eager_bytes must be at most slot_bytes");
    if (l.slot_count < 4 || l.slot_count > 1024) reject("verbs", "slot_count must be from 4 to 1024");
    if (l.piece_bytes < 4096 || l.piece_bytes > (1U << 30))
        reject("verbs", "piece_bytes must be from 4096 to 1073741824");
    if (l.reads < 1 || l.reads > 128) reject("verbs", "reads must be from 1 to 128");
    if (l.window_bytes < 16384) reject("verbs", "window_bytes must be at least 16384");
    if (l.contexts_ahead < 1) reject("verbs", "contexts_ahead must be at least 1");
    if (l.retries > 7) reject("verbs", "retries must be at most 7");
    if (l.timeout > 31) reject("verbs", "timeout must be at most 31");
    return l;
}

} // namespace tutti::transport::detail::verbs
