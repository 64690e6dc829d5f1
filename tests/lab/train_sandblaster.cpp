// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../tools/command.hpp"

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <string>

using Catch::Contains;
using tools_test::command;

namespace {

constexpr auto small_batch = "train --mode sandblaster --pictures 320 --hidden 12 --epochs 8 --portions 16 --json - ";

nlohmann::json epochs_of(const std::string& ranks) {
    const auto r = command(small_batch + ranks);
    INFO(r.output);
    REQUIRE(r.status == 0);
    return nlohmann::json::parse(r.output.substr(r.output.find('['), r.output.rfind(']') - r.output.find('[') + 1));
}

} // namespace

TEST_CASE("Sandblaster gives the same weights on any ranks, in real and in virtual time") {
    const nlohmann::json few = epochs_of("--transport memory --ranks 2");
    REQUIRE(few.size() > 3);
    CHECK(few.back()["loss"] < few.front()["loss"]);
    for (const char* ranks : {"--transport memory --ranks 5 --servers 2", "--transport shared_memory --ranks 4",
                              "--virtual 9 --servers 3 --stragglers slow\\(4,10x\\)"}) {
        CAPTURE(ranks);
        const nlohmann::json other = epochs_of(ranks);
        REQUIRE(other.size() == few.size());
        for (std::size_t i = 0; i < few.size(); ++i) {
            CHECK(other[i]["weights_hash"] == few[i]["weights_hash"]);
            CHECK(other[i]["weights_agree"] == true);
            CHECK(other[i]["test_accuracy"] == few[i]["test_accuracy"]);
        }
    }
}

TEST_CASE("Sandblaster with batches that are a part of the data") {
    const nlohmann::json all = epochs_of("--transport memory --ranks 3 --batch 80");
    CHECK(all.back()["loss"] < all.front()["loss"]);
    CHECK(all.back()["epoch"] >= 8);
}

TEST_CASE("what Sandblaster does not do is refused") {
    const auto no_replica = command("train --mode sandblaster --ranks 2 --servers 2");
    CHECK(no_replica.status == 2);
    CHECK_THAT(no_replica.output, Contains("2 servers of 2 ranks leave no replica"));
    const auto saves = command("train --mode sandblaster --checkpoint somewhere");
    CHECK(saves.status == 2);
    CHECK_THAT(saves.output, Contains("--checkpoint is for modes whose ranks are in step"));
    const auto many = command("train --mode sandblaster --pictures 64 --portions 65");
    CHECK(many.status == 2);
    CHECK_THAT(many.output, Contains("--portions 65 are more than the 64 examples of a batch"));
    CHECK(command("train --mode sandblaster --pictures 64 --batch 16 --portions 17").status == 2);
}
