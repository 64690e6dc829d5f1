// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "choices.hpp"
#include "fit.hpp"
#include "lists.hpp"
#include "other_work.hpp"
#include "progress.hpp"
#include "random.hpp"
#include "spawn.hpp"

#include <collectives/model/selection.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

namespace tutti::tools {
namespace {

/// Sizes from the smallest, each so many times the former, are fitted; those in between are not.
constexpr std::size_t smallest = 8, factor = 8, between = 4;

/// The schedules that identify the parameters: see the help.
const std::set<std::string> identifying{"naive", "ring", "butterfly", "all_to_all", "binomial_tree"};

/// One run of `tutti bench`.
struct errand {
    std::string transport;
    int ranks = 0;
    std::string operations;
    std::vector<std::string> algorithms;
    std::size_t from = smallest;
    bool fitted = false; ///< what it measures, of the algorithms that identify
};

class temporary_file {
public:
    temporary_file() : path_((std::filesystem::temp_directory_path() / "tutti-fit-XXXXXX").string()) {
        const descriptor made{mkstemp(path_.data())};
        if (!made.open()) throw std::system_error(errno, std::generic_category(), "cannot make " + path_);
    }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    ~temporary_file() { std::filesystem::remove(path_); }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

std::string all_of(const descriptor& from) {
    std::string text;
    std::array<char, 4096> piece;
    for (;;) {
        const ssize_t got = read(from.get(), piece.data(), piece.size());
        if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
        if (got == 0 || (got < 0 && errno != EINTR)) return text;
    }
}

int ended(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

nlohmann::json rows_of(const errand& e, const fit_settings& s) {
    const temporary_file rows;
    const std::vector<std::string> command{"/proc/self/exe",
                                           "bench",
                                           "--transport",
                                           e.transport,
                                           "--ranks",
                                           std::to_string(e.ranks),
                                           "--operation",
                                           e.operations,
                                           "--algorithm",
                                           join(e.algorithms, ","),
                                           "--place",
                                           "in",
                                           "-b",
                                           std::to_string(e.from),
                                           "-e",
                                           std::to_string(s.largest),
                                           "-f",
                                           std::to_string(factor),
                                           "--seconds",
                                           std::to_string(s.seconds),
                                           "-w",
                                           "1",
                                           "-c",
                                           "0",
                                           "--json",
                                           rows.path()};
    child bench = spawn({command, {}, {}});
    all_of(bench.output);
    const std::string said = all_of(bench.error); // little: it fits into the pipe meanwhile
    if (ended(bench.pid) != 0) throw std::runtime_error("tutti bench failed:\n" + said);
    return nlohmann::json::parse(std::ifstream(rows.path()));
}

/// Runs errands again where other work disturbed them, as long as there is time to spare for that.
class patient {
public:
    /// The rows of the attempt that was disturbed least.
    nlohmann::json run(const errand& e, const fit_settings& s) {
        constexpr int attempts = 3;
        constexpr double disturbed_cores = 0.1;
        nlohmann::json best;
        double least = std::numeric_limits<double>::infinity();
        for (int k = 0; k < attempts && least > disturbed_cores && (k == 0 || spare_s_ > 0); ++k) {
            const auto begin = clock::now();
            const other_work others;
            nlohmann::json rows = rows_of(e, s);
            if (k > 0) spare_s_ -= std::chrono::duration<double>(clock::now() - begin).count();
            if (others.cores() >= least) continue;
            least = others.cores();
            best = std::move(rows);
        }
        return best;
    }

private:
    using clock = std::chrono::steady_clock;
    double spare_s_ = 60;
};

std::vector<errand> errands(const fit_settings& s) {
    std::vector<errand> all;
    for (const std::string& transport : s.transports)
        for (const int ranks : s.ranks) {
            std::vector<std::string> names;
            for (const choice& c : choices("all", operation::allreduce, ranks)) names.push_back(c.name);
            all.push_back({transport, ranks, "allreduce", names, smallest, true});
            if (smallest * between <= s.largest)
                all.push_back({transport, ranks, "allreduce", names, smallest * between, false});
            all.push_back({transport, ranks, "broadcast,reduce", {"naive"}, smallest, false});
        }
    return all;
}

void shuffle(auto& items, random_source& random) {
    for (std::size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[random.below(k)]);
}

observed first_of(const errand& e, const nlohmann::json& row) {
    const auto what = operations_of(row.at("operation").get<std::string>()).front();
    const std::string name = row.at("algorithm");
    const auto bytes = row.at("bytes").get<std::size_t>();
    const algorithm::any how = *choices(name, what, e.ranks).front().algorithm;
    return {e.transport,
            name,
            {what, how, e.ranks, bytes, 0, model::segments_for(how, bytes), true, sizeof(float)},
            e.fitted && identifying.contains(name),
            {}};
}

} // namespace

measurements measure(const fit_settings& s) {
    const other_work others;
    std::map<std::tuple<std::string, int, std::string, std::string, std::size_t>, observed> found;
    std::vector<errand> all = errands(s);
    random_source random{1};
    patient runner;
    progress_line progress;
    for (int round = 0; round < s.rounds; ++round) {
        shuffle(all, random);
        for (errand& e : all) {
            progress.show(fmt::format("round {} of {}: {} of {} ranks", round + 1, s.rounds, e.transport, e.ranks));
            shuffle(e.algorithms, random);
            for (const nlohmann::json& row : runner.run(e, s)) {
                const auto at = found.try_emplace({e.transport, e.ranks, row.at("operation"), row.at("algorithm"),
                                                   row.at("bytes").get<std::size_t>()},
                                                  first_of(e, row));
                at.first->second.seconds.push_back(row.at("p50_us").get<double>() * 1e-6);
            }
        }
    }
    measurements m;
    m.other_cores = others.cores();
    for (auto& [key, o] : found) {
        std::sort(o.seconds.begin(), o.seconds.end());
        m.all.push_back(std::move(o));
    }
    return m;
}

} // namespace tutti::tools
