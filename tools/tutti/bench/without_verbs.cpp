// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bench.hpp"

#include <stdexcept>

namespace tutti::tools {

namespace {

[[noreturn]] void refuse() {
    throw std::invalid_argument(
        "this command was built without RDMA: install libibverbs (libibverbs-dev), and build again");
}

} // namespace

int bench_over_verbs(const bench_settings&, int) { refuse(); }
int bench_over_all(const bench_settings&, int) { refuse(); }

} // namespace tutti::tools
