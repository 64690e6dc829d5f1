// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"
#include "folder.hpp"

#include "support/catch.hpp"

#include <string>

#include <nlohmann/json.hpp>

using Catch::Contains;
using tools_test::command;
using tools_test::folder;

namespace {

using gpu_rows = nlohmann::ordered_json;

/// Four GPUs whose links cost a nanosecond a byte, two of them on each switch, and whose memories cost nothing.
std::string gpus_text(const std::string& latency_s, const std::string& signal_s) {
    const std::string signals = R"({"latency_s": )" + latency_s + R"(, "meeting_s": 0, "signal_s": )" + signal_s + "}";
    return R"({"tutti_machine": 1, "made": "for a test", "gpus": {"devices": 4, "launch_s": 1e-6,
      "memory_s_per_byte": 1e-12, "within": )" +
           signals + R"(, "links": {"signals": )" + signals + R"(,
      "s_per_byte": 1e-9, "devices_per_switch": 2, "uplink_s_per_byte": 1e-9}}})";
}

gpu_rows priced(const folder& here, const std::string& machine, const std::string& arguments) {
    const auto r = command("model --machine " + here.write("gpus.json", machine) + " --json " + here.path("rows.json") +
                           " " + arguments);
    INFO(r.output);
    REQUIRE(r.status == 0);
    return gpu_rows::parse(here.read("rows.json"));
}

double us_of(const gpu_rows& rows, const std::string& algorithm) {
    for (const auto& r : rows)
        if (r["algorithm"] == algorithm) return r[r["simulated_us"].is_null() ? "closed_form_us" : "simulated_us"];
    FAIL("there is no " + algorithm);
    return 0;
}

} // namespace

TEST_CASE("on GPUs a ring takes its steps, and its bytes one after the other") {
    const folder here;
    // Six messages of a megabyte each, at a nanosecond a byte.
    CHECK(us_of(priced(here, gpus_text("0", "0"), "--algorithm ring --bytes 4000000"), "ring") == Approx(1 + 6000));
    // Of each message a rank pays the post and the acknowledgement, its way and a load; the last one's way back.
    const double us = us_of(priced(here, gpus_text("1e-5", "1e-4"), "--algorithm ring --bytes 16"), "ring");
    CHECK(us == Approx(1 + 6 * (2 * 100 + 3 * 10) + 10).margin(0.2));
}

TEST_CASE("on GPUs that share uplinks large vectors go round a ring, and small ones by kernels") {
    const folder here;
    const auto rows = priced(here, gpus_text("1e-6", "1e-6"), "--bytes 4K,4000000");
    CHECK(us_of(rows, "packets_kernel") == Approx(1 + 1 + 2 * 4 * 4.096));
    const auto large = priced(here, gpus_text("1e-6", "1e-6"), "--bytes 4000000");
    CHECK(us_of(large, "two_shots_kernel") == Approx(1 + 2 + 4 + 8000));
    CHECK(us_of(large, "one_shot_kernel") == Approx(1 + 2 + 2 + 16000));
    CHECK(us_of(large, "ring") < us_of(large, "two_shots_kernel"));
    const auto told = command("model --machine " + here.path("gpus.json") +
                              " --bytes 64..16M*64 --algorithm packets_kernel,one_shot_kernel,two_shots_kernel,ring");
    CHECK(told.status == 0);
    CHECK_THAT(told.output, Contains("fastest allreduce, 4 ranks: packets_kernel; from ") && Contains(" on ring\n") &&
                                Contains("An uplink of 2 GPUs, each way: 1 GB/s"));
}

TEST_CASE("every schedule has a price on GPUs, and none beats what must be received") {
    const folder here;
    for (const char* where : {"", " --one-gpu"})
        for (const auto& r :
             priced(here, gpus_text("1e-7", "1e-7"),
                    "--operation allreduce,broadcast,reduce_scatter,alltoall --ranks 2..4 --bytes 48000" +
                        std::string(where))) {
            if (r["algorithm"].get<std::string>().starts_with("hierarchical")) continue; // no alltoall
            const double us = r[r["simulated_us"].is_null() ? "closed_form_us" : "simulated_us"];
            CAPTURE(r.dump());
            const double link_us = *where ? 0 : r["bytes_received_max"].get<double>() * 1e-3;
            CHECK(us >= 1 + link_us * (1 - 1e-9));
        }
}

TEST_CASE("ranks share the GPU of a host that has one") {
    const std::string model = "model --machine " TUTTI_MACHINES "/h100_shared.json --ranks 8 --bytes 1K,1M";
    const auto r = command(model);
    CHECK(r.status == 0);
    CHECK_THAT(r.output, Contains("h100_shared.json, all ranks on one GPU") && Contains("packets_kernel"));
    CHECK(r.output == command(model + " --one-gpu").output);
}

TEST_CASE("what has no meaning on GPUs is refused") {
    const folder here;
    const std::string file = here.write("gpus.json", gpus_text("0", "0"));
    const auto refused = [&](const std::string& arguments, const std::string& why) {
        const auto r = command(arguments);
        CHECK(r.status == 2);
        CHECK_THAT(r.output, Contains(why));
    };
    const std::string model = "model --machine " + file + " ";
    refused(model + "--ranks 5", "5 ranks are more than 4: the file has no more GPUs; --one-gpu puts all on one");
    refused(model + "--ranks 9 --one-gpu", "9 ranks are more than 8: kernels of several ranks are for 8 at most");
    refused(model + "--operation broadcast --algorithm packets_kernel", "these kernels are for allreduce alone");
    refused(model + "--straggling 1 --simulate", "are not for the GPUs of a host");
    refused("model --one-gpu", "--one-gpu is for GPUs: give a --machine that has some");
    refused("rule --machine " + file, "has the GPUs of a host and no transport");
    refused("explain --machine " + file, "has the GPUs of a host and no transport: only tutti model prices those");
}

TEST_CASE("the page of GPUs has one kind of times, and their machine") {
    const folder here;
    const auto r =
        command("model --machine " TUTTI_MACHINES "/pcie_switches.json --bytes 1K,1M --html " + here.path("page.html"));
    if (r.output.find("without Chart.js") != r.output.npos) return;
    REQUIRE(r.status == 0);
    const std::string page = here.read("page.html");
    CHECK_THAT(page, Contains("two_shots_kernel") && Contains("not measured by this project") &&
                         Contains("A link, each way"));
}
