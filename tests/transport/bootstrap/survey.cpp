// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/control/survey.hpp>

#include "support/catch.hpp"

using namespace tutti::transport;
using namespace tutti::transport::bootstrap;
using namespace std::chrono_literals;

namespace {

constexpr clock::time_point began{1h};
constexpr auto everyone = [](int) { return true; };

notice told_of(int rank, const std::string& page) {
    notice n;
    n.kind = notice_kind::state;
    n.rank = rank;
    n.text = page;
    return n;
}

using questions = std::vector<std::pair<int, int>>;
questions pairs(const std::vector<survey::question>& all) {
    questions out;
    for (const auto& q : all) out.emplace_back(q.to, q.about);
    return out;
}

/// What the report says of each rank: "fresh" or "old", and its page.
std::vector<std::string> report_of(const survey& s, int ranks, clock::time_point now) {
    const auto report = s.report(
        7, std::vector<member>(static_cast<std::size_t>(ranks)), [](int) { return standing::present; }, now);
    tutti::detail::byte_reader r(report);
    CHECK(r.integer<std::uint8_t>() == survey::report_version);
    CHECK(r.integer<std::uint64_t>() == 7);
    CHECK(r.integer<std::uint32_t>() == static_cast<std::uint32_t>(ranks));
    std::vector<std::string> all;
    for (int k = 0; k < ranks; ++k) {
        CHECK(r.integer<std::uint8_t>() == static_cast<std::uint8_t>(standing::present));
        const bool fresh = r.integer<std::uint8_t>() == 1;
        static_cast<void>(r.integer<std::int64_t>());
        static_cast<void>(r.integer<std::int64_t>());
        static_cast<void>(r.text(max_name_bytes));
        static_cast<void>(r.integer<std::int64_t>());
        all.push_back((fresh ? "fresh " : "old ") + r.text(max_page_bytes));
    }
    CHECK(r.finished());
    return all;
}

} // namespace

TEST_CASE("all ranks are asked at once, and the survey is over when all have answered") {
    survey s({0, 0, 1});
    CHECK(pairs(s.begin(began, everyone)) == questions{{0, 0}, {1, 1}, {2, 2}});
    CHECK(s.begin(began, everyone).empty()); // one is under way
    for (const int r : {0, 2, 1}) {
        CHECK_FALSE(s.is_over(began));
        s.take(r, told_of(r, std::to_string(r)), began);
    }
    CHECK(s.is_over(began));
    CHECK(report_of(s, 3, began) == std::vector<std::string>{"fresh 0", "fresh 1", "fresh 2"});
}

TEST_CASE("a silent rank is told of by one of its host that has answered, and is not asked again") {
    survey s({0, 1, 1, 2});
    static_cast<void>(s.begin(began, everyone));
    s.take(0, told_of(0, "zero"), began);
    s.take(2, told_of(2, "two"), began);
    CHECK(s.next() == began + survey::first_words);
    CHECK(s.due(began).empty());
    CHECK(pairs(s.due(began + survey::first_words)) == questions{{2, 1}}); // nobody of rank 3's host has answered
    CHECK(s.due(began + survey::first_words).empty());
    s.take(2, told_of(1, "one, by two"), began);
    CHECK_FALSE(s.is_over(began));
    CHECK(s.next() == began + survey::patience);
    CHECK(s.is_over(began + survey::patience));
    s.end();
    CHECK(report_of(s, 4, began) == std::vector<std::string>{"fresh zero", "fresh one, by two", "fresh two", "old "});

    const auto later = began + 10s;
    CHECK(pairs(s.begin(later, everyone)) == questions{{0, 0}, {2, 2}});
    CHECK(report_of(s, 4, later) == std::vector<std::string>{"old zero", "old one, by two", "old two", "old "});
    s.take(1, told_of(1, "one"), later); // at last
    s.end();
    CHECK(pairs(s.begin(later + 1s, everyone)) == questions{{1, 1}});
}

TEST_CASE("a rank speaks for its own host alone, and what is too long or of no rank is ignored") {
    survey s({0, 0, 1});
    static_cast<void>(s.begin(began, everyone));
    s.take(0, told_of(2, "of another host"), began);
    s.take(0, told_of(3, "of nobody"), began);
    s.take(0, told_of(-1, "of nobody"), began);
    s.take(0, told_of(0, std::string(max_page_bytes + 1, 'x')), began);
    CHECK(report_of(s, 3, began) == std::vector<std::string>{"old ", "old ", "old "});
}

TEST_CASE("the silent ranks of a host are shared among those that answer, and none answers for many") {
    constexpr int most = static_cast<int>(survey::most_asked), ranks = 3 + 2 * most;
    survey s(std::vector<int>(ranks, 0));
    static_cast<void>(s.begin(began, everyone));
    s.take(1, told_of(1, "one"), began);
    s.take(2, told_of(2, "two"), began);
    std::vector<int> asked(ranks);
    const auto all = s.due(began + survey::first_words);
    for (const auto& q : all) ++asked[static_cast<std::size_t>(q.to)];
    CHECK(all.size() == 2 * survey::most_asked); // one silent rank is left out
    CHECK(asked[1] == most);
    CHECK(asked[2] == most);
}

TEST_CASE("a neighbour that sees no page takes nothing from what a rank has told itself") {
    survey s({0, 0});
    static_cast<void>(s.begin(began, everyone));
    s.take(0, told_of(0, "zero"), began);
    s.take(1, told_of(1, "one"), began);
    s.end();
    const auto later = began + 10s;
    static_cast<void>(s.begin(later, everyone));
    s.take(0, told_of(0, "zero"), later);
    s.take(0, told_of(1, ""), later);
    CHECK(report_of(s, 2, later) == std::vector<std::string>{"fresh zero", "old one"});
}

TEST_CASE("ranks that cannot be asked are left out, and without a survey all is over") {
    survey s({0, 1});
    CHECK(s.is_over(began));
    CHECK(s.next() == clock::time_point::max());
    CHECK(pairs(s.begin(began, [](int r) { return r == 0; })) == questions{{0, 0}});
    CHECK_FALSE(survey().is_open());
}
