// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What launchers and other ranks leave as text: rank 0's offer, a line of PMI-1, a list of hosts.
//
// Invariants: the only exception is tutti::error, which does not quote the offer; an offer that is read and written is
// read alike; a value has no blank; a first host is part of its list but for brackets, and could be looked up.

#include <transport/join/launchers/host_list.hpp>
#include <transport/join/launchers/pmi_wire.hpp>
#include <transport/join/offer.hpp>

#include "input.hpp"

using namespace tutti::transport::bootstrap;
using namespace tutti::fuzz;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(text_of(std::as_bytes(std::span(data, size))));
    try {
        const auto read = offer::parse(text, "the offer");
        const auto again = offer::parse(read.text(), "the offer");
        demand(again.key == read.key && again.where == read.where, "an offer written again is the same");
        demand(text.size() <= offer::most_characters && read.where.port > 0, "an offer keeps its bounds");
    } catch (const tutti::error& e) {
        demand(e.why() == tutti::cause::bootstrap, "a refusal is a bootstrap error");
    }
    for (const char* key : {"cmd", "value", "rc"}) {
        const auto value = detail::pmi::value_of(text, key);
        demand(!value || value->find_first_of(" \n") == std::string::npos, "a value ends at a blank");
    }
    const auto host = detail::first_host(text);
    demand(host.size() <= text.size() && host.find_first_of(" \t/:[],") == std::string::npos,
           "a host can be looked up");
    return 0;
}
