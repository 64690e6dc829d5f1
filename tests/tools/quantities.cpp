// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/common/quantities.hpp"

#include "support/catch.hpp"

#include <string>

using tutti::tools::bandwidth_text;
using tutti::tools::bytes_text;
using tutti::tools::parse_time;
using tutti::tools::parse_time_per_byte;
using tutti::tools::time_per_byte_text;
using tutti::tools::time_text;

TEST_CASE("a time is a number with its unit, the same value however it is written") {
    CHECK(parse_time("10us") == 10e-6);
    CHECK(parse_time("1000ns") == 1e-6);
    CHECK(parse_time("1us") == 1e-6);
    CHECK(parse_time("1.5ms") == 1.5e-3);
    CHECK(parse_time("2s") == 2.);
    CHECK(parse_time("0") == 0.);
    CHECK(parse_time("0us") == 0.);
    CHECK(parse_time("1e-3us") == 1e-9);
    CHECK(parse_time("10\u00b5s") == 10e-6);
    CHECK(parse_time("10\u03bcs") == 10e-6);
}

TEST_CASE("a time per byte is that, or a bandwidth") {
    CHECK(parse_time_per_byte("1ns/B") == 1e-9);
    CHECK(parse_time_per_byte("0.1ns/B") == 1e-10);
    CHECK(parse_time_per_byte("0.001us/B") == 1e-9);
    CHECK(parse_time_per_byte("8Gbit/s") == 1e-9);
    CHECK(parse_time_per_byte("25Gbit/s") == Approx(0.32e-9));
    CHECK(parse_time_per_byte("100Mbit/s") == Approx(80e-9));
    CHECK(parse_time_per_byte("1GB/s") == 1e-9);
    CHECK(parse_time_per_byte("10GB/s") == Approx(0.1e-9));
    CHECK(parse_time_per_byte("1GiB/s") == 1. / (1 << 30));
    CHECK(parse_time_per_byte("2B/s") == 0.5);
    CHECK(parse_time_per_byte("0") == 0.);
    for (const char* text : {"25Gb/s", "25gbit/s", "25gb/s", "25000Mb/s", "0.025tbit/s"})
        CHECK(parse_time_per_byte(text) == Approx(0.32e-9));
    CHECK(parse_time_per_byte("0.001\u00b5s/B") == 1e-9);
}

TEST_CASE("what is no time or bandwidth is refused, and quoted") {
    for (const char* text :
         {"", "10", "us", "-1us", "10 us", "10xs", "10us/B", "1GB/s", "nanus", "infs", "1e400s", "-0"})
        CHECK_THROWS_WITH(parse_time(text), Catch::Contains("'" + std::string(text) + "' is no time: "));
    for (const char* text :
         {"", "10", "1ns", "/B", "1/B", "0Gbit/s", "-1GB/s", "25Xb/s", "25gb", "25gB/s", "1ns/b", "1ns/B "})
        CHECK_THROWS_WITH(parse_time_per_byte(text),
                          Catch::Contains("'" + std::string(text) + "' is no time per byte"));
}

TEST_CASE("bytes of what is not known better have two digits") {
    using tutti::tools::rough_bytes_text;
    CHECK(rough_bytes_text(9) == "9 B");
    CHECK(rough_bytes_text(127) == "130 B");
    CHECK(rough_bytes_text(1015) == "1000 B");
    CHECK(rough_bytes_text(24000) == "23 KiB");         // 23.4
    CHECK(rough_bytes_text(1003 * 1024) == "0.98 MiB"); // 0.9795
    CHECK(rough_bytes_text(2.711 * 1024 * 1024) == "2.7 MiB");
    CHECK(rough_bytes_text(102228128) == "97 MiB");
}

TEST_CASE("quantities are shown with units that fit them") {
    CHECK(time_text(10e-6) == "10 us");
    CHECK(time_text(1e-6) == "1 us");
    CHECK(time_text(999e-9) == "999 ns");
    CHECK(time_text(0.25e-9) == "0.25 ns");
    CHECK(time_text(1. / 3) == "333.333 ms");
    CHECK(time_text(90) == "90 s");
    CHECK(time_text(0) == "0");
    CHECK(time_per_byte_text(0.32e-9) == "0.32 ns/B");
    CHECK(time_per_byte_text(0) == "0");
    CHECK(bandwidth_text(1.25e12) == "1.25 Tbit/s");
    CHECK(bandwidth_text(100e6) == "100 Mbit/s");
    CHECK(bytes_text(0) == "0 B");
    CHECK(bytes_text(1000) == "1000 B");
    CHECK(bytes_text(1023) == "1023 B");
    CHECK(bytes_text(8192) == "8 KiB");
    CHECK(bytes_text(1023 * 1024) == "0.999 MiB");
    CHECK(bytes_text(102228128) == "97.49 MiB");
    CHECK(tutti::tools::volume_text(8192) == "8 KiB");
    CHECK(tutti::tools::volume_text(std::nullopt) == "-");
    CHECK(bytes_text(1e30) == "8.674e+11 EiB");
}
