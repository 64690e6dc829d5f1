// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "foreign_rows.hpp"

#include "../common/aliases.hpp"
#include "../common/lists.hpp"
#include "exchange.hpp"

#include <collectives/runtime_call.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

using words = std::vector<std::string>;

/// What the size column counts: all of it, or what one rank sends to one other, of which our rows count all.
enum class size_of_row : unsigned char { whole, part };

/// A benchmark of MPI as its output calls it.
struct benchmark {
    std::string_view name, operation;
    size_of_row size = size_of_row::whole;
};

constexpr std::array osu_benchmarks{
    benchmark{"Latency", "pingpong"},
    benchmark{"Multi Latency", "multi_latency"},
    benchmark{"Bandwidth", "stream"},
    benchmark{"Bi-Directional Bandwidth", "bistream"},
    benchmark{"Barrier Latency", "barrier"},
    benchmark{"Allreduce Latency", "allreduce"},
    benchmark{"Reduce Latency", "reduce"},
    benchmark{"Reduce_scatter Latency", "reduce_scatter"},
    benchmark{"Broadcast Latency", "broadcast"},
    benchmark{"Allgather Latency", "allgather", size_of_row::part},
    benchmark{"Gather Latency", "gather", size_of_row::part},
    benchmark{"Scatter Latency", "scatter", size_of_row::part},
    benchmark{"All-to-All Personalized Exchange Latency", "alltoall", size_of_row::part},
};

constexpr std::array imb_benchmarks{
    benchmark{"PingPong", "pingpong"},
    benchmark{"Sendrecv", "sendrecv"},
    benchmark{"Uniband", "message_rate"},
    benchmark{"Barrier", "barrier"},
    benchmark{"Allreduce", "allreduce"},
    benchmark{"Reduce", "reduce"},
    benchmark{"Reduce_scatter", "reduce_scatter"},
    benchmark{"Bcast", "broadcast"},
    benchmark{"Allgather", "allgather", size_of_row::part},
    benchmark{"Gather", "gather", size_of_row::part},
    benchmark{"Scatter", "scatter", size_of_row::part},
    benchmark{"Alltoall", "alltoall", size_of_row::part},
};

constexpr std::array nccl_operations{"allreduce", "allgather", "reduce_scatter", "broadcast", "reduce",
                                     "alltoall",  "gather",    "scatter",        "sendrecv"};

const benchmark* find(const auto& all, std::string_view name) {
    const auto found = std::ranges::find(all, name, &benchmark::name);
    return found == all.end() ? nullptr : &*found;
}

words words_of(const std::string& line) {
    std::istringstream in(line);
    return {std::istream_iterator<std::string>(in), {}};
}

bool reduces(std::string_view operation) { return operation.find("reduce") != operation.npos; }
bool is_stream(std::string_view operation) { return operation == "stream" || operation == "bistream"; }

std::string type_named(const std::string& word) { return our_name(word, type_aliases, element_type_names); }
std::string op_named(const std::string& word) { return our_name(word, operator_aliases, operator_type_names); }

/// Reads a file line by line.
class reader {
public:
    reader(std::string path, int ranks) : path_(std::move(path)), ranks_(ranks) {}

    foreign_file read(const std::string& text) {
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) {
            ++line_;
            if (!line.empty() && line.back() == '\r') line.pop_back();
            const words w = words_of(line);
            if (w.empty()) continue;
            if (w[0].starts_with('#'))
                read_heading(line, w);
            else if (!columns_.empty() && w[0].find_first_not_of("0123456789.") == std::string::npos)
                read_row(w);
        }
        if (found_.tool.empty())
            fail("is neither what tutti bench --json writes, nor output of the OSU micro-benchmarks, IMB-MPI1 or "
                 "nccl-tests");
        if (text.back() != '\n') fail("ends in the middle of a line");
        if (found_.rows.empty())
            fail(fmt::format("holds no rows of the {} that can be compared{}", found_.tool,
                             found_.unknown.empty() ? "" : ": none of ours is a " + join(found_.unknown, ", nor a ")));
        return std::move(found_);
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw std::invalid_argument(fmt::format("--against: {} {}", path_, what));
    }

    void read_heading(const std::string& line, const words& w) {
        const auto value_behind = [&](std::string_view name) -> std::optional<std::string> {
            const std::size_t at = line.find(name);
            if (at == line.npos) return std::nullopt;
            const words rest = words_of(line.substr(at + name.size()));
            const std::size_t value = !rest.empty() && rest[0] == ":" ? 1 : 0;
            return value < rest.size() ? std::optional(rest[value]) : std::nullopt;
        };
        if (line.starts_with("# OSU ")) {
            begin_osu(line);
        } else if (line.starts_with("# Benchmarking ")) {
            begin("IMB-MPI1", find(imb_benchmarks, w[2]), w[2]);
        } else if (const auto processes = value_behind("# #processes =")) {
            said_ranks_ = parse<int>(*processes);
        } else if (line.starts_with("# nThread ")) {
            begin_nccl();
        } else if (const auto name = value_behind("# Collective test starting:")) {
            said_operation_ = our_operation(*name);
        } else if (w.size() > 2 && w[0] == "#" && w[1] == "Rank" && found_.tool == "nccl-tests") {
            said_ranks_ = said_ranks_.value_or(0) + 1;
        } else if (auto named = value_behind("# Datatype:")) {
            if (named->ends_with('.')) named->pop_back();
            type_ = type_named(*named);
        } else if (const auto of_reductions = value_behind("# MPI_Datatype for reductions")) {
            type_ = type_named(*of_reductions);
        } else if (const auto op = value_behind("# MPI_Op")) {
            op_ = op_named(*op);
        } else {
            read_columns(line, w);
        }
    }

    void begin(std::string_view tool, const benchmark* known, std::string_view name) {
        if (!found_.tool.empty() && found_.tool != tool) fail("holds output of several tools");
        found_.tool = tool;
        columns_.clear();
        operation_ = known ? known->operation : "";
        size_ = known ? known->size : size_of_row::whole;
        if (!known && !name.empty()) found_.unknown.emplace(name);
    }

    /// "# OSU MPI Allreduce Latency Test v7.3", with "MPI-CUDA" where data are on a GPU. "MPI_Put Latency" is none of
    /// ours. Reductions are sums, of MPI_FLOAT unless a line says otherwise.
    void begin_osu(const std::string& line) {
        std::string name = line.substr(6, line.find(" Test") - 6);
        if (name.starts_with("MPI ") || name.starts_with("MPI-")) name.erase(0, name.find(' ') + 1);
        begin("OSU micro-benchmarks", find(osu_benchmarks, name), name);
        type_ = "float32";
        op_ = "sum";
        said_ranks_.reset();
        if (operation_ == "pingpong" || is_stream(operation_)) said_ranks_ = 2;
    }

    void begin_nccl() {
        begin("nccl-tests", nullptr, "");
        said_ranks_.reset();
        const std::string name = std::filesystem::path(path_).stem().string(); // newer ones say which it is
        operation_ = said_operation_.empty() ? our_operation(name) : said_operation_;
    }

    static std::string our_operation(std::string_view name) {
        const std::string ours = our_name(name, operation_aliases, nccl_operations);
        return std::ranges::find(nccl_operations, ours) != nccl_operations.end() ? ours : "";
    }

    /// The names above the columns. OSU's are of several words, but their order never changes.
    void read_columns(const std::string& line, const words& w) {
        words names;
        if (found_.tool == "OSU micro-benchmarks") {
            if (w.size() > 1 && w[1] == "Size") names.push_back("size");
            if (line.find("Latency(us)") != line.npos || line.find("Latency (us)") != line.npos)
                names.push_back("time");
            else if (line.find("Bandwidth (MB/s)") != line.npos)
                names.push_back("MB/s");
            if (names.empty() || names.back() == "size") return;
        } else if (found_.tool == "IMB-MPI1") {
            for (const std::string& word : w)
                names.push_back(word == "#bytes" ? "size" : word == "t_avg[usec]" || word == "t[usec]" ? "time" : word);
            if (operation_ == "message_rate") std::ranges::replace(names, "Mbytes/sec", "MB/s");
            if (std::ranges::find_first_of(names, std::array{"time", "MB/s"}) == names.end()) return;
        } else if (w.size() > 1 && w[0] == "#" && w[1] == "size") {
            names.assign(w.begin() + 1, w.end());
            if (operation_.empty())
                fail("is of nccl-tests and does not say of which operation: give the file its name, such as "
                     "all_reduce_perf.txt");
        }
        if (!names.empty()) columns_ = names;
    }

    void read_row(const words& w) {
        if (operation_.empty()) return; // of a benchmark that has none of ours
        // IMB gives up a size with a sentence: "64 time-out.; Time limit ...", "64 out-of-mem.; needed ...".
        if (w.size() > 1 && (w[1].starts_with("time-out") || w[1].starts_with("out-of-mem"))) return;
        // What IMB and OSU add behind these columns does not matter.
        const auto last = std::find_if(columns_.rbegin(), columns_.rend(),
                                       [](const std::string& name) { return name == "time" || name == "MB/s"; });
        if (w.size() < static_cast<std::size_t>(columns_.rend() - last))
            fail(fmt::format("lacks columns in line {}", line_));
        foreign_row row;
        row.operation = operation_;
        row.ranks = said_ranks_;
        const bool of_operation = reduces(operation_);
        if (of_operation) row.type = type_, row.op = op_;
        bool out_of_place = true;
        for (std::size_t k = 0; k < w.size() && k < columns_.size(); ++k) {
            if (columns_[k] == "size") row.bytes = bytes_of(w[k]);
            if (columns_[k] == "type") row.type = type_named(w[k]);
            if (columns_[k] == "redop" && of_operation) row.op = op_named(w[k]);
            if (columns_[k] == "root" && w[k] != "-1") row.root = parse<int>(w[k]);
            if (columns_[k] != "time" && columns_[k] != "MB/s") continue;
            const bool only_in_place = operation_ == "broadcast" && found_.tool != "nccl-tests"; // as ours is
            row.in_place = !std::exchange(out_of_place, false) || only_in_place;
            const double value = w[k] == "N/A" ? 0 : parse<double>(w[k]);
            if (!(value > 0) || !std::isfinite(value)) continue; // too short for its digits: no ratio is of that
            row.time_us = columns_[k] == "time" ? value : stream_us(row, value);
            found_.rows.push_back(row);
        }
    }

    [[nodiscard]] std::size_t bytes_of(const std::string& word) const {
        const auto ranks = static_cast<std::size_t>(said_ranks_.value_or(ranks_));
        return parse<std::size_t>(word) * (size_ == size_of_row::part ? ranks : 1);
    }
    /// Of a window of messages, 64 unless they were told otherwise, as here; IMB counts those of all pairs. A megabyte
    /// is 10^6 bytes.
    [[nodiscard]] static double stream_us(const foreign_row& row, double MBps) {
        const int windows = row.operation == "bistream"       ? 2
                            : row.operation == "message_rate" ? std::max(row.ranks.value_or(2) / 2, 1)
                                                              : 1;
        return windows * static_cast<double>(row.bytes * stream_messages) / MBps;
    }

    template <class Number>
    [[nodiscard]] Number parse(const std::string& word) const {
        Number value{};
        const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (wrong != std::errc{} || end != word.data() + word.size())
            fail(fmt::format("has '{}' in line {}, where a number belongs", word, line_));
        return value;
    }

    const std::string path_;
    const int ranks_;
    std::size_t line_ = 0;
    foreign_file found_;
    std::string operation_;      // of the rows that follow; empty: none of ours
    std::string said_operation_; // by nccl-tests, before anything else
    size_of_row size_ = size_of_row::whole;
    std::optional<int> said_ranks_;
    std::optional<std::string> type_, op_;
    words columns_;
};

std::string text_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in || std::filesystem::is_directory(path)) throw std::invalid_argument("cannot read " + path);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

bool is_foreign(const std::string& path) {
    const std::string text = text_of(path);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != text.npos && text[first] != '[' && text[first] != '{';
}

foreign_file read_foreign(const std::string& path, int ranks) { return reader(path, ranks).read(text_of(path)); }

} // namespace tutti::tools
