// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <exception>
#include <string>

/// What the programs of tools/gpu-check tell it: lines of fields, with tabs between them.
namespace tutti::gpu_check {

inline int failed_checks = 0;

/// Something that must hold.
inline void check(const std::string& what, bool holds, const std::string& detail = {}) {
    failed_checks += !holds;
    std::printf("check\t%s\t%s\t%s\n", holds ? "passed" : "failed", what.c_str(), detail.c_str());
    std::fflush(stdout);
}

/// Something that was measured. `target`: in words, such as "0.95 or more"; empty where there is none.
inline void figure(const std::string& what, double value, const std::string& unit, const std::string& target = {},
                   bool met = true) {
    std::printf("figure\t%s\t%.6g\t%s\t%s\t%s\n", what.c_str(), value, unit.c_str(), target.c_str(),
                met ? "yes" : "no");
    std::fflush(stdout);
}

/// Something about this machine.
inline void fact(const std::string& what, const std::string& value) {
    std::printf("fact\t%s\t%s\n", what.c_str(), value.c_str());
    std::fflush(stdout);
}

/// A program's main: its exit status is 0 if all that was checked holds.
template <class Body>
int run(const Body& body) {
    try {
        body();
    } catch (const std::exception& e) {
        check("the program runs to its end", false, e.what());
    }
    return failed_checks == 0 ? 0 : 1;
}

} // namespace tutti::gpu_check
