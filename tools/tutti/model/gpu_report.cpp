// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../bench/contest.hpp"
#include "../common/lists.hpp"
#include "../common/progress.hpp"
#include "../common/quantities.hpp"
#include "../common/sizes.hpp"
#include "../common/text_output.hpp"
#include "gpu_pricing.hpp"
#include "html_report.hpp"
#include "output.hpp"
#include "settings.hpp"

#include "kernels/allreduce/meeting.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

std::string speed_text(double s_per_byte) {
    return s_per_byte > 0 ? fmt::format("{:.4g} GB/s", 1e-9 / s_per_byte) : "free";
}

std::string signals_text(const model::gpu_signals& s) {
    return fmt::format("latency {}, a meeting {}, a signal {}", time_text(s.latency_s), time_text(s.meeting_s),
                       time_text(s.signal_s));
}

std::vector<std::pair<std::string, std::string>> facts_of(const model::gpu_host& on) {
    std::vector<std::pair<std::string, std::string>> facts{{"GPUs", std::to_string(on.devices)},
                                                           {"A launch", time_text(on.launch_s)},
                                                           {"Memory of a GPU", speed_text(on.memory_s_per_byte)},
                                                           {"Within a GPU", signals_text(on.within)}};
    if (on.devices == 1) return facts;
    facts.emplace_back("Between GPUs", signals_text(on.links.between));
    facts.emplace_back("A link, each way", speed_text(on.links.s_per_byte));
    if (on.links.devices_per_switch > 0)
        facts.emplace_back(fmt::format("An uplink of {} GPUs, each way", on.links.devices_per_switch),
                           speed_text(on.links.uplink_s_per_byte));
    return facts;
}

std::string placement_text(bool on_one) { return on_one ? "all ranks on one GPU" : "each rank on a GPU of its own"; }

/// Of the names those of kernels, and the others as a list.
struct named_algorithms {
    std::vector<std::string> kernels;
    std::string schedules;
};
named_algorithms named_in(const std::string& list) {
    named_algorithms all;
    if (list == "all") {
        for (const model::gpu_kernel k : model::gpu_kernels) all.kernels.emplace_back(model::name_of(k));
        all.schedules = list;
        return all;
    }
    std::vector<std::string> others;
    for (std::string& word : split_list(list)) (kernel_named(word) ? all.kernels : others).push_back(std::move(word));
    all.schedules = join(others);
    return all;
}

std::vector<contest> gpu_contests(const model_settings& s, const model::gpu_host& on) {
    const int most = s.one_gpu ? static_cast<int>(kernels::most_peers) : std::min<int>(on.devices, kernels::most_peers);
    const std::string ranks = s.ranks.empty() ? std::to_string(most) : s.ranks;
    const named_algorithms named = named_in(s.algorithm);
    std::vector<contest> all;
    if (named.schedules == "auto") throw std::invalid_argument("auto is of calls between hosts: write all");
    if (!named.schedules.empty()) {
        all = contests_of(s.operation, named.schedules, ranks);
    } else {
        for (const operation what : operations_of(s.operation))
            for (const int n : parse_ranks(ranks, most_priced_ranks)) all.push_back({what, n, {}});
    }
    for (contest& c : all) {
        if (c.ranks > most)
            throw std::invalid_argument(fmt::format("{} ranks are more than {}: {}", c.ranks, most,
                                                    s.one_gpu || most == static_cast<int>(kernels::most_peers)
                                                        ? "kernels of several ranks are for 8 at most"
                                                        : "the file has no more GPUs; --one-gpu puts all on one"));
        if (c.what == operation::allreduce)
            c.algorithms.insert(c.algorithms.begin(), named.kernels.begin(), named.kernels.end());
        if (c.algorithms.empty()) throw std::invalid_argument("these kernels are for allreduce alone");
    }
    return all;
}

std::vector<model_row> rows_of(const contest& c, const std::vector<std::size_t>& sizes, gpu_pricing& prices) {
    progress_line progress;
    std::vector<model_row> rows;
    for (const std::size_t bytes : sizes)
        for (const std::string& name : c.algorithms) {
            progress.show(fmt::format("{}({}) on {} ranks, {}", schedule::name_of(c.what), name, c.ranks,
                                      bytes_text(static_cast<double>(bytes))));
            rows.push_back(prices.price(c.what, name, c.ranks, bytes));
        }
    return rows;
}

std::string winner_among(std::span<const model_row> rows) {
    std::vector<std::optional<double>> times;
    for (const model_row& r : rows) times.push_back(predicted_us(r, false));
    const auto best = winner_of(times);
    return best ? rows[*best].algorithm : "";
}

model_fastest fastest_of(const contest& c, const std::vector<std::size_t>& sizes, gpu_pricing& prices) {
    const auto winner = [&](std::size_t bytes) { return winner_among(rows_of(c, {bytes}, prices)); };
    return {std::string(schedule::name_of(c.what)), c.ranks, false, winner(sizes.front()), crossovers(sizes, winner)};
}

void refuse_what_is_of_networks(const model_settings& s) {
    if (!s.measured.empty() || !s.trace.empty() || s.lecture || s.how.ranks_per_node > 0 || s.how.straggling > 0 ||
        !s.how.receiver.empty() || s.machine.nics > 0 || s.machine.oversubscription > 0)
        throw std::invalid_argument(
            "--measured, --trace, --lecture, --ranks-per-node, --straggling, --receiver, --nics "
            "and --oversubscription are not for the GPUs of a host");
}

void print_head(const model_report& all, const std::string& made) {
    fmt::print("# machine: {} ({})\n", all.parameters.summary, made);
    for (const auto& [name, value] : all.parameters.facts) fmt::print("#   {}: {}\n", name, value);
    fmt::print("# predicted, of float32: schedules run by the device engine, simulated, and kernels by closed forms\n");
}

} // namespace

int report_gpus(model_settings s, const priced_gpus& by) {
    refuse_what_is_of_networks(s);
    s.one_gpu = s.one_gpu || by.gpus.devices == 1; // then ranks share it
    if (!s.html.empty() && !have_html_report())
        throw std::invalid_argument("--html: this tutti was built without Chart.js, and so without HTML reports");
    const std::vector<contest> contests = gpu_contests(s, by.gpus);
    const std::vector<std::size_t> sizes = parse_sizes(s.bytes);
    for (const std::string* file : {&s.csv, &s.json, &s.html}) require_writable(*file);
    const bool quiet = takes_standard_output({s.csv, s.json, s.html}, "--csv, --json and --html");
    gpu_pricing prices(by.gpus, s.one_gpu, s.how.segments);

    model_report all;
    all.compares_forms = true;
    all.machine = fmt::format("the GPUs of {} ({}); {}", by.file, by.made, placement_text(s.one_gpu));
    all.parameters.summary = fmt::format("the GPUs of {}, {}", by.file, placement_text(s.one_gpu));
    all.parameters.facts = facts_of(by.gpus);
    if (!quiet) print_head(all, by.made);
    row_files files(s.csv, s.json);
    for (const contest& c : contests) {
        const std::vector<model_row> rows = rows_of(c, sizes, prices);
        const std::span<const model_row> seen(rows);
        const std::size_t width = c.algorithms.size();
        for (std::size_t k = 0; k < sizes.size() && !quiet; ++k) print_table(seen.subspan(k * width, width), false);
        std::fflush(stdout); // what follows may take a while
        if (width > 1 && sizes.size() > 1) {
            all.fastest.push_back(fastest_of(c, sizes, prices));
            if (!quiet) print_crossovers(all.fastest.back());
        }
        all.rows.insert(all.rows.end(), rows.begin(), rows.end());
        for (const model_row& r : rows) files.add(r);
    }
    for (const std::string& note : prices.notes())
        if (!quiet) fmt::print("# {}\n", note);
    files.finish();
    if (!s.html.empty()) write_whole(html_report(all), s.html);
    return 0;
}

} // namespace tutti::tools
