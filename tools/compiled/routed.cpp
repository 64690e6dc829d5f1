// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/membership.ipp>
#include <transport/fabrics/routed.ipp>

template class tutti::engine::membership<
    tutti::transport::routed<tutti::transport::shared_memory, tutti::transport::tcp>>;
