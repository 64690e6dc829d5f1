// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// How ranks that are processes meet, for the one unit of a program that compiles it: see collectives/linkage.hpp.
#include "bootstrap/session.ipp"
