// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../verbs.hpp"

#include "../../world/world.ipp"
#include "fabric.hpp"

#if defined(TUTTI_COMPILED)
template class tutti::transport::world<tutti::transport::verbs_fabric>;
template class tutti::transport::detail::held_transport<tutti::transport::verbs>;
#endif
