// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// Gradients that are compressed before they travel. See docs/communicating-less.md.
#include "compressed/compressed_buckets.hpp"
#include "compressed/error_feedback.hpp"
#include "compressed/power_sgd.hpp"
#include "compressed/qsgd.hpp"
#include "compressed/random_k.hpp"
#include "compressed/sign_majority.hpp"
#include "compressed/top_k.hpp"
