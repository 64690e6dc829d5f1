// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/bench/bench.hpp"
#include "../../tools/tutti/common/meeting.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace tutti::tools;

namespace {

constexpr std::size_t mapped = std::size_t{128} << 10;
const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

std::size_t offset_in_page(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % page; }

/// Where the input and the output of each size begin in their page, when one rank measures a copy.
std::multimap<std::size_t, std::size_t> offsets_of(bench_settings settings) {
    settings.transport = "memory";
    settings.listed_bytes = {8, mapped - 4, mapped, 3 * mapped};
    settings.rounds = 2;
    settings.iterations = settings.warm_up = 1;
    settings.where = place::out;
    shared_meeting alone{shared_room::create(1), 0, settings.deadline(), nullptr};
    std::multimap<std::size_t, std::size_t> found;
    const binder copy = [&](const job& what, const buffers& where) -> call {
        for (const std::byte* const begin : {where.input, where.output})
            found.emplace(what.bytes(), offset_in_page(begin));
        return [=] { std::copy_n(where.input, what.bytes(), where.output); };
    };
    const participant self{0, 1, alone, copy, host_allocator_of(settings), {}, CLOCK_THREAD_CPUTIME_ID};
    CHECK(take_part(self, settings).wrong == 0);
    CHECK(found.size() == 16);
    return found;
}

} // namespace

TEST_CASE("each row has vectors of its own size: little ones on the heap, large ones 16 bytes behind a page") {
    for (const auto& [bytes, offset] : offsets_of({})) {
        INFO(bytes);
        CHECK(offset % 16 == 0);
        if (bytes >= mapped) CHECK(offset == 16);
    }
    std::vector<std::size_t>
        small; // a few bytes in front of others' memory: not all of them behind the start of a page
    std::vector<std::shared_ptr<std::byte>> kept;
    for (int i = 0; i < 8; ++i) small.push_back(offset_in_page(kept.emplace_back(vector_memory(8)).get()));
    CHECK(std::ranges::count(small, 16U) <= 1);
}

#ifdef __GLIBC__
TEST_CASE("a std::vector lies where the bench puts one, as long as none was freed whose memory would do") {
    constexpr std::size_t bytes = std::size_t{16} << 20; // more than is free on the heap
    mallopt(M_MMAP_THRESHOLD, static_cast<int>(mapped)); // as in a new process
    const std::vector<float> large(bytes / sizeof(float));
    CHECK(offset_in_page(large.data()) == offset_in_page(vector_memory(bytes).get()));
}
#endif

TEST_CASE("buffers begin at the start of a page, or so many bytes behind it") {
    for (const std::size_t wanted : {std::size_t{0}, std::size_t{32}, page + 64}) {
        bench_settings settings;
        settings.memory = memory_kind::page;
        settings.offset = wanted;
        for (const auto& [bytes, offset] : offsets_of(settings)) {
            INFO(bytes);
            CHECK(offset == wanted % page);
        }
    }
}
