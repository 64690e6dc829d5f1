// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// The bodies of the cost model, for the one unit of a program that compiles them: see linkage.hpp.
#include "../machine.hpp"

#include "../model/decision_table.ipp"
#include "../model/price.ipp"
