// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"

#include "support/catch.hpp"

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

using Catch::Contains;
using nlohmann::json;
using tools_test::command;

namespace {

/// The events of a trace that a bench with these arguments wrote.
class traced {
public:
    explicit traced(const std::string& arguments, const std::string& before = "") {
        char name[] = "/tmp/tutti-trace-XXXXXX";
        close(mkstemp(name));
        const auto r = command(before + "bench " + arguments + " --trace " + name);
        INFO(r.output);
        CHECK(r.status == 0);
        CHECK_THAT(r.output, Contains("# wrong elements: 0\n"));
        events_ = json::parse(std::ifstream{name}).at("traceEvents");
        std::remove(name);
    }
    /// The slices of the ranks, or those that name the rows.
    [[nodiscard]] std::vector<json> slices(bool of_rows = false) const {
        std::vector<json> found;
        for (const json& e : events_)
            if (e.at("ph") == "X" && e.contains("args") != of_rows) found.push_back(e);
        return found;
    }
    [[nodiscard]] std::size_t count(const char* phase) const {
        std::size_t number = 0;
        for (const json& e : events_) number += e.at("ph") == phase ? 1 : 0;
        return number;
    }

private:
    json events_;
};

double begin_of(const json& slice) { return slice.at("ts").get<double>(); }
double end_of(const json& slice) { return begin_of(slice) + slice.at("dur").get<double>(); }

/// By sender and receiver, in the order of their begins: the ends of messages.
struct messages {
    std::vector<json> sends, receives;
};

std::map<std::pair<int, int>, messages> messages_of(std::vector<json> slices) {
    std::ranges::stable_sort(slices, {}, begin_of);
    std::map<std::pair<int, int>, messages> all;
    for (const json& s : slices) {
        if (!s.at("args").contains("peer")) continue;
        const int rank = s.at("pid"), peer = s.at("args").at("peer");
        const bool sends = s.at("name").get<std::string>().starts_with("send");
        (sends ? all[{rank, peer}].sends : all[{peer, rank}].receives).push_back(s);
    }
    return all;
}

/// That each message has both of its ends, of one length, the receive's end not before the send's begin, and an arrow.
void check_matched(const traced& trace, std::size_t expected) {
    std::size_t number = 0;
    for (const auto& [ends, m] : messages_of(trace.slices())) {
        REQUIRE(m.sends.size() == m.receives.size());
        for (std::size_t k = 0; k < m.sends.size(); ++k) {
            CHECK(m.sends[k].at("args").at("bytes") == m.receives[k].at("args").at("bytes"));
            CHECK(begin_of(m.sends[k]) <= end_of(m.receives[k]));
        }
        number += m.sends.size();
    }
    CHECK(number == expected);
    CHECK(trace.count("s") == expected);
    CHECK(trace.count("f") == expected);
}

} // namespace

TEST_CASE("a trace has every message of one call of each row, and the rows one after the other") {
    for (const char* transport : {"memory", "shared_memory", "tcp"}) {
        INFO(transport);
        const traced trace(std::string("--ranks 3 --algorithm ring -b 1K -e 2K -n 2 --transport ") + transport);
        check_matched(trace, 4 * 3 * 4); // two sizes, two places; each rank of a ring sends 2(P - 1)
        const auto rows = trace.slices(true);
        REQUIRE(rows.size() == 4);
        CHECK(rows[0].at("name") == "allreduce ring 1024 bytes out of place");
        CHECK(rows[3].at("name") == "allreduce ring 2048 bytes in place");
        for (std::size_t k = 1; k < rows.size(); ++k) CHECK(end_of(rows[k - 1]) < begin_of(rows[k]));
        for (const json& s : trace.slices()) CHECK(0 <= begin_of(s));
        for (const json& s : trace.slices()) CHECK(end_of(s) <= end_of(rows[3]) + 1e-3);
    }
}

TEST_CASE("what the library chose is named, and ranks of a launcher are traced like others") {
    const traced trace("--operation broadcast -b 8 -e 8",
                       "run -n 4 " + std::string(std::getenv("TUTTI_COMMAND")) + " ");
    check_matched(trace, 3);
    REQUIRE(trace.slices(true).size() == 1);
    CHECK(trace.slices(true)[0].at("name") == "broadcast auto 8 bytes in place (binomial_tree)");
}

TEST_CASE("long schedules are traced in whole, and a rank alone leaves an empty trace") {
    const traced trace("--transport memory --ranks 20 --algorithm ring -b 80 -e 80 -n 1 -w 0 --place in");
    check_matched(trace, 20 * 38);
    CHECK(traced("--transport memory --ranks 1 -b 8 -e 8 --place in").slices(true).empty());
}

TEST_CASE("a trace that cannot be written is a failure") {
    for (const char* transport : {"memory", "tcp"}) {
        const auto r =
            command(std::string("bench --ranks 2 -b 1K -e 1K -n 1 --trace /dev/full --transport ") + transport);
        CHECK(r.status == 1);
        CHECK_THAT(r.output, Contains("cannot write /dev/full: No space left on device"));
    }
    const auto r = command("bench --transport memory --ranks 1 -b 1K -e 1K --trace /tmp/no/such/folder");
    CHECK(r.status == 1);
    CHECK_THAT(r.output, Contains("cannot write /tmp/no/such/folder: No such file or directory"));
}
