// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Writes a report for tests/tools/html_report.py: html_report_sample KIND > FILE. Times by the closed forms of Hockney
// and LogGP for powers of two (Thakur, Rabenseifner and Gropp 2005); "measured" is the simulated time, shaken.

#include "../../tools/lab/train/html.hpp"
#include "../../tools/tutti/bench/page.hpp"
#include "../../tools/tutti/common/sections_page.hpp"
#include "../../tools/tutti/model/html_report.hpp"
#include "../../tools/tutti/model/output.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

using tutti::schedule::action;
using tutti::schedule::activity;
using tutti::tools::model_fastest;
using tutti::tools::model_picture;
using tutti::tools::model_report;
using tutti::tools::model_row;
using tutti::tools::model_timeline;

namespace {

constexpr double alpha = 10, beta = 1e-4, gamma_us = 2e-5;              // us, us per byte
constexpr double latency = 6, overhead = 1.5, gap = 2, gap_byte = 1e-4; // L, o, g, G

double message(double bytes) { return latency + 2 * overhead + std::max(bytes - 1, 0.0) * gap_byte; }

struct times {
    double hockney, loggp;
};

times times_of(std::string_view name, double p, double n) {
    const double l = std::log2(p), b = n / p, others = p - 1;
    const auto inbound = [&](double bytes, double reduced) {
        return latency + overhead + others * (std::max(overhead, gap) + bytes * gap_byte + reduced * gamma_us);
    };
    const double least = 2 * others / p * n * beta + others * b * gamma_us, least_loggp = others * b * gamma_us;
    if (name == "naive")
        return {2 * others * (alpha + n * beta) + others * n * gamma_us, inbound(n, n) + inbound(n, 0)};
    if (name == "one_shot") return {others * (alpha + n * (beta + gamma_us)), inbound(n, n)};
    if (name == "parameter_server") return {2 * others * alpha + least, inbound(b, b) + inbound(b, 0)};
    if (name == "ring") return {2 * others * alpha + least, 2 * others * message(b) + least_loggp};
    if (name == "butterfly") return {l * (alpha + n * (beta + gamma_us)), l * (message(n) + n * gamma_us)};
    if (name == "binomial_tree")
        return {2 * l * (alpha + n * beta) + l * n * gamma_us, 2 * l * message(n) + l * n * gamma_us};
    double halves = 0;
    for (double part = n / 2; part >= b; part /= 2) halves += message(part);
    return {2 * l * alpha + least, 2 * halves + least_loggp};
}

model_row row_of(std::string_view name, int ranks, std::size_t bytes) {
    const double p = ranks, n = static_cast<double>(bytes), l = std::log2(p);
    const times t = times_of(name, p, n);
    const bool whole = name == "naive" || name == "one_shot",
               logarithmic = name == "butterfly" || name == "binomial_tree";
    const double busiest = whole ? (p - 1) * n : logarithmic ? l * n : 2 * (p - 1) / p * n;
    const double total = name == "naive" || name == "binomial_tree" ? 2 * (p - 1) * n : p * busiest;
    const bool crowded = whole || name == "parameter_server";
    const double rounds = name == "butterfly"         ? l
                          : name == "one_shot"        ? p - 1
                          : crowded || name == "ring" ? 2 * (p - 1)
                                                      : 2 * l;
    const double depth = name == "one_shot" ? 1 : crowded ? 2 : rounds;
    model_row r{"allreduce", std::string(name), ranks, bytes, {}, {}, {}, {}, {}, {}, {}, t.hockney, t.loggp, {}};
    r.closed_form_is_exact = true;
    r.depth = std::llround(depth);
    r.rounds = std::llround(rounds);
    r.messages = std::llround(name == "naive" || name == "binomial_tree" ? 2 * (p - 1) : p * rounds);
    r.bytes_sent_max = r.bytes_received_max = std::llround(busiest);
    r.fan_in_max = crowded ? ranks - 1 : 1;
    r.total_bytes = std::llround(total);
    if (name == "ring") r.terms = {2 * (p - 1), busiest, busiest / 2};
    if (ranks <= 4)
        r.measured_us =
            t.loggp * (1.05 + 0.22 * std::sin(l * 2.3 + std::log2(n) * 1.7 + static_cast<double>(name.size())));
    return r;
}

model_timeline ring_of_four() {
    constexpr int p = 4, bytes = 4096;
    const double each = message(bytes / p) * 1e-6, wire = (overhead + bytes / p * gap_byte) * 1e-6;
    model_timeline t{"allreduce", "ring", p, bytes, {}};
    for (int k = 0; k < 2 * (p - 1); ++k) {
        for (int rank = 0; rank < p; ++rank) {
            const double begin = k * each;
            t.activities.push_back({rank, 2 * k, action::send, (rank + 1) % p, bytes / p, begin, begin + wire});
            t.activities.push_back({rank, 2 * k + 1, k < p - 1 ? action::receive_reduce : action::receive,
                                    (rank + p - 1) % p, bytes / p, begin + each - wire, begin + each});
        }
    }
    return t;
}

constexpr std::string_view names[]{"naive",     "parameter_server", "one_shot",     "ring",
                                   "butterfly", "halving_doubling", "binomial_tree"};

model_fastest fastest_on(int ranks, std::size_t least, std::size_t most) {
    const auto winner = [ranks](std::size_t bytes) {
        std::vector<std::optional<double>> us;
        for (const std::string_view name : names)
            us.emplace_back(times_of(name, ranks, static_cast<double>(bytes)).loggp);
        return std::string(names[*tutti::tools::winner_of(us)]);
    };
    return {"allreduce", ranks, true, winner(least), tutti::tools::crossovers(std::vector{least, most}, winner)};
}

model_report lecture() {
    model_report all{
        "Hockney: alpha 10 µs, beta 0.1 ns/B (80 Gbit/s), gamma 0.02 ns/B. Simulated by LogGP: L 6 µs, o 1.5 µs, "
        "g 2 µs, G 0.1 ns/B. A sample; no machine was measured.",
        {},
        {ring_of_four()},
        {}};
    constexpr std::size_t least = 8, most = 256 << 20;
    for (int ranks = 2; ranks <= 1024; ranks *= 2) {
        for (std::size_t bytes = least; bytes <= most; bytes *= 2) {
            for (const std::string_view name : names) all.rows.push_back(row_of(name, ranks, bytes));
        }
        all.fastest.push_back(fastest_on(ranks, least, most));
    }
    return all;
}

model_report many() {
    model_report all{"200 sizes, 40 numbers of ranks, 12 algorithms, some of them not everywhere", {}, {}, {}};
    for (int ranks = 2; ranks <= 80; ranks += 2) {
        for (int i = 1; i <= 200; ++i) {
            for (int a = 0; a < 12; ++a) {
                model_row r = row_of(names[static_cast<std::size_t>(a) % 7], ranks, static_cast<std::size_t>(i) * 4096);
                r.algorithm += a < 7 ? "" : ":" + std::to_string(a);
                if (a == 3 && ranks > 40) r.simulated_us.reset();
                if (a == 5 && (ranks & (ranks - 1)) != 0) continue;
                all.rows.push_back(r);
            }
        }
    }
    return all;
}

// Nothing but what a row must have, one algorithm, and times that no logarithm has.
model_report sparse() {
    model_report all{"",
                     {{"broadcast", "ring", 1, 0, {}, {}, {}, {}, {}, {}, {}, 0.0, {}, {}}},
                     {{"broadcast", "ring", 1, 0, {}}},
                     {}};
    all.rows.push_back({"reduce", "ring", 1, 0, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}});
    return all;
}

model_report one_row() {
    model_report all = lecture();
    all.rows.resize(1);
    all.timelines.clear();
    all.fastest.clear();
    return all;
}

model_report measured_only() {
    model_report all{"only measured", {}, {}, {}};
    for (model_row r : lecture().rows) {
        r.closed_form_us.reset();
        r.simulated_us.reset();
        if (r.measured_us) all.rows.push_back(r);
    }
    return all;
}

// On two ranks one_shot and butterfly are the same call: their times differ by what rounding makes of them.
model_report ties() {
    model_report all = lecture();
    all.fastest.clear();
    double noise = 1e-12;
    for (model_row& r : all.rows) {
        r.simulated_us.reset();
        if (r.ranks == 2 && r.algorithm == "butterfly") *r.closed_form_us *= 1 + (noise = -noise);
    }
    return all;
}

/// With another name of the ring.
model_report renamed(const std::string& name) {
    model_report all = lecture();
    all.timelines[0].algorithm = name;
    for (model_row& r : all.rows) r.algorithm = r.algorithm == "ring" ? name : r.algorithm;
    return all;
}

// As without --simulate and measured times: forms are compared, an estimate was simulated, and auto is the ring.
model_report forms() {
    model_report all = lecture();
    all.fastest.clear();
    all.compares_forms = true;
    for (model_row& r : all.rows) {
        if (r.algorithm != "parameter_server") r.simulated_us.reset();
        r.measured_us.reset();
        r.closed_form_is_exact = r.algorithm != "parameter_server" && r.algorithm != "butterfly";
        r.auto_segments = r.algorithm == "ring" ? 2 : 0;
    }
    return all;
}

// What must stay text: ends of elements, markup, quotes, what is not UTF-8.
model_report hostile() {
    const std::string name =
        "</script><script>window.harmed=1</script><img src=x onerror='window.harmed=1'>\"'\\ \xff<!--";
    model_report all = renamed(name);
    all.machine = name;
    for (model_fastest& f : all.fastest) f.at_smallest = name;
    return all;
}

// As `tutti model --lecture` has it, with less of everything.
model_report lessons() {
    model_report all = lecture();
    all.parameters = {"a sample of LogGP",
                      "give --ranks-per-node",
                      {{"Made", "by hand"}, {"Nodes", "2 cores each"}},
                      {"link", "messages", "L"},
                      {{"near", "up to 64 B", "1 us"}, {"near", "beyond 64 B", "2 us"}}};
    constexpr std::string_view picture = R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">)"
                                         R"(<path d="M0 0L40 20" stroke="#000"/></svg>)";
    all.lecture.bytes = 128 << 20;
    all.lecture.step_s = 0.5;
    all.lecture.hockney = {alpha * 1e-6, beta * 1e-6, gamma_us * 1e-6};
    // On two ranks of one chunk: the one adds the other's, and sends the sum back.
    const model_picture two{
        std::string(picture), {{1, 1, 0, 0, 1, true}, {2, 0, 1, 0, 1, false}}, {{{1}, {2}}, {{3}, {2}}, {{3}, {3}}}};
    all.lecture.lessons = {
        {"central server", "naive", "flat tree", "It takes in {received}, {as_ring}.", {}, {{2, two}}},
        {"circle",
         "ring",
         "",
         "Each sends {sent} in {rounds} rounds, {sent_messages:.0f} messages.",
         {"2 (P − 1)", "2 n (P − 1) / P", "n (P − 1) / P"},
         {{2, two}}}};
    return all;
}

// Of a training that was cut short in its fourth epoch.
std::string training() {
    const tutti::tools::train_settings settings;
    std::vector<tutti::tools::epoch_result> epochs;
    std::vector<tutti::tools::curve_point> steps;
    for (int k = 1; k <= 3; ++k) {
        tutti::tools::epoch_result e;
        e.epoch = static_cast<std::size_t>(k);
        e.loss = 2.0 / k;
        e.test_loss = 2.2 / k;
        e.train_accuracy = 1 - 0.5 / k;
        e.test_accuracy = 1 - 0.6 / k;
        e.seconds = 2;
        e.exposed_seconds = 0.5;
        epochs.push_back(e);
    }
    for (int k = 1; k <= 33; ++k) steps.push_back({0.1 * k, 2.4 - 0.05 * k});
    return tutti::tools::training_html(settings, 4, epochs, steps);
}

// Ratios below one, on both axes and on one; a band that two deviations would take below nothing; one place alone.
std::string study_page() {
    using json = nlohmann::ordered_json;
    const auto point = [](double x, double y) { return json{{"x", x}, {"y", y}, {"low", y - 50}, {"high", y + 50}}; };
    const json accuracy{{"title", "accuracy"},
                        {"x", "seconds"},
                        {"y", "accuracy, %"},
                        {"log_x", true},
                        {"series",
                         {{{"name", "a"}, {"points", {point(0.013, 10), point(0.4, 80)}}},
                          {{"name", "b"}, {"points", {point(0.02, 20), point(0.3, 60)}}}}}};
    const auto bare = [](double x, double y) { return json{{"x", x}, {"y", y}}; };
    const json loss{{"title", "loss"},
                    {"x", "passes"},
                    {"y", "loss"},
                    {"log_y", true},
                    {"series", json::array({{{"name", "a"}, {"points", {bare(1, 0.27), bare(2, 0.21)}}}})}};
    const json place{{"title", "place"},
                     {"x", "machines"},
                     {"y", "seconds"},
                     {"log_y", true},
                     {"powers_of_two", true},
                     {"series",
                      {{{"name", "a"}, {"points", json::array({bare(1, 0.5)})}},
                       {{"name", "b"}, {"points", json::array({bare(1, 0.25)})}}}}};
    const json table{{"caption", "A table"},
                     {"heads", {"way", "a, \"b\""}},
                     {"lines", json::array({json::array({"one", "1 ± 2"})})}};
    return tutti::tools::sections_page(
        {{"title", "A study"},
         {"lead", ""},
         {"made", ""},
         {"sources", ""},
         {"sections",
          json::array({{{"title", "All"}, {"charts", {accuracy, loss, place}}, {"tables", json::array({table})}}})}});
}

// A row of `tutti bench --json` on four ranks, whose allreduce moves 2 (4 - 1) / 4 = 1.5 times its bytes; the interval
// is a tenth to each side.
using bench_row = tutti::tools::row_object;
bench_row bench_row_of(std::string_view operation, std::string_view algorithm, std::size_t bytes, double us) {
    bench_row row = tutti::tools::to_json({}, {}, {});
    const bench_row own{{"operation", operation},
                        {"algorithm", algorithm},
                        {"bytes", bytes},
                        {"time_us", us},
                        {"p50_us", us},
                        {"p50_low_us", 0.9 * us},
                        {"p50_high_us", 1.1 * us},
                        {"ranks", 4},
                        {"cores", 2},
                        {"transport", "tcp"},
                        {"predicted_us", nullptr},
                        {"other_cores", 0.25},
                        {"wrong", 0},
                        {"busbw_GBps", 1.5e-3 * static_cast<double>(bytes) / us}};
    row.update(own);
    return row;
}

bench_row subject_of_row(const bench_row& row) {
    bench_row subject = tutti::tools::subject_of({});
    for (const auto& [key, value] : subject.items()) subject[key] = row.at(key);
    return subject;
}

// Two algorithms at three sizes and none; ring took twice as long earlier, is predicted, and once wrong.
std::string bench_page() {
    tutti::tools::bench_figures all{{"Heading one", "heading two"}, {}, {}, {}};
    for (const std::size_t bytes : {0, 1024, 4096, 16384}) {
        const double us = bytes == 0 ? 5 : 10 * static_cast<double>(bytes) / 1024;
        all.rows.push_back(bench_row_of("allreduce", "ring", bytes, us));
        all.rows.back()["predicted_us"] = us / 2;
        all.rows.back()["wrong"] = bytes == 4096 ? 3 : 0;
        all.rows.push_back(bench_row_of("allreduce", "butterfly", bytes, 3 * us));
        all.earlier.push_back(bench_row_of("allreduce", "ring", bytes, 2 * us));
        if (bytes != 1024) continue;
        all.compared.push_back(
            {subject_of_row(all.earlier.back()), "", "", {20, 10, {0.45, 0.55}, tutti::tools::change::faster, 0.01}});
    }
    return tutti::tools::sections_page(tutti::tools::bench_page(all));
}

std::string bench_of_one_size() {
    return tutti::tools::sections_page(tutti::tools::bench_page({{}, {bench_row_of("reduce", "auto", 8, 1)}, {}, {}}));
}

std::string large_bench() {
    tutti::tools::bench_figures all{{"A heading"}, {}, {}, {}};
    for (const char* const operation : {"allreduce", "reduce_scatter", "allgather", "broadcast", "reduce", "gather",
                                        "scatter", "alltoall", "multi_latency", "message_rate"})
        for (std::size_t bytes = 8; bytes <= std::size_t{4} << 20; bytes *= 2)
            for (const char* const name : {"ring", "hierarchical:double_binary_tree:halving_doubling", "bruck"})
                all.rows.push_back(bench_row_of(operation, name, bytes, 10 + static_cast<double>(bytes) / 1000));
    return tutti::tools::sections_page(tutti::tools::bench_page(all));
}

model_report report_of(std::string_view kind) {
    if (kind == "lecture") return lecture();
    if (kind == "many") return many();
    if (kind == "sparse") return sparse();
    if (kind == "one_row") return one_row();
    if (kind == "measured_only") return measured_only();
    if (kind == "ties") return ties();
    if (kind == "forms") return forms();
    if (kind == "lessons") return lessons();
    if (kind == "hostile") return hostile();
    if (kind == "long_names") return renamed("hierarchical:direct:hierarchical");
    return {};
}

} // namespace

int main(int argc, char** argv) {
    if (!tutti::tools::have_html_report()) return 77;
    const std::string_view kind = argc > 1 ? argv[1] : "";
    const std::string page = kind == "training"            ? training()
                             : kind == "study"             ? study_page()
                             : kind == "bench"             ? bench_page()
                             : kind == "bench_of_one_size" ? bench_of_one_size()
                             : kind == "large_bench"       ? large_bench()
                                                           : tutti::tools::html_report(report_of(kind));
    return std::fwrite(page.data(), 1, page.size(), stdout) == page.size() ? 0 : 1;
}
