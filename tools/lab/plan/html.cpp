// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "report.hpp"

#include "../../tutti/common/quantities.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace tutti::tools::planner {
namespace {

/// The colours and widths of tools/report/page.css, for a page without scripts.
constexpr std::string_view style = R"(
:root { color-scheme: light; --paper: #fcfcfa; --ink: #1b1f24; --quiet: #5b646e; --grid: #e4e7ea; --line: #d5d9dd; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 17px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
header, main, footer { max-width: 1080px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 56px; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 0.3em; }
h2 { font-size: 1.35rem; margin: 1.6em 0 0.4em; }
.brand { font-weight: 650; }
.scroll { overflow-x: auto; }
svg.tutti { max-width: none; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 6px 16px 6px 0; border-bottom: 1px solid var(--grid); vertical-align: top;
  font-weight: 400; }
thead th, .quiet, footer { color: var(--quiet); }
.number { text-align: right; white-space: nowrap; }
footer { border-top: 1px solid var(--line); margin-top: 40px; padding-block: 20px; font-size: 0.88rem; }
)";

std::string escaped(std::string_view words) {
    std::string safe;
    for (const char c : words) {
        if (c == '&')
            safe += "&amp;";
        else if (c == '<')
            safe += "&lt;";
        else if (c == '>')
            safe += "&gt;";
        else if (c == '"')
            safe += "&quot;";
        else
            safe += c;
    }
    return safe;
}

std::string times_table(const question& q, const searched& s, std::size_t most) {
    std::string text = "<div class=\"scroll\"><table><thead><tr><th>layout<th class=\"number\">step";
    for (const part what : parts) text += fmt::format("<th class=\"number\">{}", name_of(what));
    text += "<th class=\"number\">memory a GPU<tbody>\n";
    for (std::size_t k = 0; k < std::min(most, s.plans.size()); ++k) {
        const plan& p = s.plans[k];
        text +=
            fmt::format("<tr><td>{}<td class=\"number\">{}", escaped(words_of(p.how, q.batch)), short_time(p.step_s()));
        for (const part what : parts)
            text += fmt::format("<td class=\"number\">{:.1f} %", 100 * p.time[what] / p.step_s());
        text += fmt::format("<td class=\"number\">{}\n", bytes_text(p.memory.total()));
    }
    return text + "</table></div>\n";
}

std::string reasons(const question& q, const searched& s, std::size_t most) {
    std::string text = "<ol>\n";
    for (std::size_t k = 0; k < std::min(most, s.plans.size()); ++k) {
        const plan& p = s.plans[k];
        const std::string calls = calls_of(p);
        text += fmt::format("<li>{}: {}{}\n", escaped(words_of(p.how, q.batch)),
                            k == 0 ? "the best" : escaped(reason_of(p, s.plans.front(), q)),
                            calls.empty() ? "" : " <span class=\"quiet\">(" + escaped(calls) + ")</span>");
    }
    return text + "</ol>\n";
}

} // namespace

std::string html_report(const question& q, const searched& s, std::size_t most) {
    const std::string title = escaped(title_of(q));
    std::string text = "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                       "'unsafe-inline'\">\n<title>" +
                       title + "</title>\n<style>" + std::string(style) + "</style>\n";
    text += "<header><p class=\"brand\">tutti plan</p><h1>" + title + "</h1>\n<p class=\"quiet\">" +
            fmt::format("{} layouts were searched. Cluster: {}.</p></header>\n<main>\n", s.layouts, escaped(q.on.made));
    text += "<h2>The space</h2>\n<div class=\"scroll\">" + picture_of(q, s) + "</div>\n";
    if (s.plans.empty())
        text += "<p>" + escaped(reason_of_none(q, s)) + "</p>\n";
    else
        text += "<h2>Where the time goes</h2>\n" + times_table(q, s, most) + "<h2>Why the others are slower</h2>\n" +
                reasons(q, s, most);
    if (const std::string caution = caution_of(s, most); !caution.empty()) text += "<p>" + escaped(caution) + "</p>\n";
    return text + "</main>\n<footer>Predicted by a cost model; docs/planner.md says what it assumes, and how far it is "
                  "from published runs.</footer>\n</html>\n";
}

} // namespace tutti::tools::planner
