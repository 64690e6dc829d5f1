// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// Sandblaster: training by a batch method whose parameters are spread over shards. Source: Dean et al., Large Scale
/// Distributed Deep Networks, NIPS 2012, section 4.2.
namespace tutti::training::sandblaster {

/// A vector as long as the parameters. Each shard holds its part, so the name is all that a coordinator has of it. One
/// that was never written is zero.
using vector_id = std::uint32_t;

/// What a coordinator can ask of a shard.
enum class operation : std::uint32_t {
    dot,      ///< answers with the shard's part of x . y
    scale,    ///< y = factor y
    axpy,     ///< y = y + factor x
    copy,     ///< y = x
    set_zero, ///< y = 0
    begin,    ///< replicas may fetch x, for an evaluation of so many portions with gradients
    collect,  ///< y = the sum of the portions' gradients
    stop,     ///< nothing more comes
};

/// A command, as it travels. Shards carry out commands in the order in which they were given.
struct command {
    operation what = operation::stop; ///< to be done
    vector_id x = 0;                  ///< read; of a copy, the source
    vector_id y = 0;                  ///< changed; of a dot, read too
    float factor = 0;                 ///< of scale and axpy
    std::uint64_t evaluation = 0;     ///< of begin: its number
    std::uint32_t portions = 0;       ///< of begin; 0: no gradients are wanted
};

} // namespace tutti::training::sandblaster
