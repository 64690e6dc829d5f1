// expect: tutti: premultiplied_sum needs an arithmetic element that is no bool
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/kernel.hpp>

struct record {
    float x, y;
};
#ifdef CONTROL
using subject = float;
#else
using subject = record;
#endif

int main() { return tutti::make_reducer<subject>(tutti::premultiplied_sum(2)).combine == nullptr; }
