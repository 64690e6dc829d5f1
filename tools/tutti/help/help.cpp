// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../commands.hpp"
#include "../common/text_output.hpp"
#include "manual.hpp"

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr auto manual_footer =
    R"(Without a COMMAND the page is that of tutti itself. With --directory all pages are written, tutti.1 and
one a command: installations call it so. The pages have the texts of --help.

Examples:
  tutti manual bench | man -l -
  tutti manual --directory ~/.local/share/man/man1

Exit status:
  0  it is written
  1  a file cannot be written
  2  the command line is wrong)";

int write_all_pages(const command_text& all, const std::string& version, const std::string& directory) {
    const std::filesystem::path to{directory};
    std::filesystem::create_directories(to);
    const auto write = [&](const command_text& one) {
        write_whole(manual_page(all, one, version), (to / (page_name(all, one) + ".1")).string());
    };
    write(all);
    for (const command_text& command : all.commands) write(command);
    return 0;
}

int write_page(const command_text& all, const std::string& version, const std::string& name) {
    for (const command_text& command : all.commands)
        if (command.name == name) return write_whole(manual_page(all, command, version), ""), 0;
    if (!name.empty()) throw std::invalid_argument(fmt::format("there is no command '{}': see tutti", name));
    write_whole(manual_page(all, all, version), "");
    return 0;
}

} // namespace

void add_manual(CLI::App& app, action& chosen) {
    struct settings {
        std::string command, directory;
    };
    auto s = std::make_shared<settings>();
    CLI::App* const c = app.add_subcommand("manual", "Print the manual page of a command, or write all of them");
    c->footer(manual_footer);
    c->add_option("COMMAND", s->command, "The command [default: tutti itself]")->type_name("");
    c->add_option("--directory", s->directory, "Write all pages into DIRECTORY instead")->type_name("DIRECTORY");
    c->callback([s, &app, &chosen] {
        chosen = [s, &app] {
            const command_text all = text_of(app);
            if (s->directory.empty()) return write_page(all, app.version(), s->command);
            return write_all_pages(all, app.version(), s->directory);
        };
    });
}

} // namespace tutti::tools
