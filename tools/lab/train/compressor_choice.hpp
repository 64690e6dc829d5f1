// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "words_of_choice.hpp"

#include <training/compressed/error_feedback.hpp>
#include <training/compressed/power_sgd.hpp>
#include <training/compressed/qsgd.hpp>
#include <training/compressed/random_k.hpp>
#include <training/compressed/sign_majority.hpp>
#include <training/compressed/top_k.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <variant>

namespace tutti::tools {

/// One of the compressors, as a compressor itself. Those that lose a part have error feedback.
struct compressor_choice {
    template <class C>
    using fed_back = training::compressed::error_feedback<C>;

    std::variant<fed_back<training::compressed::top_k>, fed_back<training::compressed::random_k>,
                 fed_back<training::compressed::power_sgd>, training::compressed::qsgd,
                 training::compressed::sign_majority>
        of;

    template <class Communicator>
    training::compressed::traffic average(const Communicator& ranks, std::span<float> data, std::span<float> sent) {
        return std::visit([&](auto& c) { return c.average(ranks, data, sent); }, of);
    }
    [[nodiscard]] compressor_choice with_stream(std::uint64_t n) const {
        return std::visit(
            [n](const auto& c) { return compressor_choice{training::compressed::detail::with_stream(c, n)}; }, of);
    }
};

/// What --compress says. Throws std::invalid_argument where it is not understood.
[[nodiscard]] inline compressor_choice compressor_of(const std::string& text, std::uint64_t seed) {
    using namespace training::compressed;
    const words_of_choice words(text, "top-k:0.01, random-k:0.1, qsgd:8, qsgd:4, sign, power-sgd:4");
    if (words.is("top-k", 1)) return {error_feedback(top_k{.share = words.number(0, 1)})};
    if (words.is("random-k", 1)) return {error_feedback(random_k{.share = words.number(0, 1), .seed = seed})};
    if (words.is("power-sgd", 1)) return {error_feedback(power_sgd({.rank = words.count(0), .seed = seed}))};
    if (words.is("sign", 0)) return {sign_majority{}};
    if (words.is("qsgd", 1) && (words.count(0) == 4 || words.count(0) == 8))
        return {qsgd({.bits = static_cast<int>(words.count(0))}, seed)};
    words.refuse();
}

} // namespace tutti::tools
