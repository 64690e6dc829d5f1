// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/draw/space_time.hpp>

#include <collectives/algorithm/all.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <string>

using namespace tutti::schedule;

namespace {

struct arrow {
    double x = 0, y = 0, end_x = 0, end_y = 0;
    bool dashed = false;
    std::string told;
};

std::vector<std::smatch> matches(const std::string& text, const std::regex& wanted) {
    return {std::sregex_iterator(text.begin(), text.end(), wanted), {}};
}

/// The arrows of messages; those of the legend tell nothing.
std::vector<arrow> arrows_in(const std::string& svg) {
    const std::regex path(R"re(<path class="c\d( dashed)?" d="M(\S+) (\S+)L(\S+) (\S+)"><title>(.*)</title></path>)re");
    std::vector<arrow> all;
    for (const auto& m : matches(svg, path))
        all.push_back({std::stod(m[2]), std::stod(m[3]), std::stod(m[4]), std::stod(m[5]), m[1].matched, m[6]});
    return all;
}

/// Where the line of each rank is, by the number above it.
std::map<int, double> columns_in(const std::string& svg) {
    const std::regex head(R"re(<text class="ink" x="(\S+)" y="58" text-anchor="middle">(\d+)</text>)re");
    std::map<int, double> all;
    for (const auto& m : matches(svg, head)) all[std::stoi(m[2])] = std::stod(m[1]);
    return all;
}

std::string picture(std::string_view name, operation what, int size, int root = 0) {
    return draw::space_time_svg(draw::timeline_of(tutti::algorithm::by_name(name, 2).write(what, size, root)),
                                "a title");
}

std::size_t count_of(const std::string& text, const std::string& words) {
    return matches(text, std::regex(words)).size();
}

} // namespace

TEST_CASE("each message is one arrow from its sender's line to its receiver's, in its round") {
    for (const std::string_view name :
         {"ring", "halving_doubling", "butterfly", "double_binary_tree", "parameter_server"})
        for (const int size : {2, 5, 8, 32}) {
            INFO(name << " " << size);
            const auto t = draw::timeline_of(tutti::algorithm::by_name(name).write(operation::allreduce, size));
            const std::string svg = draw::space_time_svg(t, "t");
            const auto arrows = arrows_in(svg);
            const auto columns = columns_in(svg);
            REQUIRE(arrows.size() == t.messages.size());
            REQUIRE(columns.size() == static_cast<std::size_t>(size));
            std::map<int, std::pair<double, double>> rounds; // first and last y of each
            bool ends = true, dashes = true, words = true;
            for (std::size_t k = 0; k < arrows.size(); ++k) {
                const draw::message& m = t.messages[k];
                const arrow& a = arrows[k];
                ends = ends && a.x == columns.at(m.from) && std::abs(a.end_x - columns.at(m.to)) <= 5;
                dashes = dashes && a.dashed == !m.result;
                words = words && a.told.starts_with("round " + std::to_string(m.round) + ": rank " +
                                                    std::to_string(m.from) + " sends chunk ");
                auto& r = rounds.try_emplace(m.round, a.y, a.end_y).first->second;
                r = {std::min(r.first, a.y), std::max(r.second, a.end_y)};
            }
            CHECK((ends && dashes && words));
            for (int round = 2; round <= t.rounds; ++round) CHECK(rounds[round].first > rounds[round - 1].second);
        }
}

TEST_CASE("reductions are dots: where a message is reduced, or after a round; the legend has one more") {
    const std::string dot = R"(<circle class="ink")";
    CHECK(count_of(picture("ring", operation::allreduce, 8), dot) == 57);
    CHECK(count_of(picture("one_shot", operation::allreduce, 5), dot) == 6);
    CHECK(count_of(picture("one_shot", operation::allreduce, 5), "of 5 operands</title></circle>") == 5);
    CHECK(count_of(picture("ring", operation::allgather, 8), dot) == 0);
}

TEST_CASE("colours are those of the routes where each message has one, else of operands and results") {
    const auto colours = [](const std::string& svg) {
        std::set<std::string> all;
        for (const auto& m : matches(svg, std::regex(R"(<path class="(c\d)( dashed)?" d="[^"]*"><title>)")))
            all.insert(m[1]);
        return all.size();
    };
    CHECK(colours(picture("ring", operation::allreduce, 5)) == 5);
    CHECK(colours(picture("ring", operation::allreduce, 13)) == 8);
    CHECK(colours(picture("double_binary_tree", operation::broadcast, 7, 3)) == 2);
    CHECK(colours(picture("halving_doubling", operation::allreduce, 8)) == 2);
    CHECK(colours(picture("binomial_tree", operation::reduce, 8)) == 1);
}

TEST_CASE("a picture says what it is, holds any title, and is the same each time") {
    const std::string svg = picture("ring", operation::allreduce, 4);
    CHECK(svg == picture("ring", operation::allreduce, 4));
    CHECK(svg.find("<title>a title</title>") != svg.npos);
    CHECK(svg.find("<desc>Space-time diagram") != svg.npos);
    CHECK(svg.find("6 rounds, 24 messages, 12 reductions") != svg.npos);
    CHECK(svg.find("prefers-color-scheme:dark") != svg.npos);
    CHECK(svg.find(" viewBox=\"0 0 ") != svg.npos);
    const auto alone = draw::timeline_of(tutti::algorithm::by_name("ring").write(operation::allreduce, 1));
    const std::string odd = draw::space_time_svg(alone, "a<b>&c");
    CHECK(odd.find("<title>a&lt;b&gt;&amp;c</title>") != odd.npos);
    CHECK(odd.find("a<b") == odd.npos);
}
