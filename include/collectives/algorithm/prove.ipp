// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "prove.hpp"

#include "../error.hpp"
#include "../schedule/verify_modes.hpp"
#include "any.ipp"

#include <optional>

namespace tutti::algorithm {

TUTTI_INLINE std::string verdict::message() const {
    if (proven) return "proven";
    const schedule::finding& f = proof.fault;
    std::string text{schedule::name_of(what)};
    text.append("(").append(name).append(") on ").append(std::to_string(size)).append(size == 1 ? " rank" : " ranks");
    if (schedule::has_root(what)) text.append(", root ").append(std::to_string(root));
    if (segments > 1) text.append(", ").append(std::to_string(segments)).append(" segments");
    const bool of_both = f.mixed || f.what == schedule::flaw::modes_differ || f.what == schedule::flaw::bad_program;
    if (!of_both) text.append(f.in_place ? ", in place" : ", out of place");
    return text.append(": ").append(proof.message());
}

TUTTI_INLINE verdict prove_call(const any& a, operation what, int size, int root, const scope& of) {
    const cost stated = a.stated(what, size);
    verdict v{false, {}, 1, a.name(), what, size, root, of.segments};
    v.proof = schedule::verify_modes(a.write(what, size, root, false, of.segments),
                                     a.write(what, size, root, true, of.segments),
                                     of.stated_cost && of.segments == 1 ? &stated : nullptr,
                                     of.same_bits ? schedule::bits::equal : schedule::bits::may_differ);
    v.proven = v.proof.proven;
    return v;
}

TUTTI_INLINE verdict prove(const any& a, const scope& of) {
    if (of.ranks.first < 1 || of.ranks.last < of.ranks.first || of.segments < 1)
        reject("proof of " + std::string(a.name()), "there is nothing to prove",
               "name one rank at least, and one segment");
    verdict last;
    scope left = of;
    std::optional<verdict> wrong_cost; // told only where nothing worse is found
    long calls = 0;
    for (int size = of.ranks.first; size <= of.ranks.last; ++size)
        for (const operation what : schedule::operations)
            for (int root = 0; a.offers(what) && root < (schedule::has_root(what) ? size : 1); ++root) {
                last = prove_call(a, what, size, root, left);
                last.calls = ++calls;
                if (last.proven) continue;
                if (last.proof.fault.what != schedule::flaw::other_cost) return last;
                wrong_cost = last;
                left.stated_cost = false;
            }
    return wrong_cost.value_or(last);
}

} // namespace tutti::algorithm
