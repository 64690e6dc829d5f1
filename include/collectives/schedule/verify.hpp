// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "verify/postcondition.hpp"
#include "verify/rounds.hpp"
#include "verify/shape.hpp"
#include "verify/symbolic_execution.hpp"

#include "../../base/language.hpp"

#include <string>

namespace tutti::schedule {

/// The result of verify.
struct proof {
    bool proven = false;          ///< there is no flaw
    finding fault{};              ///< the first flaw, when not proven
    cost measured{};              ///< exact counts
    bool preserves_order = false; ///< every result has its operands in rank order
    bool in_order = false;        ///< also completes when each rank walks its list strictly in order

    /// One line; of a flaw it names rank and step.
    [[nodiscard]] std::string message() const { return message_of(fault); }
};

namespace detail {

/// Every rank hears of every other, however far: the graph of messages is connected.
[[nodiscard]] TUTTI_CONSTEXPR finding connected(const program& p) {
    std::vector<char> known(static_cast<std::size_t>(p.size), 0);
    std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(p.size), std::vector<int>{});
    for (int r = 0; r < p.size; ++r)
        for (const step& s : p.ranks[static_cast<std::size_t>(r)])
            if (sends(s)) {
                neighbours[static_cast<std::size_t>(r)].push_back(s.peer);
                neighbours[static_cast<std::size_t>(s.peer)].push_back(r);
            }
    std::vector<int> open{0};
    known[0] = 1;
    while (!open.empty()) {
        const int r = open.back();
        open.pop_back();
        for (int q : neighbours[static_cast<std::size_t>(r)])
            if (!known[static_cast<std::size_t>(q)]) {
                known[static_cast<std::size_t>(q)] = 1;
                open.push_back(q);
            }
    }
    for (int r = 0; r < p.size; ++r)
        if (!known[static_cast<std::size_t>(r)]) return {flaw::disconnected, r, -1, 0};
    return {};
}

[[nodiscard]] constexpr finding compare(const cost& stated, const cost& found) {
    for (const figure& f : figures(stated, found))
        if (f.wrong()) {
            finding all{flaw::other_cost};
            all.stated = stated;
            all.measured = found;
            return all;
        }
    return {};
}

} // namespace detail

/// The rounds of a program that is known to complete, as verify counts them (cost::rounds). Linear in steps and in the
/// chunks that they touch, plus P².
[[nodiscard]] TUTTI_CONSTEXPR int rounds_of(const program& p) {
    std::vector<order> orders;
    for (int r = 0; r < p.size; ++r) orders.push_back(order_of(p, r));
    const auto order_at = [&](int r) -> const order& { return orders[static_cast<std::size_t>(r)]; };
    return detail::rounds_among(p, order_at);
}

namespace detail {

/// Runs the program and checks its result and its graph of messages. `run` is a fresh execution of it.
[[nodiscard]] constexpr finding examine(const program& p, symbolic_execution& run, postcondition& promise) {
    if (const finding f = run.run(); f.what != flaw::none) return f;
    if (const finding f = connected(p); f.what != flaw::none) return f;
    return promise.examine();
}

/// Costs, and whether it walks in order, of a program that has been checked.
TUTTI_CONSTEXPR void measure(const program& p, const symbolic_execution& run, proof& result) {
    const auto order_at = [&](int r) -> const order& { return run.order_at(r); };
    result.measured = run.measured();
    result.measured.rounds = rounds_among(p, order_at);
    result.in_order = completes_in_order(p, order_at);
}

} // namespace detail

#pragma push_macro("verify") // of assertions, in some programs
#undef verify
/// Proves a program, or finds its first flaw:
/// - each place ends with the promised result, every contribution once, in a scan also in rank order;
/// - there is no deadlock, even where no send completes before its receive has begun, nor the send of a viewed operand
///   before that has been read;
/// - both ends of every message name the same chunks, so that they agree for every layout;
/// - every rank holds the same ordered expression for the same chunk, hence the same bits, unless they `may_differ`;
/// - the graph of messages is connected;
/// - the cost equals `stated`, if that is given; where `stated` is a bound, it is no more.
/// Takes time and memory linear in steps and in the chunks that they touch, plus P². Also runs at compile time.
/// One program is one mode: algorithm::prove proves all that ranks may run.
[[nodiscard]] TUTTI_CONSTEXPR proof verify(const program& p, const cost* stated = nullptr, bits same = bits::equal) {
    proof result;
    result.fault = detail::told(detail::shapes_of(p), p, p);
    if (result.fault.what != flaw::none) return result;
    detail::symbolic_execution run(p);
    detail::postcondition promise(p, run, same);
    result.fault = detail::examine(p, run, promise);
    if (result.fault.what == flaw::none) {
        detail::measure(p, run, result);
        result.preserves_order = promise.preserves_order();
        if (stated) result.fault = detail::compare(*stated, result.measured);
    }
    result.fault = detail::told(result.fault, p, p);
    result.proven = result.fault.what == flaw::none;
    return result;
}
#pragma pop_macro("verify")

} // namespace tutti::schedule
