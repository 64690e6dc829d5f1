// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "findings.hpp"

#include <transport/fabrics/shared_memory/own_segment.hpp>
#include <transport/join/addresses.hpp>
#include <transport/join/launchers.hpp>
#include <transport/join/offer.hpp>

#include <algorithm>
#include <functional>

#include <base/error.hpp>
#include <fmt/format.h>

namespace tutti::tools {

using namespace transport::bootstrap;

namespace {

/// Adds what the error says that `part` ends in.
void attempt(std::vector<std::string>& faults, const std::function<void()>& part) {
    try {
        part();
    } catch (const error& e) {
        faults.push_back(e.what());
    }
}

void look_at_rendezvous(const identity& me) {
    std::string why;
    if (rendezvous_addresses(me, why).empty())
        bootstrap_failed("the rendezvous host " + me.rendezvous.host + " is not known here: " + why,
                         "set TUTTI_ADDRESS to an address of rank 0's host that all others reach");
    if (me.rank != 0) return;
    bool any = false;
    for (const auto& a : listening_addresses(me)) any = static_cast<bool>(listen_on(a)) || any;
    if (!any)
        bootstrap_failed("rank 0 cannot listen at " + me.rendezvous.text() + ": " + words_of_errno(errno),
                         "TUTTI_ADDRESS must be a free port on an address of rank 0's host");
}

} // namespace

std::string host_in_words(const identity& me) {
    if (me.host.empty()) return host_name();
    return fmt::format("{}, by {}", me.host,
                       transport::bootstrap::detail::is_set("TUTTI_HOST") ? "TUTTI_HOST" : "SLURMD_NODENAME");
}

std::string address_in_words(const identity& me) {
    if (me.size == 1) return "none: a single rank meets nobody";
    if (!me.exchange)
        return fmt::format("{}{}", me.rendezvous.text(),
                           transport::bootstrap::detail::is_set("TUTTI_ADDRESS") ? ", by TUTTI_ADDRESS"
                                                                                 : ", by the rule of this launcher");
    if (me.rank != 0) return "rank 0 hands it on through the launcher's key-value space";
    return fmt::format("{}, a free port, which rank 0 hands on through the launcher's key-value space",
                       transport::bootstrap::detail::offered_address(me).host());
}

std::string memory_in_words() {
    const transport::detail::shm::own_segment own;
    return own.why_not().empty() ? "can be shared" : "cannot be shared: " + own.why_not();
}

std::string processors_in_words(const allotment& mine) {
    const auto there = mine.processors.count();
    const auto quota = mine.quota.thousandths;
    const auto most = quota > 0 ? std::min<std::size_t>(there, quota / 1000) : there;
    return fmt::format("{}{}: crowded with more than {} rank{} there", mine.processors.text(),
                       quota > 0 ? fmt::format(", by a quota {} at a time", quota / 1000.0) : "", most,
                       most == 1 ? "" : "s");
}

std::string secret_in_words(const identity& me) {
    if (me.size == 1) return "none: a single rank talks to nobody";
    if (transport::bootstrap::detail::is_set("TUTTI_SECRET_FILE")) return "from the file of TUTTI_SECRET_FILE";
    if (transport::bootstrap::detail::is_set("TUTTI_SECRET")) return "from TUTTI_SECRET";
    if (me.exchange) return "drawn by rank 0, and handed on with the address";
    return me.insecure ? "none, and TUTTI_INSECURE allows to leave loopback" : "none: loopback alone may be used";
}

std::vector<std::string> faults_of(const identity& me) {
    std::vector<std::string> faults;
    if (me.size == 1) return faults;
    if (me.exchange) attempt(faults, present_launcher()->look_at_exchange);
    if (me.exchange)
        attempt(faults, [&] { static_cast<void>(transport::bootstrap::detail::offered_address(me)); });
    else
        attempt(faults, [&] { look_at_rendezvous(me); });
    attempt(faults, [&] {
        static_cast<void>(choose_interface(me.interface, *address::literal("127.0.0.1", 0), list_interfaces()));
    });
    if (me.encrypt && !me.exchange && !me.key.configured())
        faults.emplace_back("TUTTI_ENCRYPT needs a secret: set TUTTI_SECRET or TUTTI_SECRET_FILE on every rank");
    return faults;
}

} // namespace tutti::tools
