// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "observed.hpp"

#include <string>
#include <vector>

namespace tutti::tools {

/// The list of jobs, for people.
[[nodiscard]] std::string jobs_text(const std::vector<observed_job>& jobs);
/// One job: its ranks, which waits for which, and why. With `peers` also what each has sent to each.
[[nodiscard]] std::string job_text(const observed_job& job, bool peers);

/// The same as JSON.
[[nodiscard]] std::string jobs_json(const std::vector<observed_job>& jobs);
[[nodiscard]] std::string job_json(const observed_job& job);

} // namespace tutti::tools
