// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// The bodies of everything but the transports, for the one unit of a program that compiles them: see linkage.hpp.
#include "../collectives.hpp"

#include "../algorithm/all.ipp"
#include "../algorithm/any.ipp"
#include "../algorithm/preserves_order.ipp"
#include "../algorithm/prove.ipp"
#include "../choice/default_choice.ipp"
#include "../choice/explain.ipp"
#include "../engine/membership.ipp"
#include "../engine/planning.ipp"
#include "arguments.ipp"
#include "messages.ipp"
#include "uneven.ipp"
