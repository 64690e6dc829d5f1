// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

/// Included before all else, so that an older standard is told in one sentence.
#if __cplusplus < 202002L
#error "tutti needs C++20: compile with -std=c++20"
#endif
