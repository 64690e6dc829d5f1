// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "server/client.hpp"
#include "server/shard_server.hpp"
#include "server/significant_changes.hpp"
