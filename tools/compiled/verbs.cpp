// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/fabrics/shared_memory/fabric.hpp>
#include <transport/fabrics/tcp/fabric.hpp>
#include <transport/fabrics/verbs/verbs.ipp>
#include <transport/routed.hpp>

template class tutti::transport::world<tutti::transport::shared_memory_fabric, tutti::transport::verbs_fabric,
                                       tutti::transport::tcp_fabric>;
