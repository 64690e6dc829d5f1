// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/run/lines.hpp"

#include "support/catch.hpp"

using tutti::tools::line_prefixer;

TEST_CASE("lines get the prefix, whatever the pieces they come in") {
    line_prefixer lines{"[3] "};
    CHECK(lines.take("ab").empty());
    CHECK(lines.take("c\nd") == "[3] abc\n");
    CHECK(lines.take("\n\ne\n") == "[3] d\n[3] \n[3] e\n");
    CHECK(lines.take("").empty());
    CHECK(lines.finish().empty());
}

TEST_CASE("a last line without a newline gets one, once") {
    line_prefixer lines{"[0] "};
    CHECK(lines.take("end").empty());
    CHECK(lines.finish() == "[0] end\n");
    CHECK(lines.finish().empty());
}

TEST_CASE("a stream without newlines does not grow without bounds") {
    line_prefixer lines{"[0] "};
    std::size_t out = 0;
    for (int i = 0; i < 40; ++i) out += lines.take(std::string(100'000, 'x')).size();
    CHECK(out > 3'000'000);
}
