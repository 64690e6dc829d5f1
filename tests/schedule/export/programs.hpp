// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/lowering/cut.hpp>

#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

namespace export_test {

using namespace tutti;

/// A program, and all that says what it is of.
struct subject {
    algorithm::any how;
    schedule::program program;
    int segments = 1;

    [[nodiscard]] std::string name() const {
        return std::string(name_of(program.what)) + "(" + std::string(how.name()) + ") on " +
               std::to_string(program.size) + ", root " + std::to_string(program.root) +
               (program.in_place ? ", in place, " : ", ") + std::to_string(segments) + " segments";
    }
    [[nodiscard]] schedule::layout cut(std::size_t count) const {
        return schedule::cut_of(program.what, program.size, how.chunks(program.what, program.size), segments, count);
    }
};

inline subject make(const algorithm::any& a, schedule::operation what, int size, int root = 0, bool in_place = false,
                    int segments = 1) {
    return {a, a.write(what, size, root, in_place, segments), segments};
}

/// Every operation of every algorithm on 2 to 9 ranks, in both places, for the first and the last root, whole and in
/// three segments.
void for_all_programs(auto&& visit) {
    for (int size = 2; size <= 9; ++size)
        for (const algorithm::any& a : algorithm::all(size % 3 == 0 ? 3 : 2))
            for (const schedule::operation what : schedule::operations) {
                if (!a.offers(what)) continue;
                for (const int root : schedule::has_root(what) ? std::set{0, size - 1} : std::set{0})
                    for (const bool in_place : {false, true})
                        for (const int segments : {1, 3}) visit(make(a, what, size, root, in_place, segments));
            }
}

/// What a file in tests/schedule/golden holds.
inline std::string golden(const std::string& name) {
    std::ifstream file(std::string(TUTTI_GOLDEN) + "/" + name);
    if (!file) throw std::runtime_error("there is no golden file " + name);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

} // namespace export_test
