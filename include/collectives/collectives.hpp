// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#if __cplusplus < 202002L
#error "tutti needs C++20: compile with -std=c++20"
#endif

/// Everything but the transports: include one of transport/*.hpp beside it.
#include "../base/error.hpp"
#include "algorithm/all.hpp"
#include "communicator.hpp"
#include "reduction/located.hpp"
#include "reduction/operators.hpp"
#include "request.hpp"
