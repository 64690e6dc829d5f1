// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/other_work.hpp"
#include "bench.hpp"

#include <optional>
#include <string>

namespace tutti::tools {

/// Where a bench runs: what its times may depend on besides the settings.
struct testbed {
    std::string host, kernel, version, started; ///< of rank 0: told, and not compared
    std::string processor;                      ///< "..., and others" where ranks have different ones
    int cores = 0;                              ///< that the ranks of rank 0's host may use
    std::string ranks_on;                       ///< where each rank may run, in words: told, and not compared
    std::string bound;                          ///< "to 1 of 8 processors": by whoever started it; empty: to none
    std::string interface;                      ///< TUTTI_INTERFACE
    std::string device;                         ///< the GPUs of ranks, likewise; empty: none, or not known
    std::string placement;                      ///< "2 x 4": ranks by node, as the library sees them; empty: not known
};

/// That of this process alone.
[[nodiscard]] testbed testbed_here();
/// That of all ranks, at rank 0. Collective.
[[nodiscard]] testbed testbed_of(const participant& self);

/// How busy rank 0's host is with other work than that of the ranks on it. Collective. The kernel counts in hundredths
/// of a second, so that a row which takes less is told of the time around it.
class host_witness {
public:
    /// `looks_first` takes as long as is needed to know something.
    host_witness(const participant& self, bool looks_first);
    /// The cores that other work used, on average, in the last half second or longer; none where less than a tenth of a
    /// second is known.
    [[nodiscard]] std::optional<double> other_cores();

private:
    const participant& self_;
    other_work now_;
    std::optional<other_work> before_; // a window that overlaps with it
};

} // namespace tutti::tools
