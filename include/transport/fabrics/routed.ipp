// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../routed.hpp"

#include "../world/world.ipp"
#include "shared_memory/fabric.hpp"
#include "tcp/fabric.hpp"

#if defined(TUTTI_COMPILED)
template class tutti::transport::world<tutti::transport::shared_memory_fabric, tutti::transport::tcp_fabric>;
template class tutti::transport::detail::held_transport<
    tutti::transport::routed<tutti::transport::shared_memory, tutti::transport::tcp>>;
#endif
