// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/pipeline/all.hpp>
#include <training/pipeline/verify.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"

#include <algorithm>
#include <string>

using namespace tutti::training;
using tutti::test::sanitized;

namespace {

constexpr int pipeline_most = sanitized ? 8 : 16;

/// The order in which a worker computes: "F0 F1 B0 ..."; u is an update.
std::string pipeline_order(const pipeline::program& p, int worker) {
    std::string text;
    for (const pipeline::step& s : p.workers[static_cast<std::size_t>(worker)]) {
        if (communicates(s)) continue;
        const char* const kind = s.what == pipeline::action::forward    ? "F"
                                 : s.what == pipeline::action::backward ? "B"
                                                                        : "u";
        text += (text.empty() ? "" : " ") + std::string(kind);
        if (computes(s)) text += std::to_string(s.microbatch);
        if (p.of.chunks > 1 && computes(s)) text += static_cast<char>('a' + s.chunk / p.of.stages);
    }
    return text;
}

} // namespace

TEST_CASE("every pipeline is proven, and holds exactly what it promises, for all stages, microbatches and chunks") {
    for (const pipeline::any& a : pipeline::schedules)
        for (int v = 1; v <= (a.takes_chunks ? 4 : 1); ++v)
            for (int s = 1; s <= pipeline_most; ++s)
                for (int m = 1; m <= pipeline_most; ++m) {
                    const pipeline::shape of{s, m, v};
                    const pipeline::program p = a.write(of);
                    const pipeline::promise stated = a.promises(of);
                    const pipeline::proof found = verify(p, &stated);
                    INFO(a.name << " of " << s << " stages, " << m << " microbatches, " << v
                                << " chunks: " << found.fault);
                    REQUIRE(found.proven);
                    if (v == 1 || m % s == 0) REQUIRE(found.workers == stated.workers);
                    REQUIRE(found.in_order);
                    if (s > 1 && m > s) REQUIRE(found.one_version == stated.one_version);
                }
}

TEST_CASE("pipelines compute in the order of their papers") {
    const auto order = [](const char* name, int worker, pipeline::shape of) {
        return pipeline_order(pipeline::by_name(name).write(of), worker);
    };
    CHECK(order("gpipe", 1, {2, 3}) == "F0 F1 F2 B0 B1 B2 u");
    CHECK(order("one_f_one_b", 0, {4, 5}) == "F0 F1 F2 F3 B0 F4 B1 B2 B3 B4 u");
    CHECK(order("one_f_one_b", 3, {4, 3}) == "F0 B0 F1 B1 F2 B2 u");
    CHECK(order("pipedream", 1, {3, 3}) == "F0 F1 B0 u F2 B1 u B2 u");
    CHECK(order("pipedream_2bw", 1, {2, 4}) == "F0 B0 F1 B1 u F2 B2 F3 B3 u");
    CHECK(order("interleaved", 1, {2, 4, 2}) == "F0a F1a F0b B0b F1b B1b F2a B0a F3a B1a F2b B2b F3b B3b B2a B3a u");
}

TEST_CASE("PipeDream's gradient of microbatch m is applied to version m, and computed with the rule's") {
    constexpr int stages = 4, microbatches = 9;
    for (const bool synced : {false, true}) {
        const auto p =
            pipeline::by_name(synced ? "pipedream_vertical_sync" : "pipedream").write({stages, microbatches});
        for (int w = 0; w < stages; ++w) {
            int updates = 0;
            for (const pipeline::step& s : p.workers[static_cast<std::size_t>(w)]) {
                if (computes(s)) CHECK(s.version == std::max(0, s.microbatch - (synced ? stages - 1 : stages - 1 - w)));
                if (s.what == pipeline::action::backward) CHECK(s.microbatch == updates);
                if (s.what == pipeline::action::update) CHECK(s.version == ++updates);
            }
            CHECK(updates == microbatches);
        }
    }
}

TEST_CASE("shapes that there are not, chunks where there is one, and unknown names are refused") {
    CHECK_THROWS_WITH(pipeline::write<pipeline::gpipe>({0, 1, 1}), Catch::Contains("at least"));
    CHECK_THROWS_WITH(pipeline::write<pipeline::gpipe>({2, 1, 2}), Catch::Contains("take interleaved"));
    CHECK_THROWS_WITH(pipeline::write<pipeline::gpipe>({1 << 14, 1 << 14, 1}), Catch::Contains("at most 2^27"));
    CHECK_THROWS_WITH(pipeline::by_name("dualpipe"), Catch::Contains("one_f_one_b"));
}
