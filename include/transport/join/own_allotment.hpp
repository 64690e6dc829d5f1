// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/processors.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/stat.h>

namespace tutti::transport::bootstrap {

namespace detail {

/// The quota of a cgroup's folder, of either version of cgroups. None where there is none, or it cannot be read.
TUTTI_COLD [[nodiscard]] inline cpu_quota quota_of_folder(const std::string& folder) {
    double quota_us = 0, period_us = 0;
    std::ifstream both(folder + "/cpu.max"); // "150000 100000", or "max 100000"
    if (both)
        both >> quota_us >> period_us;
    else {
        std::ifstream(folder + "/cpu.cfs_quota_us") >> quota_us; // -1: none
        std::ifstream(folder + "/cpu.cfs_period_us") >> period_us;
    }
    struct stat at {};
    if (!(quota_us > 0 && period_us > 0) || ::stat(folder.c_str(), &at) != 0) return {};
    const double most = std::numeric_limits<std::uint32_t>::max();
    return {static_cast<std::uint32_t>(std::clamp(quota_us * 1000 / period_us, 1.0, most)), at.st_dev, at.st_ino};
}

/// Where the cgroup of a line of /proc/self/cgroup may limit processor time; empty: it cannot. `path`: the cgroup.
TUTTI_COLD [[nodiscard]] inline std::vector<std::string> cpu_hierarchies(std::string_view line, std::string& path) {
    const auto first = line.find(':');
    const auto second = line.find(':', std::min(first, line.size() - 1) + 1);
    if (first == line.npos || second == line.npos) return {};
    path = line.substr(second + 1);
    const std::string controllers(line.substr(first + 1, second - first - 1));
    if (controllers.empty()) return {"", "/unified"}; // version 2
    if (("," + controllers + ",").find(",cpu,") == controllers.npos) return {};
    return {"/" + controllers, "/cpu"};
}

/// The tightest quota from a cgroup up to the root of its hierarchy. In a container the path may be one that only its
/// host knows: the folders are not there then, and what is the root here is the container's own cgroup.
[[nodiscard]] inline cpu_quota tightest_quota(const std::string& hierarchy, std::string path) {
    cpu_quota tightest;
    for (;;) {
        while (path.ends_with('/')) path.pop_back();
        const cpu_quota here = quota_of_folder(hierarchy + path);
        if (here.thousandths > 0 && (tightest.thousandths == 0 || here.thousandths < tightest.thousandths))
            tightest = here;
        if (path.empty()) return tightest;
        path.resize(std::min(path.rfind('/'), path.size() - 1));
    }
}

} // namespace detail

/// The tightest quota of processor time on the way from this process's cgroup to the root. What cannot be read is no
/// limit. `root`: the folder that /proc and /sys are in.
TUTTI_COLD [[nodiscard]] inline cpu_quota own_cpu_quota(const std::string& root = {}) {
    cpu_quota tightest;
    std::ifstream cgroups(root + "/proc/self/cgroup");
    for (std::string line, path; std::getline(cgroups, line);)
        for (const std::string& hierarchy : detail::cpu_hierarchies(line, path)) {
            const cpu_quota q = detail::tightest_quota(root + "/sys/fs/cgroup" + hierarchy, path);
            if (q.thousandths > 0 && (tightest.thousandths == 0 || q.thousandths < tightest.thousandths)) tightest = q;
        }
    return tightest;
}

/// The processors that the calling thread may run on.
[[nodiscard]] inline processor_set own_processors() {
    std::array<cpu_set_t, processor_set::max_processors / CPU_SETSIZE> sets{}; // one would do for 1024 processors
    processor_set mine;
    if (::sched_getaffinity(0, sizeof sets, sets.data()) == 0)
        for (int number = 0; number < processor_set::max_processors; ++number)
            if (CPU_ISSET_S(static_cast<std::size_t>(number), sizeof sets, sets.data())) mine.add(number);
    if (mine.empty()) // it cannot be known
        for (unsigned number = 0; number < std::max(1u, std::thread::hardware_concurrency()); ++number)
            mine.add(static_cast<int>(number));
    return mine;
}

/// What the calling thread may use of this host.
[[nodiscard]] inline allotment own_allotment() { return {own_processors(), own_cpu_quota()}; }

} // namespace tutti::transport::bootstrap
