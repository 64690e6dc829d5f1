// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// Averages with neighbours in a graph. See docs/communicating-less.md.
#include "gossip/graph.hpp"
#include "gossip/mixer.hpp"
#include "gossip/mixing_matrix.hpp"
