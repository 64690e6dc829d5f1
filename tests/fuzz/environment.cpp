// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Who this rank is, from the variables of its environment: a line of the input for each, in the order of `names`. A
// secret file is not named: its path would decide what is read.
//
// Invariants: the only exception is tutti::error; an identity that is read keeps the bounds of its variables; an
// endpoint written again is the same; an interface is chosen among those that there are.

#include <transport/join/host.hpp>
#include <transport/join/launchers.ipp>

#include "input.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <vector>

using namespace tutti::transport::bootstrap;
using namespace tutti::fuzz;

namespace {

constexpr std::array names{"TUTTI_RANK",
                           "TUTTI_SIZE",
                           "TUTTI_ADDRESS",
                           "TUTTI_HOST",
                           "TUTTI_INTERFACE",
                           "TUTTI_INSECURE",
                           "TUTTI_BOOTSTRAP_TIMEOUT",
                           "TUTTI_SECRET",
                           "TUTTI_ENCRYPT",
                           "TUTTI_PORTS",
                           "RANK",
                           "WORLD_SIZE",
                           "MASTER_ADDR",
                           "MASTER_PORT",
                           "LOCAL_WORLD_SIZE",
                           "TORCHELASTIC_RUN_ID",
                           "OMPI_COMM_WORLD_RANK",
                           "OMPI_COMM_WORLD_SIZE",
                           "PMI_RANK",
                           "PMI_SIZE",
                           "PMI_FD",
                           "SLURM_PROCID",
                           "SLURM_STEP_ID",
                           "SLURM_STEP_NUM_TASKS",
                           "SLURM_STEP_NODELIST",
                           "SLURM_STEP_NUM_NODES",
                           "SLURMD_NODENAME"};

/// The environment of the process while it lives: setenv() would keep every value for ever.
class environment {
public:
    explicit environment(std::string_view lines) : before_(environ) {
        for (const char* name : names) {
            const auto end = std::min(lines.find('\n'), lines.size());
            const auto value = lines.substr(0, std::min(lines.find('\0'), end));
            if (!value.empty()) held_.push_back(std::string(name) + "=" + std::string(value));
            lines.remove_prefix(std::min(end + 1, lines.size()));
        }
        for (auto& variable : held_) pointers_.push_back(variable.data());
        pointers_.push_back(nullptr);
        environ = pointers_.data();
    }
    ~environment() { environ = before_; }
    environment(const environment&) = delete;
    environment& operator=(const environment&) = delete;

private:
    char** before_;
    std::vector<std::string> held_;
    std::vector<char*> pointers_;
};

void choose(const identity& me) {
    const auto loopback = *address::literal("127.0.0.1", 0), near = *address::literal("10.1.2.3", 0),
               six = *address::literal("fd00::1", 0);
    try {
        const auto chosen = choose_interface(me.interface, near, {{"lo", loopback}, {"eth0", near}, {"eth1", six}});
        demand(chosen == loopback || chosen == near || chosen == six, "an address that there is");
    } catch (const tutti::error& e) {
        demand(!me.interface.empty(), "without a rule the route is taken");
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const environment of_input(text_of(std::as_bytes(std::span(data, size))));
    try {
        const identity me = identity_from_environment();
        demand(me.size >= 1 && me.size <= 1 << 20 && me.rank >= 0 && me.rank < me.size, "a rank of its world");
        demand(me.timeout >= std::chrono::seconds(1) && me.timeout <= std::chrono::days(1), "a timeout within a day");
        const bool meets = me.size > 1 && !me.exchange; // a world of one needs nobody
        demand(!meets || (me.rendezvous.port > 0 && !me.rendezvous.host.empty()), "a place to meet, or to find it");
        if (meets && std::getenv("TUTTI_ADDRESS") != nullptr) // of others a host is taken as it is
            demand(parse_endpoint(me.rendezvous.text(), "the endpoint") == me.rendezvous,
                   "an endpoint written again is the same");
        demand(me.ports == port_range{} || (me.ports.first > 0 && me.ports.first <= me.ports.last), "ports in order");
        static_cast<void>(me.rendezvous.says_loopback());
        choose(me);
    } catch (const tutti::error& e) {
        demand(e.why() == tutti::cause::bootstrap, "a refusal is a bootstrap error");
    }
    return 0;
}
