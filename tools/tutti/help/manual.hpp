// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "command_text.hpp"

#include <string>
#include <string_view>

namespace tutti::tools {

/// The name of a command's manual page: "tutti-bench"; "tutti" for the page of all.
[[nodiscard]] std::string page_name(const command_text& all, const command_text& one);

/// A page of section 1 for man(1), in roff, of one of the commands, or of `all` itself.
[[nodiscard]] std::string manual_page(const command_text& all, const command_text& one, std::string_view version);

} // namespace tutti::tools
