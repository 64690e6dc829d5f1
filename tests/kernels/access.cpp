// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "kernels/reduce/access.hpp"

#include "support/catch.hpp"

#include <string>
#include <vector>

using namespace tutti::kernels;

namespace {

touched array(std::uintptr_t address, std::size_t element_bytes) {
    return {address, element_bytes, element_bytes, "source"};
}

} // namespace

TEST_CASE("a kernel takes 16 bytes at a time where its arrays are congruent modulo 16, else the widest common width") {
    CHECK(widest_access(std::vector{array(4096, 4), array(8192, 4)}, 4) == access_width{4, 0});
    CHECK(widest_access(std::vector{array(4100, 4), array(8196, 4)}, 4) == access_width{4, 3});
    CHECK(widest_access(std::vector{array(4100, 4), array(8204, 4)}, 4) == access_width{2, 1});
    CHECK(widest_access(std::vector{array(4096, 4), array(8196, 4)}, 4) == access_width{1, 0});
    CHECK(widest_access(std::vector{array(4098, 2), array(8194, 2)}, 8) == access_width{8, 7});
    CHECK(widest_access(std::vector{array(4097, 1), array(8192, 1)}, 16) == access_width{1, 0});
    CHECK(widest_access(std::vector{array(4104, 8)}, 2) == access_width{2, 1});
}

TEST_CASE("arrays of unlike elements go by the narrowest, the others in several accesses") {
    // 8 elements: 16 bytes of the narrow ones, two accesses of the wide ones.
    CHECK(widest_access(std::vector{array(4096, 2), array(8192, 4)}, 8) == access_width{8, 0});
    CHECK(widest_access(std::vector{array(4096 + 2 * 4, 2), array(8192, 4)}, 8) == access_width{8, 4});
    CHECK(widest_access(std::vector{array(4096, 2), array(8192 + 4, 4)}, 8) == access_width{1, 0});
    CHECK(most_lanes(2, 4) == 8);
    CHECK(most_lanes(1, 8) == 16);
    CHECK(most_lanes(12, 12) == 1);
    CHECK(most_lanes(16, 32) == 1);
}

TEST_CASE("an access never splits what it should not: each array is aligned to it behind the head") {
    for (std::uintptr_t a = 0; a < 16; ++a)
        for (std::uintptr_t b = 0; b < 16; ++b) {
            const access_width how = widest_access(std::vector{array(4096 + a, 1), array(8192 + b, 1)}, 16);
            INFO(a << ", " << b << ": " << how.lanes << " lanes from " << how.head);
            CHECK((a + how.head) % how.lanes == 0);
            CHECK((b + how.head) % how.lanes == 0);
            CHECK(how.head < how.lanes);
            CHECK((a % (2 * how.lanes) != b % (2 * how.lanes) || how.lanes == 16));
        }
}

TEST_CASE("an array that is not aligned to its elements is refused by name") {
    try {
        static_cast<void>(widest_access(std::vector{array(4096, 4), array(8194, 4)}, 4));
        FAIL("it was taken");
    } catch (const tutti::error& e) {
        CHECK(e.why() == tutti::cause::invalid_argument);
        CHECK(std::string(e.what()).find("a source is not aligned to its elements of 4 bytes") != std::string::npos);
    }
}
