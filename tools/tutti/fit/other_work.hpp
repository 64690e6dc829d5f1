// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

#include <sys/times.h>
#include <unistd.h>

namespace tutti::tools {

/// How busy this host was with other work than that of this process and of those below it that have ended.
class other_work {
public:
    /// The cores that other work has used since this was made, on average.
    [[nodiscard]] double cores() const {
        const double passed = std::chrono::duration<double>(clock::now() - begin_).count();
        const double others = (all() - all_before_) - (own() - own_before_);
        return std::max(others, 0.0) / std::max(passed * ticks_per_s(), 1.0);
    }

private:
    using clock = std::chrono::steady_clock;

    [[nodiscard]] static double ticks_per_s() { return static_cast<double>(sysconf(_SC_CLK_TCK)); }
    /// User, nice and system; not what interrupts take.
    [[nodiscard]] static double all() {
        std::ifstream stat("/proc/stat");
        std::string name;
        double user = 0, nice = 0, system = 0;
        stat >> name >> user >> nice >> system;
        return user + nice + system;
    }
    [[nodiscard]] static double own() {
        tms t{};
        times(&t);
        return static_cast<double>(t.tms_utime + t.tms_stime + t.tms_cutime + t.tms_cstime);
    }

    clock::time_point begin_ = clock::now();
    double all_before_ = all(), own_before_ = own();
};

} // namespace tutti::tools
