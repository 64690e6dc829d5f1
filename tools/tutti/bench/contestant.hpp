// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../run/launch.hpp"
#include "bench.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools {

/// calls.h, mpi.c and gloo.cpp of contestants/. Defined by what embed.py writes.
extern const std::span<const std::string_view> contestant_sources;

/// Another library that is measured in turn with this one, by the same code: its ranks are processes of this command,
/// which load a shared object that makes the calls.
class contestant {
public:
    /// Compiles that object. Throws std::invalid_argument that says what is missing.
    contestant(const std::string& name, const bench_settings& settings);

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// How its ranks are started, to run `tutti bench` by this command line. They meet in `room`, a descriptor of this
    /// process.
    [[nodiscard]] launch_options launch_of(std::vector<std::string> bench_command, int room);

private:
    void require_launcher(std::string_view words_of_version);
    void compile();

    std::string name_;
    const bench_settings* settings_;
    std::string launcher_, compiler_;           // found on PATH
    std::shared_ptr<const std::string> folder_; // goes with the last owner
    int launches_ = 0;                          // each has a folder of its own in that
};

/// In a process that a launch of a contestant started: takes part, and gives the exit status of a rank.
[[nodiscard]] int bench_as_contestant(bench_settings settings, const std::string& told);
/// Where such a process finds what it is told.
inline constexpr auto contestant_variable = "TUTTI_BENCH_CONTESTANT";

} // namespace tutti::tools
