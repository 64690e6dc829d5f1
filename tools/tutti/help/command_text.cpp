// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command_text.hpp"

#include <collectives/algorithm/all.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

#include <CLI/CLI.hpp>

namespace tutti::tools {
namespace {

std::vector<std::string> words_between(std::string_view text, char from, char separator, char to) {
    const auto begin = text.find(from), end = text.find(to, begin == text.npos ? 0 : begin);
    if (begin == text.npos || end == text.npos) return {};
    return CLI::detail::split(std::string{text.substr(begin + 1, end - begin - 1)}, separator);
}

template <class Name>
bool has_name(const option_text& o, const Name& name) {
    return std::find(o.names.begin(), o.names.end(), name) != o.names.end();
}

bool says(const std::string& text, const std::string& word) {
    const auto is_letter = [&](std::size_t at) {
        return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
    };
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1))
        if (!is_letter(at - 1) && !is_letter(at + word.size())) return true;
    return false;
}

// Values that no validator lists, since a list of them is a value too; some options take `all` and `auto`, and say so.
std::vector<std::string> known_names(const option_text& o) {
    std::vector<std::string> names;
    if (has_name(o, "--operation"))
        for (const schedule::operation what : schedule::operations) names.emplace_back(schedule::name_of(what));
    if (has_name(o, "--algorithm"))
        for (const algorithm::any& a : algorithm::all(2)) names.emplace_back(a.name());
    if (names.empty()) return names;
    for (const char* const further : {"all", "auto"})
        if (says(o.description, further)) names.emplace_back(further);
    return names;
}

// Where the type's own name ends: behind it come a colon and what a validator takes. A name may have a colon too.
std::size_t end_of_name(const std::string& type) {
    const auto set = type.find(":{"), bounds = type.find(" in [");
    if (set != type.npos) return set;
    return bounds == type.npos ? type.size() : type.rfind(':', bounds);
}

// CLI11 writes a type as its name, and behind a colon for each validator what it takes: TEXT:{a,b}, P:INT in [1 - 9].
option_text option_text_of(const CLI::Option& option) {
    option_text o;
    for (const std::string& name : option.get_snames()) o.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) o.names.push_back("--" + name);
    if (option.get_positional()) o.names.push_back(option.get_name(true));
    o.description = option.get_description();
    o.required = option.get_required();
    if (option.get_items_expected_max() == 0) return o;
    const std::string type = option.get_type_name();
    o.value = type.substr(0, end_of_name(type));
    const std::string taken = type.substr(o.value.size());
    o.words = words_between(taken, '{', ',', '}');
    if (o.words.empty()) o.words = known_names(o);
    if (const auto bounds = words_between(taken, '[', ' ', ']'); bounds.size() == 3)
        o.range = bounds.front() + " to " + bounds.back();
    return o;
}

} // namespace

command_text text_of(const CLI::App& app) {
    command_text command{app.get_name(), app.get_description(), app.get_footer(), {}, {}, {}};
    for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return !o->get_group().empty(); }))
        (option->get_positional() ? command.arguments : command.options).push_back(option_text_of(*option));
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App* s) { return !s->get_group().empty(); }))
        command.commands.push_back(text_of(*sub));
    return command;
}

} // namespace tutti::tools
