// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "testbed.hpp"

#include "../common/here.hpp"
#include "../common/meeting.hpp"
#include "../common/version.hpp"

#include <transport/contract/processor_matching.hpp>
#include <transport/join/host.hpp>

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

/// A number for a text, exact in a double.
double digest(std::string_view text) {
    std::uint64_t h = 0xcbf29ce484222325; // FNV-1a
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return static_cast<double>(h >> 12);
}

/// Tells the kernels of hosts apart, also where containers have names of their own; pretended hosts are one.
double digest_of_kernel() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    if (!(file >> id)) id = transport::bootstrap::host_name();
    return digest(id);
}

/// Nodes that are alike, of consecutive ranks; others by a digest of where each rank lies.
std::string placement_of(const model::topology& on) {
    if (!on.placed) return fmt::format("{} x {}", on.nodes(), on.ranks_per_node);
    std::string nodes;
    for (int r = 0; r < on.size; ++r) nodes += fmt::format("{},", on.placed->node_of(r));
    return fmt::format("{} nodes, {:013x}", on.nodes(), static_cast<std::uint64_t>(digest(nodes)));
}

/// Where each rank may run, and whether its host is crowded.
struct rank_places {
    std::vector<processor_set> processors;
    std::vector<bool> crowded;
};

/// The library counts the ranks of a pretended host alone, but those of all hosts of a kernel share its processors.
void add_crowded(rank_places& all, const std::vector<double>& kernels) {
    std::map<double, std::vector<transport::bootstrap::allotment>> hosts;
    for (std::size_t r = 0; r < kernels.size(); ++r) hosts[kernels[r]].push_back({all.processors[r], {}});
    std::erase_if(hosts, [](const auto& one) { return transport::bootstrap::share_out(one.second).has_value(); });
    for (std::size_t r = 0; r < kernels.size(); ++r)
        if (hosts.contains(kernels[r])) all.crowded[r] = true;
}

/// Collective. Ranks show each word of their sets as two numbers, since a double holds no 64 bits.
rank_places gather_places(const participant& self) {
    const processor_set mine = transport::bootstrap::own_processors();
    auto most_words = static_cast<double>(mine.words().size());
    self.others.maximum({&most_words, 1});
    const auto each = 2 * static_cast<std::size_t>(most_words) + 2;
    std::vector<double> shown(each * static_cast<std::size_t>(self.ranks), 0.);
    double* at = &shown[each * static_cast<std::size_t>(self.rank)];
    *at++ = self.crowded.value_or(false) ? 1 : 0;
    *at++ = digest_of_kernel();
    for (const std::uint64_t word : mine.words())
        for (const std::uint64_t half : {word & 0xffffffff, word >> 32}) *at++ = static_cast<double>(half);
    self.others.maximum(shown);
    rank_places all;
    std::vector<double> kernels;
    for (auto left = std::span(shown); !left.empty(); left = left.subspan(each)) {
        std::vector<std::uint64_t> words;
        for (std::size_t i = 2; i < each; i += 2)
            words.push_back(static_cast<std::uint64_t>(left[i]) | static_cast<std::uint64_t>(left[i + 1]) << 32);
        all.processors.emplace_back(words);
        all.crowded.push_back(left[0] > 0);
        kernels.push_back(left[1]);
    }
    add_crowded(all, kernels);
    return all;
}

/// "ranks 0-1 on processors 0-1, crowded; rank 2 on processor 3, not crowded", of the first few.
std::string in_words(const rank_places& all) {
    constexpr int most = 8;
    std::string words;
    int told = 0;
    for (std::size_t first = 0, next = 0; first < all.crowded.size(); first = next, ++told) {
        if (told == most) return words + "; ...";
        while (next < all.crowded.size() && all.processors[next] == all.processors[first] &&
               all.crowded[next] == all.crowded[first])
            ++next;
        const bool one = next - first == 1;
        words += fmt::format("{}{} on {}", first == 0 ? "" : "; ",
                             one ? fmt::format("rank {}", first) : fmt::format("ranks {}-{}", first, next - 1),
                             transport::bootstrap::in_words(all.processors[first], all.crowded[first]));
    }
    return words;
}

/// Processors of the ranks that share rank 0's node; of all ranks where nodes are not known.
int cores_of_first_node(const rank_places& all, const model::topology& on) {
    processor_set there;
    for (int r = 0; r < on.size; ++r)
        if (on.placed ? on.placed->node_of(r) == on.placed->node_of(0) : r < on.ranks_per_node)
            there.add(all.processors[static_cast<std::size_t>(r)]);
    return static_cast<int>(there.count());
}

constexpr double least_s = 0.1; // from which on something is known of other work

} // namespace

host_witness::host_witness(const participant& self, bool looks_first) : self_(self) {
    if (looks_first) std::this_thread::sleep_for(std::chrono::duration<double>(least_s));
}

std::optional<double> host_witness::other_cores() {
    constexpr double window_s = 0.5;
    const other_work window = before_.value_or(now_);
    // Ranks that are threads share their process, whose time the first of them tells.
    const bool tells = self_.cpu_clock == CLOCK_PROCESS_CPUTIME_ID || self_.rank == 0;
    const auto at = 2 * static_cast<std::size_t>(self_.rank);
    std::vector<double> shown(2 * static_cast<std::size_t>(self_.ranks) + 2, 0.);
    shown[at] = digest_of_kernel();
    shown[at + 1] = tells ? window.own_s() : 0;
    shown[shown.size() - 2] = window.passed_s();
    shown.back() = now_.passed_s();
    self_.others.maximum(shown);
    double ours_s = 0;
    for (std::size_t r = 0; r + 2 < shown.size(); r += 2)
        if (shown[r] == shown[0]) ours_s += shown[r + 1];
    const double cores = window.cores(ours_s);
    if (shown.back() > window_s) before_ = std::exchange(now_, other_work{}); // alike on all ranks
    return shown[shown.size() - 2] < least_s ? std::nullopt : std::optional(cores);
}

testbed testbed_here() {
    const char* const interface = std::getenv("TUTTI_INTERFACE");
    testbed at;
    at.host = transport::bootstrap::host_name();
    at.kernel = kernel_name();
    at.version = version;
    at.started = utc_time("%FT%TZ");
    at.processor = processor_name();
    at.cores = static_cast<int>(transport::bootstrap::own_processors().count());
    if (const long all = ::sysconf(_SC_NPROCESSORS_ONLN); at.cores < all)
        at.bound = fmt::format("to {} of {} processors", at.cores, all);
    at.interface = interface ? interface : "";
    return at;
}

testbed testbed_of(const participant& self) {
    testbed at = testbed_here();
    at.device = self.device;
    const rank_places places = gather_places(self);
    at.cores = cores_of_first_node(places, self.choice ? self.choice->topology() : model::topology{self.ranks});
    if (self.crowded) at.ranks_on = in_words(places);
    const double mine = digest(fmt::format("{} {}", at.processor, at.cores)), gpu = digest(at.device);
    std::array<double, 4> extremes{mine, -mine, gpu, -gpu};
    self.others.maximum(extremes);
    if (extremes[0] != -extremes[1]) at.processor += ", and others";
    if (extremes[2] != -extremes[3]) at.device += ", and others";
    if (self.choice) at.placement = placement_of(self.choice->topology());
    return at;
}

} // namespace tutti::tools
