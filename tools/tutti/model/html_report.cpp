// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "html_report.hpp"

#include "../common/html_page.hpp"
#include "../common/quantities.hpp"
#include "../common/textbook_names.hpp"
#include "output.hpp"
#include "report_page.hpp"

#include <collectives/algorithm/all.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutti::tools {
namespace {

using page_json = nlohmann::ordered_json;

// What --json writes of it, and what the page alone needs.
page_json page_object(const model_row& r, bool compares_forms) {
    page_json all = to_object(r);
    all["auto"] = auto_text(r);
    all["predicted_us"] = known_or_null(compares_forms ? predicted_us(r, false) : std::nullopt);
    all["far_bytes"] = known_or_null(r.far_bytes);
    all["ranks_per_node"] = r.ranks_per_node;
    all["terms"] = known_or_null(r.terms);
    return all;
}

// Sizes go as text as well, so that the page prints them as the terminal does.
page_json page_fastest(const model_fastest& f, bool compares_forms) {
    page_json changes = page_json::array();
    for (const crossover& c : f.changes)
        changes.push_back({{"bytes", c.bytes}, {"size", rough_bytes_text(static_cast<double>(c.bytes))}, {"to", c.to}});
    return {{"operation", f.operation},
            {"ranks", f.ranks},
            {"time", f.simulated      ? "simulated_us"
                     : compares_forms ? "predicted_us"
                                      : "closed_form_us"},
            {"at_smallest", f.at_smallest},
            {"changes", std::move(changes)}};
}

page_json page_activity(const schedule::activity& a) {
    constexpr double us = 1e6;
    return page_json::array({a.rank, a.step, schedule::name_of(a.what), a.peer, a.bytes, a.begin_s * us, a.end_s * us});
}

page_json page_timeline(const model_timeline& t) {
    page_json activities = page_json::array();
    for (const schedule::activity& a : t.activities) activities.push_back(page_activity(a));
    return {{"operation", t.operation},
            {"algorithm", t.algorithm},
            {"ranks", t.ranks},
            {"bytes", t.bytes},
            {"activities", std::move(activities)}};
}

page_json page_parameters(const model_parameters& p) {
    return {{"summary", p.summary}, {"hint", p.hint}, {"facts", p.facts}, {"columns", p.columns}, {"links", p.links}};
}

page_json page_picture(int ranks, const model_picture& p) {
    page_json messages = page_json::array();
    for (const schedule::draw::message& m : p.messages)
        messages.push_back(page_json::array({m.round, m.from, m.to, m.first, m.count, m.reduced}));
    return {{"ranks", ranks}, {"svg", p.svg}, {"messages", std::move(messages)}, {"holds", p.holds}};
}

page_json page_lecture(const model_lecture& l) {
    page_json lessons = page_json::array();
    for (const model_lesson& one : l.lessons) {
        page_json pictures = page_json::array();
        for (const auto& [ranks, picture] : one.on) pictures.push_back(page_picture(ranks, picture));
        lessons.push_back({{"title", one.title},
                           {"algorithm", one.algorithm},
                           {"other_name", one.other_name},
                           {"reason", one.reason},
                           {"formula", one.formula},
                           {"pictures", std::move(pictures)}});
    }
    return {{"lessons", std::move(lessons)},
            {"bytes", l.bytes},
            {"step_s", l.step_s},
            {"hockney", known_or_null(l.hockney)}};
}

// How each algorithm's allreduce works, or all that it has, and what textbooks call it, by its name.
page_json page_ideas() {
    page_json ideas = page_json::object();
    for (const auto& list : {algorithm::all(), algorithm::compositions(), algorithm::added()})
        for (const algorithm::any& a : list) {
            std::string idea(a.idea());
            const bool of_allreduce = a.offers(schedule::operation::allreduce);
            if (const auto theirs = textbook_name(a.name()); !theirs.empty())
                idea += fmt::format("{}In textbooks: {}.", idea.empty() ? "" : " ", theirs);
            ideas[std::string(a.name())] = {{"text", std::move(idea)}, {"of_allreduce", of_allreduce}};
        }
    return ideas;
}

page_json page_data(const model_report& report) {
    page_json columns = page_json::array(), rows = columns, fastest = columns, timelines = columns;
    const page_json keys = page_object({}, false); // once: rows go as arrays
    for (const auto& [key, value] : keys.items()) columns.push_back(key);
    for (const model_row& r : report.rows) {
        rows.push_back(page_json::array());
        for (page_json& value : page_object(r, report.compares_forms)) rows.back().push_back(std::move(value));
    }
    for (const model_fastest& f : report.fastest) fastest.push_back(page_fastest(f, report.compares_forms));
    for (const model_timeline& t : report.timelines) timelines.push_back(page_timeline(t));
    return {{"machine", report.machine},
            {"ideas", page_ideas()},
            {"columns", std::move(columns)},
            {"rows", std::move(rows)},
            {"fastest", std::move(fastest)},
            {"timelines", std::move(timelines)},
            {"parameters", page_parameters(report.parameters)},
            {"lecture", page_lecture(report.lecture)}};
}

} // namespace

bool have_html_report() noexcept { return !page_before_data.empty(); }

std::string html_report(const model_report& report) {
    return filled({page_before_data, page_after_data}, page_data(report));
}

} // namespace tutti::tools
