// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/membership.ipp>
#include <transport/fabrics/tcp/tcp.ipp>

template class tutti::engine::membership<tutti::transport::tcp>;
