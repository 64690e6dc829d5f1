// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

/// Who am I, where is everyone, and the control plane.
#include "bootstrap/environment.hpp" // identity_from_environment()
#include "bootstrap/handshake.hpp"   // proves both ends of a connection to each other
#include "bootstrap/ledger.hpp"      // the control plane's memory
#include "bootstrap/session.hpp"     // a rank's part in a world
