// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// Layers whose weights lie on several ranks, and experts that do. See docs/training.md.
#include "tensor/conjugates.hpp"
#include "tensor/experts/balance.hpp"
#include "tensor/experts/exchange.hpp"
#include "tensor/experts/gate.hpp"
#include "tensor/weight_cut.hpp"
