// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/machine_file.hpp>

#include "support/catch.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <unistd.h>

using Catch::Contains;
using tutti::model::machine;
using tutti::model::machine_file;
using tutti::model::parse_machine_file;

namespace {

/// Figures whose last bits matter.
machine odd_machine(std::mt19937_64& bits) {
    std::uniform_real_distribution<double> any(0, 1e-5);
    const auto cost = [&] {
        return tutti::model::loggp{any(bits), any(bits), any(bits), any(bits), any(bits), any(bits), any(bits)};
    };
    machine m;
    m.near.count = 3;
    m.near.ranges[0] = {{'s', 'l', 'o', 't'}, 4096, cost()};
    m.near.ranges[1] = {{'1', '2', '3', '4', '5', '6', '7', '8', '9', '0', '1', '2', '3', '4', '5'}, 65536, cost()};
    m.near.ranges[2].cost = cost();
    m.far = cost();
    m.fan_in = {7, any(bits)};
    m.cores = 2;
    m.switch_s = any(bits);
    m.crowded_latency_s = any(bits);
    m.call_s = any(bits);
    m.cache_bytes = 1e7 + any(bits);
    m.miss_s_per_byte = any(bits);
    m.nics = 1;
    m.oversubscription = 1 + any(bits);
    return m;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    REQUIRE(at != text.npos);
    return text.replace(at, what.size(), by);
}

} // namespace

TEST_CASE("a machine comes back from its file to the last bit") {
    std::mt19937_64 bits(7);
    for (int k = 0; k < 200; ++k) {
        const machine_file f{"by \"hand\"\n", {{"tcp", odd_machine(bits)}, {"shared_memory", odd_machine(bits)}}};
        CHECK(parse_machine_file(text_of(f)) == f);
    }
}

TEST_CASE("a machine file is written and read") {
    std::mt19937_64 bits(8);
    const machine_file f{"", {{"tcp", odd_machine(bits)}}};
    const std::string path = "/tmp/tutti-machine-" + std::to_string(getpid()) + ".json";
    write_machine_file(path, f);
    CHECK(tutti::model::read_machine_file(path) == f);
    std::ifstream reader(path); // who has the file open reads all that it held, not the beginning of the next one
    const machine_file after{"then", {{"tcp", odd_machine(bits)}}};
    write_machine_file(path, after);
    CHECK(std::string{std::istreambuf_iterator<char>(reader), {}} == text_of(f));
    CHECK(tutti::model::read_machine_file(path) == after);
    std::remove(path.c_str());
    CHECK_THROWS_WITH(tutti::model::read_machine_file(path), Contains(path + " cannot be read"));
    CHECK_THROWS_WITH(write_machine_file("/nowhere/at/all", f), Contains("/nowhere/at/all cannot be written"));
}

TEST_CASE("times of a machine are below thirty years, and its caches below an exabyte") {
    std::mt19937_64 bits(10);
    machine m = odd_machine(bits);
    m.call_s = 999999999;
    m.cache_bytes = 1e17;
    CHECK_NOTHROW(parse_machine_file(text_of(machine_file{"", {{"tcp", m}}})));
    m.call_s = 1e9;
    CHECK_THROWS_WITH(parse_machine_file(text_of(machine_file{"", {{"tcp", m}}})),
                      Contains("\"call_s\" no number from 0 to below 1000000000.0"));
    m.call_s = 0;
    m.cache_bytes = 1e18;
    CHECK_THROWS_WITH(parse_machine_file(text_of(machine_file{"", {{"tcp", m}}})), Contains("\"cache_bytes\" no"));
}

TEST_CASE("what is no UTF-8 is written as a replacement character, and what the file held is not lost on the way") {
    std::mt19937_64 bits(11);
    const machine_file f{"by \xff", {{"tcp", odd_machine(bits)}}};
    const std::string path = "/tmp/tutti-machine-utf8-" + std::to_string(getpid()) + ".json";
    write_machine_file(path, f);
    const machine_file back = tutti::model::read_machine_file(path);
    std::remove(path.c_str());
    CHECK(back.made == "by \xEF\xBF\xBD");
    CHECK(back.transports == f.transports);
}

TEST_CASE("a machine file that lacks a key, has one too many or a value of no meaning is refused, and told where") {
    std::mt19937_64 bits(9);
    const std::string good = text_of(machine_file{"", {{"tcp", odd_machine(bits)}}});
    const auto refused = [&](const std::string& what, const std::string& by, const std::string& why) {
        CHECK_THROWS_WITH(parse_machine_file(replaced(good, what, by), "it"), Contains(why));
    };
    refused("\"cores_per_node\"", "\"cores\"", "it, tcp lacks \"cores_per_node\"");
    refused("\"cores_per_node\"", "\"more\": 1, \"cores_per_node\"", "it, tcp has \"more\", which nobody knows");
    refused("\"gap_s\"", "\"gap_us\"", "it, tcp, near, segment 1 lacks \"gap_s\"");
    refused("\"cores_per_node\": 2", "\"cores_per_node\": -2", "\"cores_per_node\" no whole number from 0");
    refused("\"cores_per_node\": 2", "\"cores_per_node\": \"2\"", "\"cores_per_node\" no whole number from 0");
    refused("\"oversubscription\": 1.", "\"oversubscription\": 0.", "\"oversubscription\" no number from 1");
    refused("\"latency_s\": ", "\"latency_s\": -1", "\"latency_s\" no number from -overhead_s");
    refused("\"overhead_s\": ", "\"overhead_s\": -", "\"overhead_s\" no number from 0");
    refused("65536", "4096", "it, tcp, near, segment 2 ends before it begins");
    refused("\"most_bytes\": null", "\"most_bytes\": 9", "its \"most_bytes\" must be null");
    refused("\"most_bytes\": 4096", "\"most_bytes\": null", "segment 1 has in \"most_bytes\" no whole number");
    refused("\"slot\"", "\"1234567890123456\"", "a name of more than 15 bytes");
    refused("\"tutti_machine\": 1", "\"tutti_machine\": 2", "another version");
    refused("\"tutti_machine\"", "\"machine\"", "describes no machine");
    refused("\"segments\": [", "\"segments\": [{}, {}, ", "\"segments\" no list of 1 to 4");
    refused("{", "[", "it is no JSON: parse error at line 2");
    refused("\"cores_per_node\": 2", "\"cores_per_node\": 1000001", "no whole number from 0 to 1000000");
    refused("\"nics_per_node\": 1", "\"nics_per_node\": 1000001", "no whole number from 0 to 1000000");
    refused("\"call_s\": ", "\"call_s\": 1000000000, \"x\": ", "it, tcp has \"x\"");
    refused("\"call_s\": ", "\"call_s\": 0, \"call_s\": ", "it has \"call_s\" twice in one object");
    refused("\"transports\": {", "\"transports\": {\"tcp\": {}, ", "it has \"tcp\" twice in one object");
    refused("\"switch_s\": ", "\"switch_s\": 1e999, \"x\": ", "it has a number out of range: number overflow");
    CHECK_THROWS_WITH(parse_machine_file(R"({"tutti_machine": 1, "made": "", "transports": {}})"), Contains("has no"));
}

TEST_CASE("a machine file that is nested without end is refused") {
    const auto nested = [](std::size_t depth) {
        return R"({"tutti_machine": 1, "made": "", "transports": {"tcp": )" + std::string(depth, '[') +
               std::string(depth, ']') + "}}";
    };
    CHECK_THROWS_WITH(parse_machine_file(nested(1'000'000), "it"), Contains("it is nested deeper than any machine"));
    CHECK_THROWS_WITH(parse_machine_file(nested(8), "it"), Contains("it, tcp is no object"));
}

TEST_CASE("a segment's name that has a zero byte, behind which it would be lost, is refused") {
    std::mt19937_64 bits(12);
    const std::string good = text_of(machine_file{"", {{"tcp", odd_machine(bits)}}});
    CHECK_THROWS_WITH(parse_machine_file(replaced(good, "\"slot\"", "\"s\\u0000t\""), "it"),
                      Contains("segment 1 has a name with a zero byte"));
}

TEST_CASE("GPUs come back from a machine file, beside transports or alone") {
    std::mt19937_64 bits(13);
    std::uniform_real_distribution<double> any(0, 1e-5);
    const auto signals = [&] { return tutti::model::gpu_signals{any(bits), any(bits), any(bits)}; };
    for (int k = 0; k < 50; ++k) {
        tutti::model::gpu_host g{1, any(bits), any(bits), signals(), {}};
        const machine_file one{"by hand", {{"tcp", odd_machine(bits)}}, g};
        CHECK(parse_machine_file(text_of(one)) == one);
        g.devices = 8;
        g.links = {signals(), any(bits), 4, any(bits)};
        const machine_file alone{"by hand", {}, g};
        CHECK(parse_machine_file(text_of(alone)) == alone);
    }
}

TEST_CASE("GPUs that lack a key, or have one too many or a value of no meaning, are refused") {
    const machine_file f{"", {}, tutti::model::gpu_host{2, 1e-6, 1e-12, {}, {{}, 1e-11, 0, 0}}};
    const std::string good = text_of(f);
    const auto refused = [&](const std::string& what, const std::string& by, const std::string& why) {
        CHECK_THROWS_WITH(parse_machine_file(replaced(good, what, by), "it"), Contains(why));
    };
    refused("\"launch_s\"", "\"launch_us\"", "it, gpus lacks \"launch_s\"");
    refused("\"launch_s\"", "\"more\": 1, \"launch_s\"", "it, gpus has \"more\", which nobody knows");
    refused("\"devices\": 2", "\"devices\": 0", "it, gpus has no GPU in \"devices\"");
    refused("\"devices\": 2", "\"devices\": 1", "it, gpus has one GPU, and \"links\"");
    refused("\"links\": {", "\"links\": null, \"x\": {", "it, gpus has \"x\", which nobody knows");
    refused("\"signal_s\": 0", "\"signal_s\": -1", "it, gpus, within has in \"signal_s\" no number from 0");
    refused("\"uplink_s_per_byte\"", "\"uplink\"", "it, gpus, links lacks \"uplink_s_per_byte\"");
    refused("\"made\": \"\",", "\"made\": \"\", \"transports\": {},", "it has no \"transports\"");
}
