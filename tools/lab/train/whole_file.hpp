// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace tutti::tools {

/// The bytes of a file, unpacked if gzip packed it. Throws std::runtime_error that names the file and what is wrong
/// with it: it cannot be read, or its packed data are cut off or damaged.
[[nodiscard]] std::string whole_file(const std::string& path);

} // namespace tutti::tools
