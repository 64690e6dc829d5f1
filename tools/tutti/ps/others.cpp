// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "observed.hpp"

#include <transport/control/rank_states.hpp>
#include <transport/control/status/desk.hpp>
#include <transport/control/survey.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <sys/socket.h>
#include <sys/time.h>

namespace tutti::tools {
namespace {

namespace status = transport::status;
namespace bootstrap = transport::bootstrap;
using bytes = std::vector<std::byte>;

constexpr std::chrono::milliseconds patience{1500};
constexpr std::size_t longest_report = std::size_t{1} << 30;

/// All that rank 0 says; nothing if it is not on this host, or does not answer.
std::optional<bytes> report_of(std::uint64_t world) {
    const bootstrap::descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval most{patience.count() / 1000, patience.count() % 1000 * 1000};
    bootstrap::detail::set(socket.get(), SOL_SOCKET, SO_SNDTIMEO, most); // of connect(2) as well
    bootstrap::detail::set(socket.get(), SOL_SOCKET, SO_RCVTIMEO, most);
    const auto at = status::desk_address(world);
    if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return std::nullopt;
    bytes all;
    for (const auto until = transport::clock::now() + patience; transport::clock::now() < until;) {
        std::array<std::byte, 64 * 1024> piece;
        const auto n = ::recv(socket.get(), piece.data(), piece.size(), 0);
        if (n == 0) return all;
        if (n < 0 || all.size() > longest_report) return std::nullopt;
        all.insert(all.end(), piece.begin(), piece.begin() + n);
    }
    return std::nullopt;
}

rank_state state_of(bootstrap::standing standing, bool is_fresh, std::int64_t system,
                    const std::optional<status::rank_told>& told) {
    if (standing == bootstrap::standing::lost) return rank_state::dead;
    if (standing == bootstrap::standing::left) return rank_state::left;
    if (!is_fresh || !told) return rank_state::silent;
    if (system == static_cast<std::int64_t>(status::process_state::dead)) return rank_state::dead;
    if (system == static_cast<std::int64_t>(status::process_state::stopped)) return rank_state::stopped;
    return state_by_page(*told);
}

/// Takes the next rank of the report; those of this host are known better from their pages. False: it is none.
bool take_rank(observed_job& job, observed_rank& r, tutti::detail::byte_reader& from) {
    const auto standing = from.integer<std::uint8_t>();
    const bool is_fresh = from.integer<std::uint8_t>() == 1;
    const auto system = from.integer<std::int64_t>();
    const auto age_ms = from.integer<std::int64_t>();
    const auto host = from.text(bootstrap::max_name_bytes);
    const auto pid = from.integer<std::int64_t>();
    const auto page = from.text(bootstrap::max_page_bytes);
    if (!from.ok() || standing > static_cast<std::uint8_t>(bootstrap::standing::leaving)) return false;
    if (r.is_here) return true;
    const auto copy = status::image_of(std::as_bytes(std::span(page)));
    auto told = copy ? status::told_by(*copy) : std::nullopt;
    if (told && (told->rank != r.rank || told->world != job.world || told->size != job.size)) told.reset();
    r.state = state_of(static_cast<bootstrap::standing>(standing), is_fresh, system, told);
    r.host = status::detail::printable(host);
    r.pid = pid;
    if (told) r.age_s = static_cast<double>(age_ms) / 1000;
    r.told = std::move(told);
    return true;
}

bool take_report(observed_job& job, std::span<const std::byte> report) {
    tutti::detail::byte_reader from(report);
    if (from.integer<std::uint8_t>() != bootstrap::survey::report_version) return false;
    if (from.integer<std::uint64_t>() != job.world) return false;
    if (from.integer<std::uint32_t>() != job.ranks.size()) return false;
    for (observed_rank& r : job.ranks)
        if (!take_rank(job, r, from)) return false;
    return from.finished();
}

} // namespace

void ask_for_others(observed_job& job) {
    const auto report = report_of(job.world);
    if (report && take_report(job, *report)) return;
    const observed_rank& zero = job.ranks.front();
    if (zero.is_here)
        job.remark = "rank 0's process does not answer, so that ranks without a page on this host are not known";
    else
        job.remark = fmt::format("ranks without a page on this host are shown by tutti ps on {}, where rank 0 runs",
                                 job.zero_host.empty() ? "another host" : job.zero_host);
}

} // namespace tutti::tools
