// expect: tutti: routed<Near, Far> goes over shared_memory within a host and over tcp between hosts
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/routed.hpp>

using namespace tutti::transport;

#ifdef CONTROL
using over_hosts = routed<shared_memory, tcp>;
#else
using over_hosts = routed<tcp, shared_memory>;
#endif

bool crowded(const over_hosts& t) { return t.crowded(); }
