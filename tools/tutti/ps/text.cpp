// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "output.hpp"
#include "waiting.hpp"

#include "../common/quantities.hpp"
#include "../common/table_text.hpp"

#include <collectives/schedule/operation.hpp>
#include <transport/contract/notice.hpp>

#include <array>
#include <ctime>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

namespace status = transport::status;

std::string moment_text(std::int64_t wall) {
    const std::time_t t = wall;
    std::tm parts{};
    std::array<char, 32> text{};
    ::localtime_r(&t, &parts);
    std::strftime(text.data(), text.size(), "%F %T", &parts);
    return text.data();
}

std::string waits_text(const observed_rank& r, const status::call_told& c) {
    if (c.local) return ", its executor works";
    if (c.peers.empty()) return ", waits for nobody";
    std::string text = ", waits for " + ranks_text(c.peers);
    if (c.waits_for > static_cast<int>(c.peers.size()))
        text += fmt::format(" and {} more", c.waits_for - static_cast<int>(c.peers.size()));
    return text + " since " + duration_text(seconds_since(r, c.since));
}

std::string call_text(const observed_rank& r, const status::call_told& c) {
    std::string text = "in " + c.words;
    if (c.request != transport::no_number) text += fmt::format(" #{}", c.request);
    if (c.step >= 0) text += fmt::format(", step {} of {}", c.step + 1, c.steps);
    text += waits_text(r, c);
    if (c.deadline == 0) return text;
    const double left = static_cast<double>(c.deadline - r.told->copied) / 1e9 - r.age_s;
    return text +
           (left > 0 ? ", deadline in " + duration_text(left) : ", deadline passed " + duration_text(-left) + " ago");
}

/// Where the details are not known yet, or are an earlier call's.
std::string last_call_text(const observed_rank& r) {
    const std::string since = " since " + duration_text(seconds_since(r, r.told->entered));
    if (r.told->what == status::messages_code) return "in a send or receive" + since;
    if (r.told->what >= schedule::operations.size()) return "in a call" + since;
    const auto what = static_cast<schedule::operation>(r.told->what);
    return fmt::format("in {} #{}{}", name_of(what), r.told->request, since);
}

std::string work_text(const observed_rank& r) {
    const auto calls = calls_of(r);
    std::string text = calls.empty() ? last_call_text(r) : call_text(r, calls.front());
    if (r.told->under_way > 1) text += fmt::format(" ({} calls under way)", r.told->under_way);
    return text;
}

std::string state_text(const observed_rank& r) {
    std::string text;
    switch (r.state) {
    case rank_state::unknown: return "unknown";
    case rank_state::in_call: return work_text(r);
    case rank_state::outside:
        text = r.told->entered == 0 ? "outside of calls, has made none"
                                    : "outside of calls, its last one began " +
                                          duration_text(seconds_since(r, r.told->entered)) + " ago";
        break;
    default:
        text = name_of(r.state);
        if (!r.told) return text;
        if (r.age_s > 0) text += fmt::format(", {} ago", duration_text(r.age_s));
        text += r.told->under_way > 0 ? ", " + work_text(r) : ", outside of calls";
    }
    return r.told && !r.told->failure.empty() ? text + "; its calls have failed: " + r.told->failure : text;
}

std::string number_text(const observed_rank& r) {
    const bool is_numbered = r.told && r.told->global_rank >= 0;
    return std::to_string(r.rank) + (is_numbered ? fmt::format(" (global {})", r.told->global_rank) : "");
}

status::traffic_told sent_in_all(const observed_rank& r) {
    status::traffic_told sum;
    if (r.told)
        for (const auto& t : r.told->sent) sum.messages += t.messages, sum.bytes += t.bytes;
    return sum;
}

std::string peers_text(const observed_job& job) {
    std::vector<table_cells> rows{{"from", "to", "messages", "bytes"}};
    for (const observed_rank& r : job.ranks)
        if (r.told)
            for (const auto& t : r.told->sent)
                rows.push_back({std::to_string(r.rank), t.peer < 0 ? "others" : std::to_string(t.peer),
                                std::to_string(t.messages), bytes_text(static_cast<double>(t.bytes))});
    return rows.size() == 1 ? "" : "\n" + table_text(rows, "<<>");
}

} // namespace

std::string jobs_text(const std::vector<observed_job>& jobs) {
    if (jobs.empty()) return "no job of this user has ranks on this host\n";
    std::vector<table_cells> rows{{"job", "started", "ranks", "here", "program"}};
    for (const observed_job& j : jobs)
        rows.push_back({status::world_in_words(j.world), moment_text(j.joined_wall), std::to_string(j.size),
                        std::to_string(j.here) + (dead_in(j) > 0 ? fmt::format(", {} dead", dead_in(j)) : ""),
                        j.command});
    return table_text(rows, "<<>>");
}

std::string job_text(const observed_job& job, bool peers) {
    std::string text =
        fmt::format("job {}{}{}, {} ranks on {} host{}, started {}: {}\n", status::world_in_words(job.world),
                    job.group.empty() ? "" : ", group ", job.group, job.size, job.hosts, job.hosts == 1 ? "" : "s",
                    moment_text(job.joined_wall), job.command);
    std::vector<table_cells> rows{{"rank", "host", "pid", "messages", "sent", "state"}};
    for (const observed_rank& r : job.ranks) {
        const auto sent = sent_in_all(r);
        rows.push_back({number_text(r), r.host.empty() ? "-" : r.host, r.pid > 0 ? std::to_string(r.pid) : "-",
                        r.told ? std::to_string(sent.messages) : "-",
                        r.told ? bytes_text(static_cast<double>(sent.bytes)) : "-", state_text(r)});
    }
    text += table_text(rows, "<<<>>");
    if (!job.remark.empty()) text += job.remark + "\n";
    if (peers) text += peers_text(job);
    const explanation e = explain_waiting(job);
    if (!e.drawing.empty()) text += "\n" + e.drawing;
    return text + "\n" + e.sentence + "\n";
}

} // namespace tutti::tools
