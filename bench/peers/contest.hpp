// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench/bench.hpp"
#include "common/descriptor.hpp"
#include "common/meeting.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

/// What the contestants of tools/compare-peers share. The measurement is that of `tutti bench`, the very same code, so
/// a contestant brings nothing but its call.
namespace tutti::peers {

using namespace tutti::tools;

constexpr auto usage = "OPERATION BYTES SECONDS MEMORY OFFSET IMBALANCE|loop|none ROOM JSON [ALGORITHM]";

/// One row to be measured, from the command line.
struct contest {
    bench_settings settings; ///< float32 and sum
    std::string room;        ///< the path of a file of zeros or none, on which the ranks meet
    std::string algorithm;   ///< of those that the contestant has; empty: its own choice
};

[[nodiscard]] inline contest contest_of(int argc, char** argv) {
    if (argc < 9 || argc > 10) throw std::invalid_argument(std::string(argv[0]) + " " + usage);
    contest c;
    c.settings.operation = argv[1];
    const std::size_t bytes = parse_size(argv[2]);
    if (c.settings.operation == "halo" && bytes > longest_halo_edge)
        throw std::invalid_argument("the edge of a halo exchange is too long");
    if (bytes > std::size_t{1} << 30) throw std::invalid_argument("more than 1 GiB: the peers count in int");
    c.settings.bytes = {bytes, bytes, 2, 0};
    c.settings.where =
        c.settings.operation == "allreduce" || c.settings.operation == "broadcast" ? place::in : place::out;
    c.settings.seconds = std::atof(argv[3]);
    c.settings.deadline_s = 86'400; // who started the ranks also knows how long they may take
    c.settings.memory = memory_of(argv[4]);
    if (c.settings.memory > memory_kind::page) throw std::invalid_argument("MEMORY of peers is vector or page");
    c.settings.offset = parse_size(argv[5]);
    if (const std::string_view by = argv[6]; by == "loop")
        c.settings.how = timing::loop;
    else if (by != "none")
        c.settings.imbalances = parse_imbalances(by);
    c.room = argv[7];
    c.settings.json = argv[8];
    c.algorithm = argc > 9 ? argv[9] : "";
    return c;
}

[[nodiscard]] inline descriptor open_room(const contest& c) {
    descriptor file{open(c.room.c_str(), O_RDWR | O_CLOEXEC)};
    if (!file.open()) throw std::system_error(errno, std::generic_category(), "cannot open " + c.room);
    return file;
}

/// How the ranks of a contest meet: in shared memory that belongs to none of the contestants.
[[nodiscard]] inline shared_meeting meet(const contest& c, int rank, int ranks) {
    const descriptor file = open_room(c);
    // Each rank gives the file the same size, so it does not matter which comes first.
    if (ftruncate(file.get(), static_cast<off_t>(tools::detail::bytes_of(ranks))) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot size " + c.room);
    return {shared_room::open(ranks, file.get()), rank, c.settings.deadline(), nullptr};
}

/// Measures, rank 0 writing the row. `join(c, others, rank, ranks)` connects a rank with the others and returns its
/// binder. Returns the exit status.
template <class Join>
[[nodiscard]] int compete(contest c, int rank, int ranks, Join&& join) {
    shared_meeting others = meet(c, rank, ranks);
    c.settings.ranks = ranks;
    const binder bind = join(c, others, rank, ranks);
    const participant self{rank, ranks, others, bind, host_allocator_of(c.settings), {}, CLOCK_PROCESS_CPUTIME_ID};
    const bool right = take_part(self, c.settings).wrong == 0;
    others.barrier(); // nobody leaves before the row is written, nor while another may still be inside a call
    return right ? 0 : 1;
}

/// Runs a contestant's main, telling what it throws. The ranks that are left waiting are ended by who started them.
template <class Main>
[[nodiscard]] int told(Main&& main) {
    try {
        return main();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}

/// A number that `tutti run` left in the environment: TUTTI_RANK or TUTTI_SIZE.
[[nodiscard]] inline int from_launcher(const char* variable) {
    const char* const text = std::getenv(variable);
    if (!text) throw std::invalid_argument("start this by `tutti run`");
    return std::atoi(text);
}

/// The main of a contestant that `tutti run` starts.
template <class Join>
[[nodiscard]] int compete(int argc, char** argv, Join&& join) {
    return told([&] {
        const int rank = from_launcher("TUTTI_RANK"), ranks = from_launcher("TUTTI_SIZE");
        return compete(contest_of(argc, argv), rank, ranks, join);
    });
}

} // namespace tutti::peers
