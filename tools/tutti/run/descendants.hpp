// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include <sys/types.h>

namespace tutti::tools {

/// While it lives, processes below this one become its children when their parents end, whatever group or session they
/// are in: so none gets out of reach.
class descendants {
public:
    descendants();
    descendants(const descendants&) = delete;
    ~descendants();

    /// Kills all that is below this process, but for what was there before, and waits for it, a few seconds at most.
    /// Does nothing where /proc is not that of this process's namespace.
    void end() const noexcept;

private:
    int before_ = 0; // whether this process had that wish already
    // The children of the shell that became this program by exec, and what is below them: number and begin.
    std::vector<std::pair<pid_t, unsigned long long>> spared_;
};

} // namespace tutti::tools
