// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/contract/transport.hpp>

#include <concepts>
#include <cstddef>
#include <functional>

namespace tutti::test {

// clang-format off
/// What a transport gives to be tested against the contract:
///
/// | member              | meaning |
/// |---------------------|---------|
/// | F::transport        | the type under test |
/// | F::eager_limit      | the most bytes of completed sends that a channel keeps for a peer who does not receive (std::size_t) |
/// | F::many_contexts    | optional; in how many contexts a rank sends that its peer has not opened, where 2,000 are too many for the machine |
/// | f.run(ranks, body)  | makes a fresh world of that many ranks, runs body(transport) on each, every one in a thread of this process, destroys each rank's transport at the end of its body, joins all, and throws what a body threw |
/// | f.kill(rank)        | optional; called by `rank` from its body, which returns at once: to the others it is as if its process had been killed |
///
/// A fixture is default-constructible and used for one run.
// clang-format on
template <class F>
concept contract_fixture = transport::transport<typename F::transport> && std::default_initializable<F> &&
                           std::convertible_to<decltype(F::eager_limit), std::size_t> &&
                           requires(F f, std::function<void(typename F::transport&)> body) { f.run(2, body); };

template <class F>
concept killing_fixture = contract_fixture<F> && requires(F f) { f.kill(0); };

} // namespace tutti::test
