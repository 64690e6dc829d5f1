// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A program outside of the repository, quick to compile.
#include <tutti/collectives/algorithm/emit.hpp>
#include <tutti/collectives/algorithm/ring.hpp>
#include <tutti/collectives/schedule/verify.hpp>

int main() {
    const auto ring = tutti::algorithm::write(tutti::algorithm::ring{}, tutti::schedule::operation::allreduce, 4);
    return tutti::schedule::verify(ring).proven ? 0 : 1;
}
