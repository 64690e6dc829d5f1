// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/join/own_allotment.hpp>

#include "support/bound.hpp"
#include "support/catch.hpp"

#include <filesystem>

#include <unistd.h>

using namespace tutti::transport::bootstrap;
namespace fs = std::filesystem;

namespace {

/// A folder with a /proc and a /sys as a kernel might show them.
class system_root {
public:
    system_root() {
        std::string name = "/tmp/tutti-cgroups-XXXXXX";
        path = ::mkdtemp(name.data());
    }
    system_root(const system_root&) = delete;
    ~system_root() { fs::remove_all(path); }

    void write(const std::string& file, const std::string& text) const {
        fs::create_directories(fs::path(path + file).parent_path());
        std::ofstream(path + file) << text;
    }
    void cgroups(const std::string& text) const { write("/proc/self/cgroup", text); }
    [[nodiscard]] std::uint32_t thousandths() const { return own_cpu_quota(path).thousandths; }

    std::string path;
};

} // namespace

TEST_CASE("a thread's processors are those that it is bound to", "[processors]") {
    for (const int number : own_processors().numbers()) {
        const tutti::test::bound here(number);
        CHECK(own_processors() == processor_set{number});
    }
}

TEST_CASE("the tightest quota between a cgroup of version 2 and the root counts", "[processors]") {
    const system_root root;
    root.cgroups("0::/job/step/task\n");
    root.write("/sys/fs/cgroup/job/cpu.max", "400000 100000\n");
    root.write("/sys/fs/cgroup/job/step/cpu.max", "150000 100000\n");
    root.write("/sys/fs/cgroup/job/step/task/cpu.max", "max 100000\n");
    CHECK(root.thousandths() == 1500);
    struct stat at {};
    REQUIRE(::stat((root.path + "/sys/fs/cgroup/job/step").c_str(), &at) == 0);
    CHECK(own_cpu_quota(root.path) == cpu_quota{1500, at.st_dev, at.st_ino});
}

TEST_CASE("in a container the cgroup is the root that is seen", "[processors]") {
    const system_root root;
    root.write("/sys/fs/cgroup/cpu.max", "250000 100000\n");
    root.cgroups("0::/\n");
    CHECK(root.thousandths() == 2500);
    root.cgroups("0::/docker/0123456789ab\n"); // a path of the host's, which is not there
    CHECK(root.thousandths() == 2500);
    root.cgroups("0::/../sibling\n");
    CHECK(root.thousandths() == 2500);
}

TEST_CASE("cgroups of version 1 limit by the hierarchy of the controller cpu", "[processors]") {
    const char* const folder = GENERATE("cpu", "cpu,cpuacct");
    const system_root root;
    root.cgroups("5:memory:/other\n4:" + std::string(folder) + ":/job\n1:cpuset:/job\n0::/\n");
    root.write("/sys/fs/cgroup/" + std::string(folder) + "/job/cpu.cfs_quota_us", "50000\n");
    root.write("/sys/fs/cgroup/" + std::string(folder) + "/job/cpu.cfs_period_us", "25000\n");
    root.write("/sys/fs/cgroup/" + std::string(folder) + "/cpu.cfs_quota_us", "-1\n");
    root.write("/sys/fs/cgroup/" + std::string(folder) + "/cpu.cfs_period_us", "100000\n");
    CHECK(root.thousandths() == 2000);
}

TEST_CASE("what cannot be read is no limit", "[processors]") {
    const system_root root;
    CHECK(root.thousandths() == 0);
    for (const char* text : {"", "\n", ":", "::", "0:", "4:cpu", "no line of a cgroup\n", "0::\n", "0::job\n"}) {
        root.cgroups(text);
        CHECK(root.thousandths() == 0);
    }
    root.cgroups("0::/job\n");
    for (const char* text : {"", "max", "max 100000", "0 0", "150000", "150000 0", "-5 100000", "150000 -1", "x y"}) {
        root.write("/sys/fs/cgroup/job/cpu.max", text);
        CHECK(root.thousandths() == 0);
    }
}

TEST_CASE("a quota beyond all bounds is a large one", "[processors]") {
    const system_root root;
    root.cgroups("0::/\n");
    root.write("/sys/fs/cgroup/cpu.max", "1e300 1");
    CHECK(root.thousandths() == 0xffffffff);
    root.write("/sys/fs/cgroup/cpu.max", "1 100000000");
    CHECK(root.thousandths() == 1);
}
