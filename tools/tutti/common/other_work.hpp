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
    [[nodiscard]] double cores() const { return cores(own_s()); }
    /// Likewise, where all that is not other work has used so many seconds of processor time.
    [[nodiscard]] double cores(double ours_s) const {
        const double others = (all() - all_before_) - ours_s * ticks_per_s();
        return std::max(others, 0.0) / std::max(passed_s() * ticks_per_s(), 1.0);
    }
    /// What this process has used of it.
    [[nodiscard]] double own_s() const { return (own() - own_before_) / ticks_per_s(); }
    [[nodiscard]] double passed_s() const { return std::chrono::duration<double>(clock::now() - begin_).count(); }

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
