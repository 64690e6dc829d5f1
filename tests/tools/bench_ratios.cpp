// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/bench/ratios.hpp"
#include "folder.hpp"

#include "support/catch.hpp"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

using Catch::Contains;
using namespace tutti::tools;

namespace {

constexpr int ranks_of_all = 2;

row_object row_with(std::size_t bytes, std::size_t launch, double us) {
    job j;
    j.algorithm.name = "ring";
    j.count = bytes / size_of(j.type);
    row_object row = subject_of(j);
    row.update({{"chosen", nullptr}, {"launch", launch}, {"time_us", us}, {"avg_us", us}, {"busbw_GBps", 1.}});
    row.update({{"ranks", ranks_of_all}, {"cores", 2}, {"other_cores", 0.}});
    return row;
}

struct printed {
    std::size_t slower = 0;
    std::string text;
};

/// What is said of so many rows, with these times of each in as many rounds.
printed beside(bench_settings settings, std::size_t rows, const std::vector<double>& ours,
               const std::vector<double>& theirs) {
    settings.tolerance_is_given = true;
    ratios all(settings, ranks_of_all);
    for (std::size_t k = 1; k <= rows; ++k) {
        for (std::size_t launch = 0; launch < ours.size(); ++launch) all.add(row_with(8 * k, launch, ours[launch]));
        for (std::size_t launch = 0; launch < theirs.size(); ++launch)
            all.add_theirs("other", row_with(8 * k, launch, theirs[launch]));
    }
    std::FILE* const file = std::tmpfile();
    REQUIRE(file);
    printed p{all.print(1, true, file).slower, {}};
    std::rewind(file);
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) p.text += static_cast<char>(c);
    std::fclose(file);
    return p;
}

} // namespace

// 7 and 7 rounds have 3432 orders. In 50 of them the second least of ours is above the second greatest of theirs, as
// here, and in 1 the least is above the greatest. Of 4 rows 4 * 50 / 3432 = 5.8 %: too many, and 4 / 3432 = 0.12 %.
TEST_CASE("the more rows stand beside a contestant, the wider are their intervals") {
    bench_settings settings;
    settings.contestants = {"other"};
    const std::vector<double> ours{15, 20, 21, 22, 23, 24, 25}, theirs{9, 10, 11, 12, 13, 14, 18};
    const printed one = beside(settings, 1, ours, theirs), four = beside(settings, 4, ours, theirs);
    INFO(one.text << four.text);
    CHECK(one.slower == 1);
    CHECK_THAT(one.text, Contains("is called slower in 1.5 % of comparisons at most\n")); // 50 / 3432
    CHECK(four.slower == 0);
    CHECK_THAT(four.text, Contains("neither in 4,") && Contains("slower in 0.12 % of comparisons at most\n"));
}

// Of 9 rounds none or one is below the median in 10 of 512 cases, none in 1. Of 4 rows 4 * 10 / 512 = 7.8 %: too many,
// and 4 / 512 = 0.78125 %. A bound is rounded up.
TEST_CASE("the more rows stand beside another program's file, the wider are their intervals") {
    const tools_test::folder here;
    std::string text = "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n";
    for (const char* const bytes : {"8", "16", "24", "32"}) text += std::string(bytes) + " 10\n";
    bench_settings settings;
    settings.against = {here.write("osu.txt", text)};
    const std::vector<double> ours{9, 20, 21, 22, 23, 24, 25, 26, 27};
    const printed one = beside(settings, 1, ours, {}), four = beside(settings, 4, ours, {});
    INFO(one.text << four.text);
    CHECK(one.slower == 1);
    CHECK_THAT(one.text, Contains("is called slower in 2 % of comparisons at most\n")); // 10 / 512
    CHECK(four.slower == 0);
    CHECK_THAT(four.text, Contains("neither in 4,") && Contains("slower in 0.79 % of comparisons at most\n"));
    const printed few = beside(settings, 4, {10, 20, 30, 40, 50}, {}); // 4 / 32
    CHECK_THAT(few.text, Contains("slower in 13 % of comparisons at most\n"));
}

TEST_CASE("columns are as wide as their longest cell, whatever is beside us") {
    for (const std::string name : {"a", "osu_allreduce_of_sixty_ranks.txt"}) {
        const tools_test::folder here;
        bench_settings settings;
        settings.against = {here.write(name, "# OSU MPI Allreduce Latency Test v7.3\n# Size  Avg Latency(us)\n8 10\n")};
        const std::string text = beside(settings, 1, {9, 20, 21, 22, 1e9}, {}).text;
        INFO(text);
        const std::size_t heads = text.find("\nof ") + 1, cells = text.find("\n" + name + " ") + 1;
        const std::string head = text.substr(heads, text.find('\n', heads) - heads),
                          row = text.substr(cells, text.find('\n', cells) - cells);
        for (const auto& [column, cell] : {std::pair{"bytes", "8"}, {"type", "float32"}, {"ours us", "21.00"}})
            CHECK(head.find(column) + std::string(column).size() ==
                  row.find(std::string(" ") + cell + " ") + 1 + std::string(cell).size());
        CHECK(head.find("operation") == row.find("allreduce  "));
        CHECK(head.find("verdict") == row.rfind("-"));
    }
}
