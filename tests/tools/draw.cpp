// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"
#include "folder.hpp"

#include <collectives/algorithm/all.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <string>

using Catch::Contains;
using tools_test::command;
using tools_test::folder;
using tools_test::shell;
using tutti::schedule::name_of;
using tutti::schedule::operations;

namespace {

/// Says ok where each of the files is well-formed XML whose root is an svg with a title, and names no other file.
constexpr auto is_svg = R"(python3 -c '
import sys, xml.dom.minidom
for name in sys.argv[1:]:
    root = xml.dom.minidom.parse(name).documentElement
    assert root.tagName == "svg" and root.getElementsByTagName("title")[0].firstChild.data.strip(), name
    assert not any(e.hasAttribute("href") or e.tagName in ("image", "script") for e in root.getElementsByTagName("*")), name
print("ok")' )";

} // namespace

TEST_CASE("every algorithm is drawn as a table, and as well-formed XML") {
    const folder here;
    std::string files;
    for (const auto& how : tutti::algorithm::all(2)) {
        const auto offered = std::ranges::find_if(operations, [&](auto what) { return how.offers(what); });
        const std::string algorithm{how.name()}, operation{name_of(*offered)};
        const std::string drawn = "draw --ranks 6 --operation " + operation + " --algorithm " + algorithm;
        const auto text = command(drawn);
        CHECK(text.status == 0);
        CHECK_THAT(text.output, Contains(operation + "(" + algorithm + "), 6 ranks") && Contains("\nround"));
        files += " " + here.path(algorithm + ".svg");
        CHECK(command(drawn + " -o " + here.path(algorithm + ".svg")).status == 0);
    }
    for (const char* tree : {"naive", "binomial_tree", "double_binary_tree"}) {
        const std::string name = std::string(tree) + "-tree.svg";
        files += " " + here.path(name);
        CHECK(
            command(std::string("draw --as tree --segments 2 --algorithm ") + tree + " -o " + here.path(name)).status ==
            0);
    }
    CHECK(shell(is_svg + files).output == "ok\n");
}

TEST_CASE("what is drawn follows --as, and where there is none the name of the file") {
    const folder here;
    const auto begins = [&](const std::string& arguments, const std::string& name) {
        CHECK(command("draw --algorithm naive --ranks 3 " + arguments + " -o " + here.path(name)).status == 0);
        return here.read(name).substr(0, 5);
    };
    CHECK(begins("", "a.svg") == "<svg ");
    CHECK(begins("", "a.txt") == "allre");
    CHECK(begins("--as space-time", "a.xml") == "<svg ");
    CHECK_THAT(here.read("a.xml"), Contains("Space-time diagram"));
    CHECK(begins("--as tree", "b.svg") == "<svg ");
    CHECK_THAT(here.read("b.svg"), Contains("root on top"));
    CHECK_THAT(command("draw --algorithm naive --as tree").output, Catch::StartsWith("<svg "));
    CHECK_THAT(command("draw --algorithm naive --operation reduce --root 2 --ranks 3").output,
               Contains("reduce(naive), 3 ranks, root 2: 2 rounds, 2 messages"));
}

TEST_CASE("a pipeline is drawn as text, and as SVG where the file is named so") {
    const folder here;
    CHECK_THAT(command("draw --pipeline gpipe --stages 2 --microbatches 3").output,
               Contains("gpipe, 2 workers, 3 microbatches\n\nworker 0   f0 f1 f2 ") && Contains("bubble 25.0 %"));
    CHECK(command("draw --pipeline interleaved -o " + here.path("a.svg")).status == 0);
    CHECK_THAT(here.read("a.svg"), Contains("interleaved, 4 workers, 8 microbatches, 2 chunks a worker"));
    CHECK(shell(is_svg + here.path("a.svg")).output == "ok\n");
    for (const char* arguments : {"--pipeline gpipes", "--pipeline gpipe --chunks 2", "--pipeline gpipe --ranks 4",
                                  "--pipeline gpipe --stages 0", "--algorithm ring --stages 4"}) {
        INFO(arguments);
        CHECK(command(std::string("draw ") + arguments).status == 2);
    }
}

TEST_CASE("what cannot be drawn is refused with 2, and a file that cannot be written with 1") {
    for (const char* arguments :
         {"", "--algorithm rinq", "--algorithm all", "--algorithm auto", "--algorithm ring,naive",
          "--algorithm ring --operation all", "--algorithm ring --operation broadcast", "--algorithm ring --ranks 65",
          "--algorithm ring --ranks 0", "--algorithm naive --operation reduce --root 8", "--algorithm naive --root 1",
          "--algorithm ring --segments 0", "--algorithm ring --ranks 64 --segments 2", "--algorithm ring --as tree",
          "--algorithm ring --as picture", "--algorithm ring --as text -o never.svg"}) {
        INFO(arguments);
        CHECK(command(std::string("draw ") + arguments).status == 2);
    }
    CHECK_THAT(command("draw --algorithm ring --as tree").output, Contains("8 different ways; draw it as space-time"));
    const auto nowhere = command("draw --algorithm ring -o /nowhere/at/all.svg");
    CHECK(nowhere.status == 1);
    CHECK_THAT(nowhere.output, Contains("cannot write /nowhere/at/all.svg"));
}
