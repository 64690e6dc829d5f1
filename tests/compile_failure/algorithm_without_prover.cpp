// expect: an algorithm of your own needs #include <tutti/collectives/algorithm/prove.hpp>
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/any.hpp>
#include <collectives/algorithm/ring.hpp>
#ifdef CONTROL
#include <collectives/algorithm/prove.hpp>
#endif

struct foreign : tutti::algorithm::ring {};

tutti::algorithm::any chosen() { return foreign{}; }
