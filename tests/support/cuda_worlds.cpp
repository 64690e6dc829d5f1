// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Worlds over the tests' CUDA: compiled once for all programs that use them.
#include "transport/cuda_ipc/device_world.hpp"
#include "transport/staged/worlds.hpp"

#include <transport/fabrics/cuda_ipc/fabric.hpp>
#include <transport/world/world.ipp>

template class tutti::transport::world<tutti::test::fake_ipc_fabric>;
template class tutti::transport::world<tutti::test::fake_staged_fabric>;
template class tutti::transport::world<tutti::test::fake_ipc_fabric, tutti::test::fake_staged_fabric>;
template class tutti::transport::world<tutti::test::fake_staged_pairs_fabric>;
