// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

/// The start of ranks, and the control plane.
#include "bootstrap/coordinator.hpp" // the control plane's memory
#include "bootstrap/handshake.hpp"   // proves both ends of a connection to each other
#include "bootstrap/identity.hpp"    // who a rank is
#include "bootstrap/launchers.hpp"   // identity_from_environment()
#include "bootstrap/session.hpp"     // a rank's part in a world
