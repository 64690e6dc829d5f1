// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

/// Everything but the transports: include one of transport/*.hpp beside it.
#include "../base/error.hpp"
#include "algorithm/all.hpp"
#include "communicator.hpp"
#include "reduction/located.hpp"
#include "reduction/operators.hpp"
#include "request.hpp"
