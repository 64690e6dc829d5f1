// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "manual.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutti::tools {
namespace {

// As roff reads it: a dash of a command line is no hyphen, and neither a point nor an apostrophe begins a request.
std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool begins = out.empty() || out.back() == '\n';
        if (begins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '-') {
            out += "\\-";
        } else if (c == '\\') {
            out += "\\e";
        } else {
            out += c;
        }
    }
    return out;
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
}

// "Examples:" alone in a line begins a section.
bool is_heading(const std::string& line) {
    return line.size() > 1 && line.size() < 40 && std::isupper(static_cast<unsigned char>(line.front())) &&
           line.find(':') == line.size() - 1;
}

// A footer is laid out for a terminal, with columns: so it stays.
std::string laid_out(const std::string& footer) {
    if (footer.empty()) return {};
    std::istringstream lines(footer);
    std::string out, line;
    bool open = false;
    const auto begin = [&](const std::string& heading) {
        if (open) out += ".fi\n";
        out += fmt::format(".SH {}\n.nf\n", heading);
        open = true;
    };
    while (std::getline(lines, line)) {
        if (is_heading(line)) {
            begin(roff(upper(line.substr(0, line.size() - 1))));
        } else {
            if (!open) begin("DESCRIPTION");
            out += roff(line) + "\n";
        }
    }
    return out + ".fi\n";
}

std::string manual_option(const option_text& o) {
    std::vector<std::string> names;
    for (const std::string& name : o.names) names.push_back(fmt::format("\\fB{}\\fR", roff(name)));
    std::string out = fmt::format(".TP\n{}", fmt::join(names, ", "));
    if (!o.value.empty()) out += fmt::format(" \\fI{}\\fR", roff(o.value));
    out += "\n" + roff(o.description) + "\n";
    if (!o.range.empty()) out += fmt::format("({})\n", roff(o.range));
    if (!o.words.empty()) out += fmt::format(".br\nOne of {}.\n", roff(fmt::format("{}", fmt::join(o.words, ", "))));
    return out;
}

std::string synopsis(const command_text& all, const command_text& one) {
    const std::string typed = &all == &one ? all.name : all.name + " " + one.name;
    std::string out = fmt::format(".SH SYNOPSIS\n\\fB{}\\fR", roff(typed));
    if (!one.commands.empty()) out += " [\\fICOMMAND\\fR]";
    out += " [\\fIOPTIONS\\fR]";
    for (const option_text& a : one.arguments) {
        const std::string name = fmt::format("\\fI{}\\fR", roff(a.names.front()));
        out += a.required ? " " + name : " [" + name + "]";
    }
    if (one.name == "run") out += " [\\-\\-] \\fIPROGRAM\\fR [\\fIARGUMENTS\\fR...]";
    return out + "\n";
}

std::string see_also(const command_text& all, const command_text& one) {
    std::vector<std::string> pages;
    for (const command_text& command : all.commands)
        if (command.name != one.name) pages.push_back(fmt::format("\\fB{}\\fR(1)", roff(page_name(all, command))));
    if (one.name != all.name) pages.insert(pages.begin(), fmt::format("\\fB{}\\fR(1)", roff(all.name)));
    return fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ",\n"));
}

} // namespace

std::string page_name(const command_text& all, const command_text& one) {
    return &all == &one ? all.name : all.name + "-" + one.name;
}

std::string manual_page(const command_text& all, const command_text& one, std::string_view version) {
    const std::string name = page_name(all, one);
    const bool names_itself = one.description.starts_with(all.name + ": ");
    const std::string purpose = one.description.substr(names_itself ? all.name.size() + 2 : 0);
    std::string out = fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n", roff(upper(name)), version);
    out += fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(purpose));
    out += synopsis(all, one);
    if (!one.commands.empty()) out += ".SH COMMANDS\n";
    for (const command_text& command : one.commands)
        out += fmt::format(".TP\n\\fB{}\\fR\n{}; see \\fB{}\\fR(1)\n", roff(command.name), roff(command.description),
                           roff(page_name(all, command)));
    out += laid_out(one.footer);
    out += ".SH OPTIONS\n";
    for (const option_text& o : one.options) out += manual_option(o);
    return out + see_also(all, one);
}

} // namespace tutti::tools
