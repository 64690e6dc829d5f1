// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../command_line.hpp"

#include <string_view>
#include <vector>

/// `tutti run` without the other commands: it builds in a moment. Its name stands for both words.
int main(int argc, char** argv) {
    std::vector<char*> words(argv, argv + argc);
    char run[] = "run";
    const std::string_view first = argc < 2 ? "" : argv[1];
    if (first != "run-agent" && first != "--version") words.insert(words.begin() + (argc > 0), run);
    words.push_back(nullptr);
    return tutti::tools::main_of(static_cast<int>(words.size()) - 1, words.data(),
                                 [](CLI::App&, tutti::tools::action&) {});
}
