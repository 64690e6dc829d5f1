// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/pipeline/draw.hpp>

#include <training/pipeline/all.hpp>

#include "support/catch.hpp"

#include <cstddef>
#include <regex>
#include <string>

using namespace tutti::training;

namespace {

std::ptrdiff_t boxes_in(const std::string& svg, const std::string& style) {
    const std::regex wanted("<rect class=\"" + style + "\\d\"[^>]*><title>");
    return std::distance(std::sregex_iterator(svg.begin(), svg.end(), wanted), std::sregex_iterator{});
}

} // namespace

TEST_CASE("a pipeline as text has a row a worker and a column a unit of time") {
    const auto p = pipeline::write<pipeline::one_f_one_b>({2, 3});
    CHECK(pipeline_text(p, timeline_of(p), "1F1B") ==
          "1F1B\n\n"
          "worker 0   f0 f1 .  .  b0--- f2 b1--- .  b2---\n"
          "worker 1   .  f0 b0--- f1 b1--- f2 b2--- .  .\n\n"
          "worker 0: bubble 25.0 %, activations 2, versions 1, staleness 0\n"
          "worker 1: bubble 25.0 %, activations 1, versions 1, staleness 0\n");
    const auto two = pipeline::write<pipeline::interleaved>({2, 2, 2});
    CHECK_THAT(pipeline_text(two, timeline_of(two, {.forward_s = 1, .backward_s = 1}), "t"),
               Catch::Contains("worker 0   f0a f1a f0b f1b . ") && Catch::Contains("takes 1/2 of a stage"));
    const auto three = pipeline::write<pipeline::interleaved>({4, 8, 2}); // 11 of chunks
    CHECK_THAT(pipeline_text(three, timeline_of(three, {.forward_s = 1, .backward_s = 2}), "t"),
               Catch::Contains("worker 0: bubble") && Catch::Contains("activations 5.5,"));
}

TEST_CASE("the picture of a pipeline has a box for each forward and backward, and tells its figures") {
    for (const pipeline::any& a : pipeline::schedules) {
        const pipeline::shape of{3, 7, a.takes_chunks ? 2 : 1};
        const auto p = a.write(of);
        const std::string svg = pipeline_svg(p, timeline_of(p), "a <title>");
        CHECK(boxes_in(svg, "w") == 21 * of.chunks);
        CHECK(boxes_in(svg, "g") == 21 * of.chunks);
        CHECK_THAT(svg, Catch::Contains("a &lt;title&gt;") && Catch::Contains("backward of microbatch 3 on chunk 2") &&
                            Catch::Contains("activations") && Catch::Contains("</svg>"));
        CHECK((svg.find(">v1<") != svg.npos) == (std::string(a.name).find("pipedream") == 0));
        CHECK(svg == pipeline_svg(p, timeline_of(p), "a <title>"));
    }
}

TEST_CASE("what is not proven, or too much, is not drawn") {
    auto p = pipeline::write<pipeline::gpipe>({2, 2});
    const auto t = timeline_of(p);
    p.workers[1].pop_back();
    CHECK_THROWS_WITH(pipeline_svg(p, t, ""), Catch::Contains("enters no update"));
    const auto large = pipeline::write<pipeline::gpipe>({50, 100});
    CHECK_THROWS_WITH(pipeline_text(large, timeline_of(large), ""), Catch::Contains("too much to draw"));
}
