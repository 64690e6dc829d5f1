// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/plan/search.hpp"

#include "../../tools/lab/plan/published.hpp"
#include "../tools/command.hpp"
#include "../tools/folder.hpp"

#include <collectives/model/candidates.hpp>
#include <collectives/model/price.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

// Names of the planner are found before those that other tests use.
namespace tutti::tools::planner {
namespace {

using Catch::Contains;
using tools_test::command;
using tools_test::folder;
using tools_test::occurrences;
using plan_json = nlohmann::ordered_json;

const std::string plan_documents = TUTTI_MACHINES;

network small_gpt() { return gpt({6, 1024, 16, 8192, 512}, "small"); }

cluster small_cluster(double memory_bytes) {
    cluster c = cluster_of("cloud-25g");
    c.nodes = 2;
    c.gpus_per_node = 4;
    c.gpu.memory_bytes = memory_bytes;
    return c;
}

} // namespace

TEST_CASE("a GPT has the parameters and the FLOP that papers count") {
    const network n = gpt3_175b();
    CHECK(n.parameters() == Approx(174.6e9).epsilon(1e-3));
    const double s = 2048, l = 96, h = 12288, v = 51200;
    CHECK(sample_flop(n, true) == Approx(96 * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h))).epsilon(1e-9));
    // Brown et al. 2020, table D.1, counts six a parameter and token; attention scores come on top.
    const double scores = 12 * s * s * h * l;
    CHECK((sample_flop(n, false) - scores) / s * 300e9 == Approx(3.14e23).epsilon(0.005));
    CHECK(resnet50().parameters() == 25'557'032);
    CHECK(resnet50().matrix_flop() == Approx(2 * 4.09e9).epsilon(0.001));
}

TEST_CASE("a collective has the least price of the library's algorithms, and groups of a node share its adapters") {
    const cluster on = cluster_of("dgx-a100");
    group_prices prices(on);
    const auto found = prices.of(schedule::operation::allreduce, 1 << 20, {8, 8});
    REQUIRE(found.by);
    const model::topology node{8, 8, transport::medium::memory, transport::medium::network};
    for (const model::selection& s : model::candidates(schedule::operation::allreduce, node))
        CHECK(found.seconds <=
              (1 + 1e-6) * model::price_s({schedule::operation::allreduce, s.how, 8, 1 << 20, 0, s.segments, true},
                                          node, on.links));
    CHECK(prices.of(schedule::operation::allreduce, 1 << 20, {1, 1}).seconds == 0);
    group_prices cloud(cluster_of("cloud-25g"));
    const auto all_of_a_node = cloud.of(schedule::operation::allreduce, 1 << 26, {8, 4});
    const auto one_of_four = cloud.of(schedule::operation::allreduce, 1 << 26, {2, 1});
    CHECK(one_of_four.seconds > 3 * all_of_a_node.seconds); // eight groups send at once by one adapter, not two
}

TEST_CASE("the search finds what trying all layouts finds, and nothing that does not fit") {
    const network n = small_gpt();
    for (const double memory : {16e9, 1e9, 0.45e9, 0.02e9}) {
        const question q{n, small_cluster(memory), 16, {}};
        const searched s = search(q);
        for (const plan& p : s.plans) CHECK(p.memory.total() <= 0.9 * memory);
        group_prices prices(q.on);
        double least = std::numeric_limits<double>::infinity();
        std::size_t count = 0;
        for (const int tensor : {1, 2, 4, 8})
            for (const int pipeline : {1, 2, 4, 8}) {
                if (tensor * pipeline > 8) continue;
                for (const layout& how : layouts_of(tensor, pipeline, 8 / tensor / pipeline, q)) {
                    ++count;
                    if (const auto p = plan_of(how, q, prices, std::numeric_limits<double>::infinity()))
                        least = std::min(least, p->step_s());
                }
            }
        INFO(memory);
        CHECK(s.layouts == count);
        CHECK(s.plans.empty() == std::isinf(least));
        if (!s.plans.empty()) CHECK(s.plans.front().step_s() == least);
    }
}

TEST_CASE("the step is the sum of its parts, and microbatches, bubble and sharding show in them") {
    const network n = small_gpt();
    const question q{n, small_cluster(16e9), 32, {}};
    group_prices prices(q.on);
    const auto step = [&](const layout& how) {
        REQUIRE(is_possible(how, q));
        const auto p = plan_of(how, q, prices, std::numeric_limits<double>::infinity());
        REQUIRE(p);
        return *p;
    };
    const plan few = step({4, 1, 2, 0, 4, 1, recompute::nothing}), many = step({4, 1, 2, 0, 1, 1, recompute::nothing});
    CHECK(few.time[part::bubble] > many.time[part::bubble]);
    CHECK(few.memory.activations > many.memory.activations);
    CHECK(step({8, 1, 1, 0, 4, 1, recompute::nothing}).time[part::bubble] == 0);
    CHECK(step({8, 1, 1, 3, 4, 1, recompute::nothing}).time[part::weights] > 0);
    // Gathering weights takes network time of the backward pass, which then hides less of the gradients.
    CHECK(step({8, 1, 1, 3, 4, 1, recompute::nothing}).time[part::gradients] >
          step({8, 1, 1, 2, 4, 1, recompute::nothing}).time[part::gradients]);
    CHECK(step({8, 1, 1, 0, 4, 1, recompute::all}).time[part::again] > 0);
    CHECK(step({1, 8, 1, 0, 32, 1, recompute::nothing}).time[part::gradients] == 0);
    CHECK(!is_possible({8, 1, 1, 0, 3, 1, recompute::nothing}, q));  // 32 samples are no such microbatches
    CHECK(!is_possible({16, 1, 1, 0, 1, 1, recompute::nothing}, q)); // more than there are GPUs
    CHECK(!is_possible({4, 1, 2, 0, 8, 2, recompute::nothing}, q));  // interleaved, and fewer microbatches than stages
}

TEST_CASE("predictions for published runs stay as near as the document says, and its findings are what is printed") {
    const cluster nodes = cluster_of("dgx-a100");
    for (const published_run& r : megatron_table_1()) {
        const auto p = predicted(r, nodes);
        REQUIRE(p);
        const double flop = sample_flop(gpt(r.shape, ""), true) * r.batch / r.gpus / p->step_s();
        INFO(r.parameters);
        CHECK(std::abs(flop / 1e12 / r.teraflop_per_s - 1) < 0.12);
    }
    const auto printed = command("plan --published");
    REQUIRE(printed.status == 0);
    std::ostringstream fitted;
    fitted << "10^9 parameters: " << nodes.gpu.matrix_efficiency << ".\n";
    CHECK_THAT(printed.output, Contains(fitted.str()));
    std::ifstream in(plan_documents + "/../planner.md", std::ios::binary);
    const std::string document{std::istreambuf_iterator<char>(in), {}};
    std::istringstream lines(printed.output);
    std::size_t told = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("Matrix products") && !line.starts_with("Error in") && !line.starts_with("Published:"))
            continue;
        INFO(line);
        CHECK(occurrences(document, line) == 1);
        ++told;
    }
    CHECK(told == 10); // what is fitted, the errors of four tables, the verdicts on five figures
    CHECK(occurrences(printed.output, "Predicted: otherwise") == 0);
}

TEST_CASE("tutti plan prints the best layouts, and writes them as JSON and as a page") {
    const folder here;
    const std::string what = "--model gpt:24,1024,16,51200,1024 --cluster dgx-a100 --nodes 2 --batch 256 ";
    const auto r =
        command("plan " + what + "--best 3 --json " + here.path("p.json") + " --html " + here.path("p.html"));
    INFO(r.output);
    REQUIRE(r.status == 0);
    CHECK_THAT(r.output, Contains("on 16 GPUs of dgx-a100") && Contains("\n1. data ") && Contains("\n3. data ") &&
                             Contains("   why     ") && Contains(" slower: ") && !Contains("\n4. data "));
    const plan_json all = plan_json::parse(here.read("p.json"));
    REQUIRE(all["plans"].size() == 3);
    double before = 0;
    for (const plan_json& p : all["plans"]) {
        double sum = 0;
        for (const auto& [name, seconds] : p["time"].items()) sum += seconds.get<double>();
        CHECK(p["step_s"].get<double>() == Approx(sum));
        CHECK(p["step_s"] >= before);
        CHECK(p["data"].get<int>() * p["tensor"].get<int>() * p["stages"].get<int>() == 16);
        CHECK(p["memory_bytes"].get<double>() < 80e9);
        before = p["step_s"];
    }
    const std::string page = here.read("p.html");
    CHECK(occurrences(page, "<svg") == 1);
    CHECK(occurrences(page, "<script") == 0);
    CHECK_THAT(page, Contains("the best") && Contains("Why the others are slower"));
}

TEST_CASE("networks and clusters come from files, which are checked, and shown as text") {
    const folder here;
    const std::string layer = R"({"name": "one", "count": 4, "parameters": 1e6, "flop": 1e9, "moved_bytes": 0,
        "shared_moved_bytes": 1e5, "kept_bytes": 0, "shared_kept_bytes": 1e5, "output_bytes": 1e4,
        "tensor_allreduces": 1})";
    const auto text = [&](const std::string& l) {
        return R"({"tutti_network": 1, "name": "<b>", "source": "a test", "tensor_divides": 8, "layers": [)" + l + "]}";
    };
    const std::string file = here.write("n.json", text(layer)), cloud = plan_documents + "/../clusters/cloud_25g.json";
    const auto r = command("plan --batch 64 --model " + file + " --cluster " + cloud + " --html -");
    INFO(r.output);
    REQUIRE(r.status == 0);
    CHECK_THAT(r.output, Contains("&lt;b&gt; (0.004 x 10^9 parameters) on 64 GPUs of cloud-25g") && !Contains("<b>"));
    const auto refused = [&](const std::string& l, const std::string& why) {
        const auto bad = command("plan --cluster dgx-a100 --model " + here.write("bad.json", text(l)));
        CHECK(bad.status == 1);
        CHECK_THAT(bad.output, Contains(why));
    };
    refused("", "has no \"layers\"");
    refused(R"({"name": "one"})", "layer 1 lacks \"count\"");
    refused("3", "layer 1 is no object");
    refused("{", "is no JSON");
    CHECK_THROWS_AS(parse_cluster("{}", "here"), tutti::error);
}

TEST_CASE("tutti plan refuses what it cannot plan, and says where nothing fits") {
    CHECK(command("plan").status == 2);
    CHECK(command("plan --model resnet50").status == 2);
    CHECK(command("plan --model gpt:1,2,3 --cluster dgx-a100").status == 2);
    CHECK(command("plan --model resnet50 --cluster dgx-a100 --batch 0").status == 2);
    const auto unknown = command("plan --model resnet50 --cluster nowhere");
    CHECK(unknown.status == 1);
    CHECK_THAT(unknown.output, Contains("nowhere cannot be read") && Contains("dgx-a100, dgx-h100, cloud-25g"));
    cluster wide = cluster_of("dgx-a100");
    wide.gpus_per_node = 1000;
    CHECK(with_nodes(wide, 1000).gpus() == most_gpus);
    CHECK_THROWS_WITH(with_nodes(wide, 1001), Contains("more than 1000000 GPUs"));
    const auto large = command("plan --model gpt3-175b --cluster cloud-25g --nodes 1 --batch 8");
    CHECK(large.status == 1);
    CHECK_THAT(large.output, Contains("Nothing fits: a GPU would need ") && Contains(" at least, and "));
    const auto odd = command("plan --model gpt:2,64,1,100,16 --cluster dgx-h100 --nodes 1 --batch 1");
    CHECK(odd.status == 1);
    CHECK_THAT(odd.output, Contains("No layout of 8 GPUs can be. Replicas divide the batch of 1"));
    CHECK_THAT(command("plan --model gpt:2,64,3,100,16 --cluster dgx-h100").output,
               Contains("heads divide the hidden"));
}

} // namespace tutti::tools::planner
