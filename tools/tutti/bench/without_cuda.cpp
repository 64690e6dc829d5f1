// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bench.hpp"

#include <stdexcept>

namespace tutti::tools {

int bench_over_cuda(const bench_settings&, int) {
    throw std::invalid_argument("this command was built without CUDA: install its toolkit, with nvcc 13 or later, and "
                                "build again with -Dcuda=enabled");
}

} // namespace tutti::tools
