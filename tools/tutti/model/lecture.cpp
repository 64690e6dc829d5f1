// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "lecture.hpp"

#include "../bench/contest.hpp"
#include "../common/choices.hpp"
#include "../common/quantities.hpp"
#include "../common/table_text.hpp"
#include "../common/textbook_names.hpp"
#include "holdings.hpp"
#include "output.hpp"

#include <base/error.hpp>
#include <collectives/algorithm/all.hpp>
#include <collectives/model/closed_form.hpp>
#include <collectives/model/counts.hpp>
#include <collectives/schedule/draw.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr std::size_t parameter_bytes = 4;

/// One way to sum gradients, as a schedule; in the reason stand the figures that were counted. The formula is Hockney's
/// for P ranks, which where it has a logarithm are a power of two: what alpha, beta and gamma are multiplied by.
struct lesson {
    std::string title;
    std::string algorithm;
    std::string reason;
    std::array<std::string, 3> formula{};
};

const std::array lessons{
    lesson{"central parameter server",
           "naive",
           "All ranks send everything to rank 0, which sends the sum back. Its link takes in {received} and hands out "
           "{sent} in each step, {as_ring}, and with each further worker more: with many it collapses while the "
           "links of all others idle.",
           {"2 (P − 1)", "2 n (P − 1)", "n (P − 1)"}},
    lesson{"sharded parameter server",
           "parameter_server",
           "Every rank serves a part of the parameters, so that no rank moves more than {busiest}, {as_ring}. "
           "But one receives from {fan_in} at once, and each message of a rank ({sent_messages:.0f} of them) pays its "
           "latency, and its place in the queues of the network.",
           {"2 (P − 1)", "2 n (P − 1) / P", "n (P − 1) / P"}},
    lesson{"one shot",
           "one_shot",
           "Everybody sends everything to everybody and sums for itself. Nobody waits for more than one message on its "
           "way, but every rank takes in {received}, and {total} go through the network: right for a few bytes between "
           "a few ranks.",
           {"P − 1", "n (P − 1)", "n (P − 1)"}},
    lesson{"ring",
           "ring",
           "Each rank takes from one neighbour and sends to the other, {sent} in all, which hardly depends on how many "
           "ranks there are. The price is the number of its rounds, {rounds}, one after the other: little data waits "
           "for as many latencies.",
           {"2 (P − 1)", "2 n (P − 1) / P", "n (P − 1) / P"}},
    lesson{
        "butterfly",
        "butterfly",
        "A rank exchanges all of the data with one partner after the other, {as_ring}; ranks beyond a power of two "
        "hand theirs in first, and get the result. Rounds are few ({rounds}), and so latencies: right for little data.",
        {"log₂ P", "n log₂ P", "n log₂ P"}},
    lesson{"butterfly by halves",
           "halving_doubling",
           "Partners exchange half of the data, then a quarter, and so on, and back: {as_ring}, in "
           "few rounds ({rounds}). Ranks beyond a power of two first send all their data to a partner, and count as "
           "one with it: a half, which is of half of the partners, is then up to two thirds of the data. It goes half "
           "of all ranks away, which costs more where links are shared, as with --oversubscription.",
           {"2 log₂ P", "2 n (P − 1) / P", "n (P − 1) / P"}},
    lesson{"double tree", "double_binary_tree",
           "Two trees carry one half each, cut into {segments} piece{plural}; who is a leaf in one "
           "passes on in the "
           "other. No rank sends more than {sent}, nor more than twice the data however many there are, and a piece "
           "waits for {depth} messages: "
           "nearly as few bytes as the ring, and latencies that grow with the logarithm of the ranks."},
    lesson{
        "binomial tree",
        "binomial_tree",
        "Every second rank hands its vector to a partner, then every second of these, until one rank has the sum, "
        "which returns the same way: a chain of {depth} messages. But whole vectors travel, most ranks wait, and the "
        "root alone takes in {received}: right for little data.",
        {"2 log₂ P", "2 n log₂ P", "n log₂ P"}},
    lesson{"hierarchical rings", "hierarchical:ring:ring", "{by_nodes}, and {rounds} rounds are enough."},
};

constexpr std::size_t ring_lesson = 3; ///< what others are compared with

/// Of an algorithm without a text of its own.
constexpr const char* plain_reason = "The busiest rank moves {busiest}, {as_ring}, and the fan-in is {fan_in}. The "
                                     "number of rounds is {rounds}, and the "
                                     "depth, a chain of messages that wait for each other, is {depth}.";

/// Those that are asked for, in their order.
std::vector<lesson> lessons_of(const lecture_settings& s) {
    if (s.algorithms.empty()) return {lessons.begin(), lessons.end()};
    constexpr int ranks = 8; // all algorithms have an allreduce on these
    std::vector<lesson> wanted;
    for (const choice& c : choices(s.algorithms, schedule::operation::allreduce, ranks)) {
        if (!c.algorithm) throw std::invalid_argument("auto chooses among the others; write all");
        const auto told = std::ranges::find(lessons, c.name, &lesson::algorithm);
        const std::string idea(c.algorithm->idea());
        wanted.push_back(
            told != lessons.end() ? *told : lesson{c.name, c.name, idea + (idea.empty() ? "" : " ") + plain_reason});
    }
    return wanted;
}

struct studied {
    lesson what;
    model::collective call;
    model::counts counted;
    std::optional<double> time_us;
    std::string time_by; ///< by what

    [[nodiscard]] double busiest() const {
        return static_cast<double>(std::max(counted.sent.most, counted.received.most));
    }
};

std::string number(const std::optional<long long>& value, const char* otherwise = "-") {
    return value ? std::to_string(*value) : otherwise;
}

table_cells lesson_cells(const studied& e, double step_s) {
    return cells("  " + e.what.title, e.what.algorithm, number(e.counted.rounds), std::to_string(e.counted.messages),
                 volume_text(e.counted.total_bytes), volume_text(e.counted.inbound_max),
                 volume_text(e.counted.received.most), volume_text(e.counted.sent.most), number(e.counted.fan_in),
                 bandwidth_text(8 * e.busiest() / step_s), e.time_us ? time_text(*e.time_us / 1e6) : "-", e.time_by,
                 e.time_us ? fmt::format("{:.1f} %", *e.time_us / 1e4 / step_s) : "-");
}

std::string as_ring(double ratio) {
    constexpr double little = 0.005; // what pieces of uneven size make
    if (std::abs(ratio - 1) < little) return "as much as a rank of the ring";
    return fmt::format("{:.3g} times as much as a rank of the ring", ratio);
}

/// Breaks a text into lines of at most 100 columns, each indented by two.
std::string wrapped(const std::string& text) {
    constexpr std::size_t columns = 100;
    std::istringstream words(text);
    std::string all, line;
    for (std::string word; words >> word;) {
        if (!line.empty() && 2 + line.size() + 1 + word.size() > columns) all += "  " + std::exchange(line, "") + "\n";
        line += (line.empty() ? "" : " ") + word;
    }
    return all + "  " + line;
}

/// The page has the same words.
std::string by_nodes(const studied& e, int per_node) {
    if (per_node == 1 || per_node >= e.call.size)
        return fmt::format("Here a node has {} of the {} ranks, so that this is one ring of all of them",
                           std::min(per_node, e.call.size), e.call.size);
    return fmt::format("The ranks of a node ({}) sum among themselves first, so that of {} only {} go between nodes",
                       per_node, volume_text(e.counted.total_bytes),
                       e.counted.levels ? volume_text(e.counted.levels->far) : "what must");
}

void print_reason(const studied& e, double ring_bytes, int per_node) {
    constexpr auto many = "uncounted"; // with too many ranks
    const model::counts& n = e.counted;
    const std::string_view theirs = textbook_name(e.what.algorithm);
    fmt::print("\n{} ({}{}{})\n{}\n", e.what.title, e.what.algorithm, theirs.empty() ? "" : "; ", theirs,
               wrapped(fmt::format(
                   fmt::runtime(e.what.reason), fmt::arg("received", volume_text(n.received.most)),
                   fmt::arg("sent", volume_text(n.sent.most)), fmt::arg("busiest", bytes_text(e.busiest())),
                   fmt::arg("total", volume_text(n.total_bytes)),
                   fmt::arg("as_ring", as_ring(e.busiest() / ring_bytes)), fmt::arg("fan_in", number(n.fan_in, many)),
                   fmt::arg("rounds", number(n.rounds, many)), fmt::arg("depth", number(n.depth, many)),
                   fmt::arg("sent_messages", static_cast<double>(n.messages) / e.call.size),
                   fmt::arg("segments", e.call.segments), fmt::arg("plural", e.call.segments == 1 ? "" : "s"),
                   fmt::arg("by_nodes", by_nodes(e, per_node)))));
}

studied study(const lesson& l, int ranks, std::size_t bytes, pricing& prices) {
    const model::collective c = prices.call(schedule::operation::allreduce, l.algorithm, ranks, bytes);
    require_proven(c.how, c.what, ranks);
    return {l, c, model::count(c, prices.width_of_node(ranks)), std::nullopt, {}};
}

/// The times of the tables and of the page.
void take_times(std::vector<studied>& entries, int ranks, std::size_t bytes, pricing& prices) {
    contest all{schedule::operation::allreduce, ranks, {}};
    for (const studied& e : entries) all.algorithms.emplace_back(e.what.algorithm);
    std::vector<model_row> rows;
    price(all, {bytes}, prices, rows);
    for (std::size_t k = 0; k < entries.size(); ++k) {
        if (entries[k].call.segments != rows[k].segments) { // chosen by simulation
            entries[k].call.segments = rows[k].segments;
            entries[k].counted = model::count(entries[k].call, prices.width_of_node(ranks));
        }
        entries[k].time_us = predicted_us(rows[k], prices.simulates());
        entries[k].time_by = source_of_time(rows[k], prices.simulates());
    }
}

/// Those that can be counted; of the others it prints why not.
std::vector<studied> study_all(int ranks, const lecture_settings& s, pricing& prices) {
    std::vector<studied> entries;
    for (const lesson& l : lessons_of(s)) {
        try {
            entries.push_back(study(l, ranks, s.bytes(), prices));
        } catch (const error& e) { // the bytes of all ranks are too many
            fmt::print("# {} ({}): not counted: {}\n", l.title, l.algorithm, e.facts().detail);
        }
    }
    take_times(entries, ranks, s.bytes(), prices);
    return entries;
}

constexpr int most_drawn_ranks = 8; ///< more are not legible from the back of a room

/// An allreduce: as trees where data travel along such, else in a space-time diagram. Hierarchical ones have the nodes
/// that the text tells of.
model_picture picture_of(const lesson& l, int ranks, const pricing& prices) {
    constexpr std::array along_trees{"naive", "binomial_tree", "double_binary_tree"};
    const schedule::program p =
        algorithm::by_name(l.algorithm, prices.width_of_node(ranks)).write(schedule::operation::allreduce, ranks);
    auto t = schedule::draw::timeline_of(p);
    const bool trees = std::ranges::find(along_trees, l.algorithm) != along_trees.end();
    std::string svg = trees ? schedule::draw::trees_svg(t, l.title) : schedule::draw::space_time_svg(t, l.title);
    return {std::move(svg), std::move(t.messages), holdings_of(p)};
}

/// Those of the page that can be drawn, or else the most that can.
std::vector<int> drawn_ranks(const std::vector<int>& ranks) {
    std::vector<int> few;
    for (const int r : ranks)
        if (r <= most_drawn_ranks) few.push_back(r);
    return few.empty() ? std::vector<int>{most_drawn_ranks} : few;
}

/// What a closed form multiplies alpha, beta and gamma by. Nothing where it is not a sum of these three.
std::optional<std::array<double, 3>> terms_of(const model::collective& c, const model::hockney& by) {
    const auto seconds = [&](double alpha, double beta, double gamma) -> double {
        const auto form = model::closed_form(c, model::hockney{alpha, beta, gamma});
        return form ? form->seconds : std::numeric_limits<double>::quiet_NaN();
    };
    const std::array<double, 3> terms{seconds(1, 0, 0), seconds(0, 1, 0), seconds(0, 0, 1)};
    const double sum = terms[0] * by.alpha_s + terms[1] * by.beta_s_per_byte + terms[2] * by.gamma_s_per_byte;
    const double all = seconds(by.alpha_s, by.beta_s_per_byte, by.gamma_s_per_byte);
    return std::abs(sum - all) <= 1e-9 * all ? std::optional(terms) : std::nullopt;
}

} // namespace

std::string lecture_algorithms(const lecture_settings& s) {
    std::string names;
    for (const lesson& l : lessons_of(s)) names += (names.empty() ? "" : ",") + std::string(l.algorithm);
    return names;
}

model_lecture page_lecture(const lecture_settings& s, const std::vector<int>& ranks, const pricing& prices) {
    model_lecture all{{}, s.bytes(), s.step_s};
    for (const lesson& l : lessons_of(s)) {
        model_lesson& one = all.lessons.emplace_back();
        one = {l.title, l.algorithm, std::string(textbook_name(l.algorithm)), l.reason, l.formula, {}};
        for (const int r : drawn_ranks(ranks)) one.on.emplace(r, picture_of(l, r, prices));
    }
    if (const auto* const h = std::get_if<model::hockney>(&prices.by().parameters))
        all.hockney = {h->alpha_s, h->beta_s_per_byte, h->gamma_s_per_byte};
    return all;
}

void add_for_lecture(std::span<model_row> rows, const pricing& prices) {
    const auto* const h = std::get_if<model::hockney>(&prices.by().parameters);
    for (model_row& r : rows) {
        r.ranks_per_node = prices.width_of_node(r.ranks);
        model::collective c = prices.call(schedule::operation::allreduce, r.algorithm, r.ranks, r.bytes);
        c.segments = r.segments;
        if (h) r.terms = terms_of(c, *h);
        if (!c.how.has_levels() || !r.total_bytes) continue;
        if (const auto levels = model::count(c, r.ranks_per_node).levels) r.far_bytes = levels->far;
    }
}

void lecture(int ranks, const lecture_settings& s, pricing& prices) {
    if (ranks < 2) throw std::invalid_argument("a lecture on sums over ranks needs 2 ranks at least");
    const std::size_t bytes = s.bytes();
    fmt::print("# To sum {} of gradients ({} parameters of {} bytes) over {} ranks, once in a step of {}\n",
               bytes_text(static_cast<double>(bytes)), s.parameters, parameter_bytes, ranks, time_text(s.step_s));
    fmt::print("# machine: {}\n# times, as in the tables and on the page of --html: {}\n# simulated{}: {}\n",
               prices.by().description, prices.simulates() ? "simulated" : "closed forms, ~ where they are estimates",
               prices.simulates() ? "" : " where an estimate could win", prices.rule());
    const std::vector<studied> entries = study_all(ranks, s, prices);
    if (entries.empty()) throw std::invalid_argument("so many parameters cannot be counted");
    const double ring_bytes = study(lessons[ring_lesson], ranks, bytes, prices).busiest();
    std::vector<table_cells> table{{"", "algorithm", "rounds", "messages", "total", "inbound", "received", "sent",
                                    "fan-in", "bandwidth", "time", "by", "of a step"},
                                   {"", "", "", "", "sent", "peak", "max", "max", "max", "that it needs", "", "", ""}};
    for (const studied& e : entries) table.push_back(lesson_cells(e, s.step_s));
    fmt::print("\n{}", table_text(table, "<<>>>>>>>>>>>"));
    for (const studied& e : entries) print_reason(e, ring_bytes, prices.width_of_node(ranks));
    fmt::print(R"(
# inbound peak: the most bytes that one rank takes in at the same depth, which is what its port and its buffers have to
# stand at once. Bandwidth that it needs: for the busiest rank to send or receive its bytes within one step, with
# nothing else on its port and each direction by itself. All of it is counted from the steps of all ranks. Times are
# predicted for the same steps; --simulate executes them in the model, here and on the page.
)");
}

} // namespace tutti::tools
