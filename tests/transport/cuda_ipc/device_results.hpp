// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "device_world.hpp"

#include <collectives/algorithm/all.hpp>

#include "support/expect.hpp"
#include "support/typed_call.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace tutti::test {

/// One call on such data; returns what it has written.
template <class T, class Communicator, class Op>
std::vector<T> result_of(const Communicator& world, schedule::operation o, const algorithm::any& how, std::size_t count,
                         bool in_place, place where, Op op, const Communicator& memory) {
    const auto size = static_cast<std::size_t>(world.size()), rank = static_cast<std::size_t>(world.rank());
    const int root = world.size() / 2;
    const placed_elements<T> in(memory, where, count * size), out(memory, where, count * size);
    for (std::size_t i = 0; i < count * size; ++i)
        in.there()[i] = static_cast<T>(0.1F * static_cast<float>(i % 1000) + static_cast<float>(3 * rank + 1));
    const auto at = typed_call(world, o, in.seen(), out.seen(), in_place, root, op, how);
    const auto found = (at.in_input ? in : out).there().subspan(at.first, at.count);
    return std::vector<T>(found.begin(), found.end());
}

/// What an algorithm's operations give on device memory are the bits that they give on the host's.
template <class T, class Communicator, class Op>
void expect_as_on_the_host(const Communicator& world, fake_executor& e, const algorithm::any& how, std::size_t count,
                           Op op, std::initializer_list<bool> in_place = {false, true},
                           std::initializer_list<place> places = {place::slab, place::device}) {
    for (const schedule::operation o : schedule::operations) {
        if (!how.offers(o)) continue;
        for (const bool here : in_place) {
            const auto wanted = result_of<T>(world, o, how, count, here, place::host, op, world);
            for (const place where : places)
                expect(result_of<T>(world.with_executor(e), o, how, count, here, where, op, world) == wanted,
                       std::string(how.name()) + " " + std::string(name_of(o)) + " of " + std::to_string(count));
        }
    }
}

} // namespace tutti::test
