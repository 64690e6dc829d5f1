// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "sandblaster/coordinator.hpp"
#include "sandblaster/lbfgs.hpp"
#include "sandblaster/replica.hpp"
#include "sandblaster/shard_server.hpp"
