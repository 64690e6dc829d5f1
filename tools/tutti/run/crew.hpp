// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "ending.hpp"

#include <chrono>
#include <concepts>
#include <span>
#include <string>
#include <vector>

#include <poll.h>

namespace tutti::tools {

using supervision_clock = std::chrono::steady_clock;

/// Why a launch cannot go on, for another reason than a rank; status 0: it can.
struct launch_failure {
    int status = 0;
    std::string report;
};

/// The ranks of a launch, wherever they run.
template <class C>
concept crew = requires(C c, const C k, std::vector<pollfd>& waiting, std::span<const pollfd> ready, int number,
                        supervision_clock::time_point now) {
    c.start();
    { k.running() } -> std::same_as<int>;     // ranks that have not ended
    { k.unfinished() } -> std::same_as<bool>; // there may be output of ranks that have ended
    { k.silent() } -> std::same_as<bool>;     // nothing more can come on standard error
    { k.held_up() } -> std::same_as<bool>;    // it cannot hear of its ranks before their output is taken
    c.wait_for(waiting);                      // appends what it waits for,
    c.serve(ready);                           // and is given the same entries back
    { k.hasty() } -> std::same_as<bool>;      // serve() has something to do whatever poll says
    c.reap();                                 // a child of this process has ended
    c.signal(number);                         // to all ranks
    { c.take_endings() } -> std::same_as<std::vector<ending>>;
    { c.take_failure() } -> std::same_as<launch_failure>;
    { k.due() } -> std::same_as<supervision_clock::time_point>; // when act() is wanted
    c.act(now);
    { C::settling } -> std::convertible_to<std::chrono::milliseconds>; // from an exit until it is judged
};

} // namespace tutti::tools
