// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/residuals.hpp>

#include <collectives/model/decisions.hpp>
#include <collectives/model/machine_file.hpp>
#include <collectives/model/price.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace tutti::algorithm;
using tutti::model::calibrated_machine;
using tutti::model::collective;
using tutti::model::residuals;
using tutti::model::topology;
using tutti::schedule::operation;

namespace {

const std::vector<int> two_and_eight{2, 8};
const std::vector<std::size_t> three_sizes{16, 256, 4096};

collective allreduce_by(const any& how, int size, std::size_t bytes) {
    return {operation::allreduce, how, size, bytes, 0, 1, true};
}

/// Of ring: 2 at all sizes with 2 ranks; with 8 ranks 2, unknown and 8.
residuals of_ring() {
    residuals r(two_and_eight, three_sizes);
    for (std::size_t s = 0; s < 3; ++s) r.set(operation::allreduce, ring{}, 0, s, 2);
    r.set(operation::allreduce, ring{}, 1, 0, 2);
    r.set(operation::allreduce, ring{}, 1, 2, 8);
    return r;
}

calibrated_machine calibrated(const residuals& r) { return {tutti::model::uniform({1e-6, 1e-6, 0, 1e-9, 1e-10}), r}; }

const auto close_to = [](double value) { return Approx(value).epsilon(1e-6); };

} // namespace

TEST_CASE("residuals are as given where they are known, and 1 where nothing is") {
    const residuals r = of_ring();
    CHECK(r.factor(allreduce_by(ring{}, 2, 16)) == close_to(2));
    CHECK(r.factor(allreduce_by(ring{}, 8, 4096)) == close_to(8));
    CHECK(r.factor(allreduce_by(naive{}, 8, 4096)) == 1);
    CHECK(r.factor({operation::allgather, ring{}, 8, 4096, 0, 1, true}) == 1);
    CHECK(residuals().factor(allreduce_by(ring{}, 8, 4096)) == 1);
}

TEST_CASE("between ranks and between sizes residuals go by logarithms, beyond them the outermost counts") {
    const residuals r = of_ring();
    CHECK(r.factor(allreduce_by(ring{}, 8, 256)) == close_to(4)); // not known: half way from 2 to 8
    CHECK(r.factor(allreduce_by(ring{}, 8, 64)) == close_to(std::sqrt(8)));
    CHECK(r.factor(allreduce_by(ring{}, 4, 4096)) == close_to(4)); // half way from 2 to 8 ranks
    CHECK(r.factor(allreduce_by(ring{}, 8, 0)) == close_to(2));
    CHECK(r.factor(allreduce_by(ring{}, 8, 1 << 30)) == close_to(8));
    CHECK(r.factor(allreduce_by(ring{}, 1, 4096)) == close_to(2));
    CHECK(r.factor(allreduce_by(ring{}, 32, 4096)) == close_to(8));
}

TEST_CASE("only flat algorithms of the library have residuals, and only for what they offer") {
    CHECK(residuals::has(operation::allreduce, ring{}));
    CHECK_FALSE(residuals::has(operation::broadcast, ring{}));
    CHECK_FALSE(residuals::has(operation::allreduce, hierarchical<ring, ring>{1}));
    CHECK(residuals().factor(allreduce_by(hierarchical<ring, ring>{2}, 4, 64)) == 1);
}

TEST_CASE("ranks and sizes of residuals ascend, and are few") {
    const std::vector<int> none, falling{4, 2}, zero{0, 1}, nine{1, 2, 3, 4, 5, 6, 7, 8, 9};
    const std::vector<std::size_t> twice{8, 8};
    CHECK_NOTHROW(residuals(none, three_sizes));
    CHECK_THROWS_AS(residuals(falling, three_sizes), tutti::error);
    CHECK_THROWS_AS(residuals(zero, three_sizes), tutti::error);
    CHECK_THROWS_AS(residuals(nine, three_sizes), tutti::error);
    CHECK_THROWS_AS(residuals(two_and_eight, twice), tutti::error);
}

TEST_CASE("a price is corrected where all ranks are on one node, simulated or not") {
    calibrated_machine m = calibrated(of_ring());
    const tutti::model::machine& plain = m;
    const auto ratio = [&](const topology& on, const any& how) {
        const collective c = allreduce_by(how, on.size, 4096);
        return price_s(c, on, m) / price_s(c, on, plain);
    };
    CHECK(ratio({8, 8}, ring{}) == close_to(8));
    CHECK(ratio({8, 8}, naive{}) == 1);
    CHECK(ratio({8, 4}, ring{}) == 1);
    CHECK(ratio({8, 1}, ring{}) == 1);
    CHECK(ratio({200, 200}, ring{}) == close_to(8)); // one rank stands for all
    m.cores = 4;
    CHECK(ratio({200, 200}, ring{}) == close_to(8)); // estimated
}

TEST_CASE("a choice goes by corrected prices, also for ranks that are split off") {
    const topology on{8, 8};
    const std::size_t bytes = 4096;
    const calibrated_machine plain = calibrated({});
    const auto first = tutti::model::decisions(on, plain).choose(operation::allreduce, bytes).how;
    residuals r(two_and_eight, three_sizes);
    for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t s = 0; s < 3; ++s) r.set(operation::allreduce, first, k, s, 100);
    const tutti::model::decisions by(on, calibrated(r));
    CHECK_FALSE(by.choose(operation::allreduce, bytes).how == first);
    const topology half{4, 4};
    const auto of_half = by.on(half)->prices(operation::allreduce, bytes);
    const auto of_plain = tutti::model::decisions(half, plain).prices(operation::allreduce, bytes);
    REQUIRE(of_half.size() == of_plain.size());
    for (std::size_t k = 0; k < of_half.size(); ++k)
        CHECK(of_half[k].seconds == close_to(of_plain[k].seconds * (of_half[k].what.how == first ? 100 : 1)));
}

TEST_CASE("residuals come back from a machine file to the last bit") {
    std::mt19937_64 bits(3);
    std::uniform_real_distribution<float> ratio(0.01F, 3);
    for (int round = 0; round < 50; ++round) {
        residuals r(two_and_eight, three_sizes);
        for (const operation what : tutti::schedule::operations)
            for (const any& how : tutti::algorithm::all())
                for (std::size_t k = 0; k < 2 && residuals::has(what, how); ++k)
                    for (std::size_t s = 0; s < 3; ++s)
                        if (bits() % 4 > 0) r.set(what, how, k, s, ratio(bits));
        const tutti::model::machine_file f{"", {{"tcp", calibrated(r)}, {"memory", calibrated({})}}};
        CHECK(tutti::model::parse_machine_file(text_of(f)) == f);
    }
}

TEST_CASE("a ratio is taken for the outermost that a file may hold") {
    residuals r(two_and_eight, three_sizes);
    r.set(operation::allreduce, ring{}, 0, 0, 1e9);
    r.set(operation::allreduce, ring{}, 0, 1, -1);
    CHECK(r.at(operation::allreduce, ring{}, 0, 0) == 1000);
    CHECK(r.at(operation::allreduce, ring{}, 0, 1) == 0);
    const std::vector<int> none;
    const tutti::model::machine_file f{"", {{"tcp", calibrated(residuals(none, three_sizes))}}};
    CHECK(tutti::model::parse_machine_file(text_of(f)) == f);
}

TEST_CASE("residuals of no meaning are refused, and told where") {
    const std::string good = text_of(tutti::model::machine_file{"", {{"tcp", calibrated(of_ring())}}});
    const auto refused = [&](const std::string& what, const std::string& by, const std::string& why) {
        std::string text = good;
        const std::size_t at = text.find(what, text.find("\"residuals\""));
        REQUIRE(at != text.npos);
        text.replace(at, what.size(), by);
        CHECK_THROWS_WITH(tutti::model::parse_machine_file(text, "it"), Catch::Contains(why));
    };
    refused("\"ranks\"", "\"rank\"", "it, tcp, residuals lacks \"ranks\"");
    refused("\"ring\"", "\"rung\"", "\"allreduce\" by \"rung\", which nobody knows");
    refused("\"allreduce\"", "\"broadcast\"", "\"broadcast\" by \"ring\", which nobody knows");
    refused("\"allreduce\": {", "\"allreduce\": {\"naive\": [], ", "allreduce, naive has not a list for each number");
    refused("\"ring\": [", "\"ring\": [[2.0], ", "allreduce, ring has not a list for each number of ranks");
    refused("null,", "", "allreduce, ring has not a ratio or null for each size");
    refused("null", "0", "has a ratio that is no number from 0.001 to 1000");
    refused("null", "\"1\"", "has a ratio that is no number from 0.001 to 1000");
    refused("256", "16", "\"bytes\" no whole numbers that ascend from 1");
    refused("\"bytes\": [", "\"bytes\": [1,2,3,4,5,6,7,8,9,10,", "\"bytes\" no list of at most 12");
    refused("\"ranks\": [", "\"ranks\": [-1, ", "\"ranks\" no whole numbers that ascend from 1");
    refused("\"ranks\": [", "\"ranks\": [4294967298, ", "\"ranks\" no whole numbers that ascend from 1");
}
