// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/run/hosts.hpp"

#include "support/catch.hpp"

#include <string>
#include <vector>

using Catch::Contains;
using tutti::tools::first_slots;
using tutti::tools::parse_hostfile;
using tutti::tools::parse_hosts;
using names = std::vector<std::string>;
using numbers = std::vector<int>;

TEST_CASE("hosts have as many ranks as slots, one where no number is given") {
    const auto p = parse_hosts("a:2,b, user@c:3");
    CHECK(p.hosts == names{"a", "b", "user@c"});
    CHECK(p.host_of == numbers{0, 0, 1, 2, 2, 2});
    CHECK(p.ranks_of(2) == numbers{3, 4, 5});
}

TEST_CASE("a host that is named again has its further slots there") {
    const auto p = parse_hosts("a,b,a,b:2,a");
    CHECK(p.hosts == names{"a", "b"});
    CHECK(p.host_of == numbers{0, 1, 0, 1, 1, 0});
    CHECK(p.ranks_of(0) == numbers{0, 2, 5});
}

TEST_CASE("IPv6 addresses stand in brackets where a number follows") {
    const auto p = parse_hosts("[fd00::1]:4,fd00::2,root@[::1]:2");
    CHECK(p.hosts == names{"fd00::1", "fd00::2", "root@::1"});
    CHECK(p.ranks() == 7);
}

TEST_CASE("what is no list of hosts is refused, and quoted") {
    for (const char* wrong : {"",
                              "a,,b",
                              "a:",
                              "a:0",
                              "a:-1",
                              "a:x",
                              "a:4x",
                              "a:1:2:3x",
                              "[a]:4",
                              "[fd00::1",
                              "[]",
                              "[",
                              "-oProxyCommand=x:1",
                              "u@-x",
                              "@a",
                              "a b",
                              "a;b",
                              "$(a)",
                              "a/b",
                              "[::1]4",
                              "2",
                              "a,3"})
        CHECK_THROWS_AS(parse_hosts(wrong), std::invalid_argument);
    CHECK_THROWS_WITH(parse_hosts("2"), Contains("--pretend-hosts"));
    CHECK_THROWS_WITH(parse_hosts("a:0"), Contains("'a:0'"));
    CHECK_THROWS_WITH(parse_hosts("[fe80::1%eth1]:2"), Contains("'[fe80::1%eth1]:2' means another host on each link"));
    CHECK_THROWS_WITH(parse_hosts("a:4096,b"), Contains("more than 4096"));
}

TEST_CASE("a hostfile may be of Open MPI's dialect or of MPICH's") {
    const auto p = parse_hostfile("# two nodes\n"
                                  "a slots=2 max_slots=8\n"
                                  "\n"
                                  "  b:1   # slow\r\n"
                                  "c\n"
                                  "a slots = 1\n"
                                  "d user=someone\n"
                                  "fd00::1 slots=1",
                                  "hosts");
    CHECK(p.hosts == names{"a", "b", "c", "someone@d", "fd00::1"});
    CHECK(p.host_of == numbers{0, 0, 1, 2, 0, 3, 4});
}

TEST_CASE("a fault in a hostfile is told with its line") {
    CHECK_THROWS_WITH(parse_hostfile("a\nb slots=x\n", "hosts"), Contains("hosts:2: 'slots=x'"));
    CHECK_THROWS_WITH(parse_hostfile("a\nb:2147483647\n", "hosts"),
                      Contains("hosts:2: there are more than 4096 slots"));
    CHECK_THROWS_WITH(parse_hostfile("a:2 slots=2\n", "hosts"),
                      Contains("hosts:1: the number of slots stands there twice"));
    CHECK_THROWS_WITH(parse_hostfile("\na cpu=2\n", "hosts"), Contains("hosts:2: 'cpu=2' is not known"));
    CHECK_THROWS_WITH(parse_hostfile("a user=-x\n", "hosts"), Contains("hosts:1: "));
    CHECK_THROWS_WITH(parse_hostfile("# nothing\n", "hosts"), Contains("hosts names no host"));
}

TEST_CASE("a hostfile of an editor that puts a mark first is read, and one in UTF-16 is told to be so") {
    const std::string mark = "\xEF\xBB\xBF";
    CHECK(parse_hostfile(mark + "a:2\r\nb\r\n", "hosts").hosts == std::vector<std::string>{"a", "b"});
    CHECK(parse_hostfile(mark + "# two\na\n", "hosts").hosts == std::vector<std::string>{"a"});
    CHECK_THROWS_WITH(parse_hostfile(mark, "hosts"), "hosts names no host");
    for (const std::string& wide : {std::string("\xFF\xFE"
                                                "a\0\n\0",
                                                6),
                                    std::string("\xFE\xFF"
                                                "\0a",
                                                4),
                                    std::string("a\0\n\0", 4), std::string("a\nb\0c\n", 6)})
        CHECK_THROWS_WITH(parse_hostfile(wide, "hosts"),
                          "hosts holds bytes that no plain text has, as in UTF-16: save it as UTF-8");
}

TEST_CASE("of the slots the first are taken") {
    const auto p = first_slots(parse_hosts("a:2,b:2,c:2"), 3);
    CHECK(p.hosts == names{"a", "b"});
    CHECK(p.host_of == numbers{0, 0, 1});
    CHECK(first_slots(parse_hosts("a:2"), 0).ranks() == 2);
    CHECK_THROWS_WITH(first_slots(parse_hosts("a:2"), 3), Contains("3 ranks have 2 slots"));
}
