// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "report.hpp"

#include <string>

namespace tutti::tools {

/// Whether this build can write HTML reports: Chart.js was there when it was made.
[[nodiscard]] bool have_html_report() noexcept;

/// The report as one page that needs no other file and no network. Deterministic; whatever the names hold, they are
/// shown as text. About 250 kB, and 100 bytes a row or activity. Throws std::runtime_error without have_html_report().
[[nodiscard]] std::string html_report(const model_report& report);

} // namespace tutti::tools
