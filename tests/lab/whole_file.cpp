// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/whole_file.hpp"
#include "../../tools/tutti/common/random.hpp"

#include "../tools/folder.hpp"

#include "support/catch.hpp"

#include <zlib.h>

using namespace tutti::tools;

namespace {

std::string some_bytes() {
    std::string all;
    random_source random{1};
    for (int i = 0; i < 5000; ++i) all += static_cast<char>(random.below(1 + static_cast<std::uint64_t>(i) / 20));
    return all;
}

void write_packed(const std::string& path, const std::string& bytes) {
    gzFile const file = gzopen(path.c_str(), "wb");
    REQUIRE(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())) == static_cast<int>(bytes.size()));
    REQUIRE(gzclose(file) == Z_OK);
}

} // namespace

TEST_CASE("a file is read as it is, and a packed one as it was") {
    const tools_test::folder folder;
    const std::string path = folder.path("file"), bytes = some_bytes();
    folder.write("file", bytes);
    CHECK(whole_file(path) == bytes);
    write_packed(path, bytes);
    CHECK(whole_file(path) == bytes);
    folder.write("file", "");
    CHECK(whole_file(path).empty());
    CHECK_THROWS_WITH(whole_file(folder.path("other")), Catch::Contains("other: No such file"));
    CHECK_THROWS_WITH(whole_file("/"), Catch::Contains("cannot read /: "));
}

TEST_CASE("packed data that are cut off are refused, wherever the cut is") {
    const tools_test::folder folder;
    const std::string path = folder.path("file");
    write_packed(path, some_bytes());
    const std::string packed = folder.read("file");
    for (std::size_t length = 18; length < packed.size(); length += length < packed.size() - 20 ? 97 : 1) {
        folder.write("file", packed.substr(0, length));
        INFO(length << " of " << packed.size());
        REQUIRE_THROWS_WITH(whole_file(path), Catch::Contains("cut off"));
    }
}

TEST_CASE("packed data that are damaged are refused, and none are taken for others") {
    const tools_test::folder folder;
    const std::string path = folder.path("file");
    write_packed(path, some_bytes());
    const std::string packed = folder.read("file");
    random_source random{2};
    for (int i = 0; i < 100; ++i) {
        std::string damaged = packed;
        damaged[10 + random.below(packed.size() - 10)] ^= static_cast<char>(1 + random.below(255));
        folder.write("file", damaged);
        REQUIRE_THROWS_WITH(whole_file(path), Catch::Contains("cannot read"));
    }
}
