// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace tutti::tools {

/// Does `work` in a process of its own, and gives its exit status in both: like fork, it returns twice. Whichever of
/// the two is killed, the other sees to it that all that was started ends: the work is sent SIGTERM, else what it has
/// left is killed. Signals that this process gets are passed on. Throws std::system_error where there can be no
/// process. Must be called from the only thread of the process. Reaps the children that it has already.
[[nodiscard]] int guarded(const std::function<int()>& work);

} // namespace tutti::tools
