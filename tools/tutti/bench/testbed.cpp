// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "testbed.hpp"

#include "../common/here.hpp"
#include "../common/meeting.hpp"
#include "../common/version.hpp"

#include <transport/bootstrap/host.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

/// A number for a text, exact in a double.
double digest(std::string_view text) {
    std::uint64_t h = 0xcbf29ce484222325; // FNV-1a
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return static_cast<double>(h >> 12);
}

/// Nodes that are alike, of consecutive ranks; others by a digest of where each rank lies.
std::string placement_of(const model::topology& on) {
    if (!on.placed) return fmt::format("{} x {}", on.nodes(), on.ranks_per_node);
    std::string nodes;
    for (int r = 0; r < on.size; ++r) nodes += fmt::format("{},", on.placed->node_of(r));
    return fmt::format("{} nodes, {:013x}", on.nodes(), static_cast<std::uint64_t>(digest(nodes)));
}

} // namespace

testbed testbed_here() {
    const char* const interface = std::getenv("TUTTI_INTERFACE");
    testbed at;
    at.host = transport::bootstrap::host_name();
    at.kernel = kernel_name();
    at.version = version;
    at.started = utc_time("%FT%TZ");
    at.processor = processor_name();
    at.cores = static_cast<int>(std::thread::hardware_concurrency());
    at.interface = interface ? interface : "";
    return at;
}

testbed testbed_of(const participant& self) {
    testbed at = testbed_here();
    at.device = self.device;
    const double mine = digest(fmt::format("{} {}", at.processor, at.cores)), gpu = digest(at.device);
    std::array<double, 4> extremes{mine, -mine, gpu, -gpu};
    self.others.maximum(extremes);
    if (extremes[0] != -extremes[1]) at.processor += ", and others";
    if (extremes[2] != -extremes[3]) at.device += ", and others";
    if (self.choice) at.placement = placement_of(self.choice->topology());
    return at;
}

} // namespace tutti::tools
