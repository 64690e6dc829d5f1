// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/connections/manager.ipp>
#include <transport/control/rendezvous_thread.ipp>
#include <transport/control/session.ipp>
#include <transport/world/wait_set.ipp>
