// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

namespace tutti::tools {

/// While it lives, processes below this one become its children when their parents end, whatever group or session they
/// are in: so none gets out of reach.
class descendants {
public:
    descendants() noexcept;
    descendants(const descendants&) = delete;
    ~descendants();

    /// Kills all that is below this process, and waits for it, a few seconds at most.
    void end() const noexcept;

private:
    int before_ = 0; // whether this process had that wish already
};

} // namespace tutti::tools
