// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/export/msccl_xml.hpp>

#include "msccl_replay.hpp"
#include "programs.hpp"

#include "support/catch.hpp"

#include <string>
#include <vector>

using export_test::subject;
using tutti::schedule::buffer;
using tutti::schedule::msccl_xml;

namespace {

std::string xml_of(const char* name, int size) {
    const auto a = tutti::algorithm::by_name(name);
    return msccl_xml(a.write(tutti::schedule::operation::allreduce, size), a.name());
}

msccl_test::algorithm read(const std::string& text) { return msccl_test::reader(text).get(); }

/// An allreduce of one chunk, of these steps.
tutti::schedule::program hand_written(std::vector<std::vector<tutti::schedule::step>> ranks) {
    const auto size = static_cast<int>(ranks.size());
    return {tutti::schedule::operation::allreduce, size, 0, false, 1, std::move(ranks)};
}

} // namespace

TEST_CASE("small allreduces as MSCCL XML are what the golden files hold") {
    using export_test::golden;
    CHECK(xml_of("ring", 3) == golden("ring_3.xml"));
    CHECK(xml_of("naive", 3) == golden("naive_3.xml"));
    CHECK(xml_of("halving_doubling", 4) == golden("halving_doubling_4.xml"));
}

TEST_CASE("all programs as MSCCL XML are read, and do what the operation promises in whatever order blocks run") {
    export_test::for_all_programs([](const subject& s) {
        INFO(s.name());
        if (is_scan(s.program.what)) {
            CHECK_THROWS_AS(msccl_xml(s.program, s.how.name()), tutti::error);
            return;
        }
        const msccl_test::algorithm a = read(msccl_xml(s.program, s.how.name()));
        CHECK(a.name == s.how.name());
        CHECK(a.in_place == s.program.in_place);
        CHECK(static_cast<int>(a.gpus.size()) == s.program.size);
        CHECK_NOTHROW(msccl_test::prove(a, s.program.root));
    });
}

TEST_CASE("one rank alone copies on one thread block") {
    const msccl_test::algorithm a = read(xml_of("ring", 1));
    REQUIRE(a.gpus[0].blocks.size() == 1);
    CHECK_NOTHROW(msccl_test::prove(a, 0));
}

TEST_CASE("a thread block sends to one peer or receives from one, and steps are what they were") {
    const msccl_test::algorithm a = read(xml_of("naive", 3));
    REQUIRE(a.gpus[0].blocks.size() == 4);
    CHECK(a.gpus[0].blocks[0].steps[0].type == "rrc");
    CHECK(a.gpus[0].blocks[0].steps[0].source == 'i'); // to = from + incoming, with from and to apart
    CHECK(a.gpus[0].blocks[0].steps[0].target == 'o');
    CHECK(a.gpus[1].blocks.size() == 2);
}

TEST_CASE("a step that waits for several blocks follows empty steps that wait for all but one") {
    const msccl_test::algorithm a = read(xml_of("direct", 4)); // three receives, and then all in one reduce_many
    const auto& blocks = a.gpus[0].blocks;
    std::vector<std::string> types;
    for (const msccl_test::step& s : blocks.back().steps) types.push_back(s.type);
    CHECK(types == std::vector<std::string>{"nop", "nop", "cpy", "re", "re", "re"});
}

TEST_CASE("no thread block waits for another without need") {
    using namespace tutti::schedule;
    // Rank 0's first copy waits for rank 1, which waits for what the second one has made.
    const auto at = [](buffer b, int chunk) { return place{b, chunk, 1}; };
    const place both{scratch(0), 0, 2};
    const program p{operation::allreduce,
                    3,
                    0,
                    false,
                    2,
                    {{receive(1, both), copy(at(scratch(0), 0), at(buffer::output, 0)), receive(2, at(scratch(1), 1)),
                      copy(at(scratch(1), 1), at(scratch(2), 1)), send(1, at(scratch(2), 1))},
                     {copy(at(buffer::input, 0), at(scratch(0), 0)), receive(0, at(scratch(0), 1)), send(0, both)},
                     {send(0, at(buffer::input, 1))}}};
    const msccl_test::algorithm a = read(msccl_xml(p, "crossed"));
    for (unsigned seed = 0; seed < 4; ++seed) CHECK_NOTHROW(msccl_test::replay(a, {seed, false}));
}

TEST_CASE("without any one of the dependences of its sends, the replay of a ring finds a fault") {
    const msccl_test::algorithm good = read(xml_of("ring", 3));
    int dependences = 0;
    for (std::size_t r = 0; r < good.gpus.size(); ++r)
        for (std::size_t b = 0; b < good.gpus[r].blocks.size(); ++b)
            for (std::size_t s = 0; s < good.gpus[r].blocks[b].steps.size(); ++s) {
                msccl_test::algorithm bad = good;
                msccl_test::step& x = bad.gpus[r].blocks[b].steps[s];
                if (x.block < 0 || x.type != "s") continue;
                ++dependences;
                x.block = x.step = -1;
                CHECK_THROWS(msccl_test::prove(bad, 0));
            }
    CHECK(dependences == 9);
}

TEST_CASE("what MSCCL would not take is not taken") {
    const std::string good = xml_of("direct", 3);
    CHECK_NOTHROW(read(good));
    for (const auto& [old, fresh] : {std::pair{"ngpus=\"3\"", "ngpus=\"4\""},
                                     {"coll=\"allreduce\"", "coll=\"all\""},
                                     {"</gpu>", ""},
                                     {"send=\"1\"", "send=\"0\""},
                                     {"send=\"1\"", "send=\"-1\""},
                                     {"send=\"1\"", "send=\"2\""},
                                     {"type=\"s\"", "type=\"t\""},
                                     {"cnt=\"1\"", "cnt=\"9\""},
                                     {"srcoff=\"1\"", "srcoff=\"3\""},
                                     {"s=\"1\"", "s=\"2\""},
                                     {"depid=\"4\"", "depid=\"5\""},
                                     {"deps=\"3\"", "deps=\"2\""},
                                     {"type=\"cpy\"", "type=\"nop\""},
                                     {"srcbuf=\"i\"", "srcbuf=\"x\""},
                                     {"inplace=\"0\"", "inplace=\"1\""},
                                     {" hasdep=\"0\"", ""}}) {
        std::string bad = good;
        const std::size_t at = bad.find(old);
        REQUIRE(at != bad.npos);
        INFO(old << " to " << fresh);
        CHECK_THROWS(read(bad.replace(at, std::string(old).size(), fresh)));
    }
}

TEST_CASE("what MSCCL cannot express is refused") {
    using namespace tutti::schedule;
    const place output{buffer::output, 0, 1}, input{buffer::input, 0, 1};
    const auto twice = hand_written({{copy(input, output), reduce_many(output, std::array{buffer::output}, output)}});
    CHECK_THROWS_WITH(msccl_xml(twice, "twice"), Catch::Contains("target as operand more than once"));
    const auto unheard = hand_written({{send(1, input)}, {copy(input, output)}});
    CHECK_THROWS_WITH(msccl_xml(unheard, "unheard"), Catch::Contains("rank 0 sends 1 messages to rank 1"));
    CHECK_THROWS_AS(msccl_xml(hand_written({{copy(input, output)}}), "a\"b"), tutti::error);
    const auto alike = [&](std::size_t ranks) { return hand_written({ranks, {copy(input, output)}}); };
    CHECK_NOTHROW(msccl_xml(alike(1024), "most"));
    CHECK_THROWS_WITH(msccl_xml(alike(1025), "more"), Catch::Contains("1025 ranks are more than 1024"));
}
