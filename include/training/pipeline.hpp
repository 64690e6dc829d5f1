// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// Pipelines of stages: their schedules, what runs them, and the proof of a schedule. See docs/pipelines.md.
#include "pipeline/all.hpp"
#include "pipeline/run.hpp"
#include "pipeline/verify.hpp"
