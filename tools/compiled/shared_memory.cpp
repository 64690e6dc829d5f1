// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/fabrics/shared_memory/shared_memory.ipp>
