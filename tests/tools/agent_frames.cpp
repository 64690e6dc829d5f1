// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/run/agent_frames.hpp"

#include "../../tools/tutti/run/agent_orders.hpp"

#include "support/catch.hpp"

#include <string>
#include <vector>

using namespace tutti::tools;
using kind = agent_frame::kind;

namespace {

std::vector<agent_frame> frames_of(agent_frame_reader& reader, const std::string& bytes, std::size_t piece) {
    std::vector<agent_frame> all;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        reader.take(std::string_view(bytes).substr(at, piece));
        while (auto f = reader.next()) all.push_back(*f);
    }
    return all;
}

} // namespace

TEST_CASE("frames come out as they went in, in whatever pieces") {
    const std::string long_text(3000, '\n');
    const std::string bytes =
        encoded(kind::output, 7, "ab") + encoded(kind::done) + encoded(kind::error, 65'536, long_text);
    for (const std::size_t piece : {1, 2, 8, 9, 10, 100, 10'000}) {
        agent_frame_reader reader{true};
        const auto all = frames_of(reader, bytes, piece);
        REQUIRE(all.size() == 3);
        CHECK((all[0].what == kind::output && all[0].rank == 7 && all[0].text == "ab"));
        CHECK((all[1].what == kind::done && all[1].rank == -1 && all[1].text.empty()));
        CHECK((all[2].what == kind::error && all[2].rank == 65'536 && all[2].text == long_text));
        CHECK(!reader.broken());
    }
}

TEST_CASE("what a shell says before the greeting is kept apart") {
    const std::string bytes =
        "Welcome to tutti-agent\nlast login: tut" + std::string(agent_greeting) + encoded(kind::hello, -1, "x");
    for (const std::size_t piece : {1, 3, 1000}) {
        agent_frame_reader reader{false};
        const auto all = frames_of(reader, bytes, piece);
        CHECK(reader.greeted());
        CHECK(reader.noise() == "Welcome to tutti-agent\nlast login: tut");
        REQUIRE(all.size() == 1);
        CHECK(all[0].text == "x");
    }
    agent_frame_reader endless{false};
    for (int i = 0; i < 100; ++i) endless.take(std::string(10'000, 'h'));
    CHECK(endless.noise().size() == agent_frame_reader::most_noise + agent_greeting.size() - 1);
    CHECK(!endless.next());
}

TEST_CASE("what is no frame breaks the reader for good") {
    for (const std::string& wrong : {std::string("nonsense, and more of it"), "o" + std::string(8, '\xff')}) {
        agent_frame_reader reader{true};
        reader.take(wrong);
        CHECK(!reader.next());
        CHECK(reader.broken());
        reader.take(encoded(kind::done));
        CHECK(!reader.next());
    }
}

TEST_CASE("orders arrive as they were given, bytes that are no text included") {
    const agent_orders o{
        {"sh", "-c", "", "\xff\n"}, "/a b", {{"A", ""}, {"B", "x=y"}}, {0, 3}, 5, "[::1]:7", "secret", "0,2"};
    const auto read = agent_orders::unpacked(o.packed());
    CHECK(read.command == o.command);
    CHECK(read.directory == o.directory);
    CHECK(read.environment == o.environment);
    CHECK(read.ranks == o.ranks);
    CHECK(read.size == 5);
    CHECK(read.address == o.address);
    CHECK(read.secret == o.secret);
    CHECK(read.bind == "0,2");
    const auto hello = agent_hello::unpacked(agent_hello{"host", 65'535}.packed());
    CHECK((hello.host == "host" && hello.port == 65'535));
}

TEST_CASE("orders that are cut off or wrong are refused") {
    const std::string whole = agent_orders{{"true"}, "/", {}, {0}, 1, "a:1", "secret"}.packed();
    for (std::size_t length = 0; length < whole.size(); ++length)
        CHECK_THROWS_AS(agent_orders::unpacked(whole.substr(0, length)), std::invalid_argument);
    CHECK_THROWS_AS(agent_hello::unpacked(std::string("a\0", 2) + std::string("65536\0", 6)), std::invalid_argument);
    CHECK_THROWS_AS(agent_orders::unpacked(agent_orders{{}, "/", {}, {0}, 1, "a:1", "s"}.packed()),
                    std::invalid_argument);
}
