// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/membership.ipp>
#include <transport/fabrics/shared_memory/shared_memory.ipp>

template class tutti::engine::membership<tutti::transport::shared_memory>;
