// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What worlds of many ranks cost, as a page in Markdown on standard output: bench/results/scale.md is one. Ranks are
// threads of this process; sockets and shared memory are real. Arguments: the numbers of ranks over TCP (800 2000
// unless given), after `links` numbers of silent connections (0 100), and after `shared` the numbers of ranks over
// shared memory (64). A world needs some 12 descriptors a rank.

#include "scale/many_links.hpp"
#include "scale/shared_world.hpp"
#include "scale/tcp_world.hpp"

#include <collectives/machine.hpp>

#include <sys/utsname.h>

#include <charconv>
#include <cstdio>
#include <ctime>
#include <string_view>

namespace {

void print_head() {
    char day[16] = "";
    const std::time_t now = std::time(nullptr);
    std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
    utsname system{};
    ::uname(&system);
    const std::string release = system.release;
    std::printf("# What large worlds cost\n\n"
                "Made by `build/bench/scale`, %s, on %u cores, Linux %s. Ranks are threads of one process, and "
                "share\nthese cores. Memory of a rank is its heap: no stacks, no sockets of the kernel.\n",
                day, std::thread::hardware_concurrency(), release.substr(0, release.find('-')).c_str());
}

void print_tcp(const std::vector<scale::tcp_figures>& all) {
    std::printf(
        "\n## TCP\n\n"
        "*Start*: until the last rank has joined. *Connect*: a naive reduce to the last rank, before which nobody is "
        "connected.\n*Again*: the same, connected. *Leave*: all at once. *Judge*: all but one rank call an allreduce; "
        "from its deadline until\nthe last has thrown the error that names the absent one.\n\n"
        "| ranks | start | connect all to one | again | leave | judge | named the absent one | rank 0, joined | "
        "at most | each other rank |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (const auto& f : all) {
        std::printf("| %d | %.2f s | %.2f s | ", f.ranks, f.start_s, f.connect_s);
        if (f.failed > 0)
            std::printf("%d calls failed", f.failed);
        else
            std::printf("%.3f s", f.connected_s);
        std::printf(" | %.2f s | %.2f s | %d of %d | %.1f MiB | %.1f MiB | %.0f KiB |\n", f.leave_s, f.judge_s, f.right,
                    f.right + f.wrong, f.zero_mib, f.zero_most_mib, f.other_kib);
    }
    for (const auto& f : all)
        if (!f.trouble.empty())
            std::printf("\nOf %d ranks not all is told, since one failed: %s.\n", f.ranks, f.trouble.c_str());
}

void print_links(const std::vector<int>& all) {
    std::printf(
        "\n## A barrier beside silent connections\n\n"
        "Two ranks meet in barriers over TCP, each connected to so many others, which sleep. Processor time is of one "
        "of the two.\n\n"
        "| silent connections | barrier | processor |\n|---:|---:|---:|\n");
    for (const int links : all) {
        const auto cost = scale::barrier_beside(links);
        std::printf("| %d | %.1f us | %.1f us |\n", links, cost.us, cost.cpu_us);
    }
}

void print_shared(const std::vector<scale::shared_figures>& all) {
    std::printf(
        "\n## Shared memory\n\n"
        "An allreduce by `parameter_server`, eight times on the world and on each duplicate, so that all slots were "
        "used. Memory\nis of all segments.\n\n"
        "| ranks | duplicates | bytes | world has called | all have called | duplicates gone | a call |\n"
        "|---:|---:|---:|---:|---:|---:|---:|\n");
    for (const auto& f : all)
        std::printf("| %d | %d | %zu | %.0f MiB | %.0f MiB | %.0f MiB | %.1f ms |\n", f.ranks, f.duplicates, f.bytes,
                    f.world_mib, f.most_mib, f.after_mib, 1e3 * f.call_s);
}

struct wanted {
    std::vector<int> tcp, links, shared;
};

wanted read_arguments(int count, char** words) {
    wanted w;
    auto* part = &w.tcp;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        if (word == "links" || word == "shared") {
            part = word == "links" ? &w.links : &w.shared;
            continue;
        }
        int number = -1;
        const auto end = word.data() + word.size();
        const bool is_number = std::from_chars(word.data(), end, number).ptr == end;
        if (!is_number || number < (part == &w.links ? 0 : 2))
            throw std::runtime_error(std::string("not a number of ranks or links: ") + words[i]);
        part->push_back(number);
    }
    if (count == 1) w = {{800, 2000}, {0, 100}, {64}};
    return w;
}

} // namespace

int main(int count, char** words) try {
    scale::this_owner = scale::owner::program;
    const wanted w = read_arguments(count, words);
    std::vector<scale::tcp_figures> over_tcp;
    for (const int ranks : w.tcp) {
        auto& f = over_tcp.emplace_back();
        f.ranks = ranks;
        for (const auto part : {scale::live, scale::judge}) try {
                part(ranks, f);
            } catch (const std::exception& e) {
                f.trouble = e.what();
            }
    }
    std::vector<scale::shared_figures> over_shared;
    for (const int ranks : w.shared) scale::share(ranks, 8, std::size_t{4} << 20, over_shared.emplace_back());
    print_head();
    if (!over_tcp.empty()) print_tcp(over_tcp);
    if (!w.links.empty()) print_links(w.links);
    if (!over_shared.empty()) print_shared(over_shared);
} catch (const std::exception& e) {
    std::fprintf(stderr, "scale: %s\n", e.what());
    return 1;
}
