// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bench_barrier.hpp"

#include "../bench/launch_variable.hpp"
#include "../common/descriptor.hpp"
#include "../common/shared_room.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace tutti::tools {
namespace {

/// The room of a rank's process, to be read; not open where it has none.
descriptor room_of(const observed_rank& r, int ranks) {
    std::ifstream in(fmt::format("/proc/{}/environ", r.pid), std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(in), {}}, name = std::string(bench_launch_variable) + "=";
    const std::size_t at = ('\0' + all).find('\0' + name);
    if (at == std::string::npos) return descriptor{};
    const int number = std::atoi(all.c_str() + at + name.size());
    descriptor file{open(fmt::format("/proc/{}/fd/{}", r.pid, number).c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat s {};
    const bool is_room =
        file.open() && fstat(file.get(), &s) == 0 && s.st_size == static_cast<off_t>(detail::bytes_of(ranks));
    return is_room ? std::move(file) : descriptor{};
}

std::uint32_t word_at(const descriptor& file, std::size_t place) {
    std::uint32_t word = 0;
    return pread(file.get(), &word, sizeof word, static_cast<off_t>(place)) == sizeof word ? word : 0;
}

/// The barrier that is next, and when each rank last came.
std::vector<std::uint32_t> look_at(const descriptor& room, int ranks) {
    std::vector<std::uint32_t> words{word_at(room, offsetof(detail::room_head, generation)) + 1};
    for (int rank = 0; rank < ranks; ++rank)
        words.push_back(word_at(room, detail::head_bytes + static_cast<std::size_t>(rank) * detail::part_bytes));
    return words;
}

} // namespace

std::optional<bench_barrier> bench_barrier_of(const observed_job& job) {
    const auto here = std::ranges::find_if(job.ranks, [](const auto& r) { return r.is_here && r.pid > 0; });
    const descriptor room = here == job.ranks.end() ? descriptor{} : room_of(*here, job.size);
    if (!room.open()) return std::nullopt;
    const auto before = look_at(room, job.size);
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
    if (look_at(room, job.size) != before) return std::nullopt;
    bench_barrier b;
    for (int rank = 0; rank < job.size; ++rank)
        (before[static_cast<std::size_t>(rank) + 1] == before[0] ? b.waiting : b.missing).push_back(rank);
    return b.waiting.empty() || b.missing.empty() ? std::nullopt : std::optional(std::move(b));
}

} // namespace tutti::tools
