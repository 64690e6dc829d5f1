// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Pictures and labels in the files of MNIST.
//
// Invariants: the only exception is std::runtime_error; what is read are the bytes behind the headers, each picture
// with one label of 0 to 9; the shares of a set are the set.

#include "../../tools/lab/train/idx.hpp"

#include "input.hpp"

#include <optional>

using namespace tutti::tools;
using namespace tutti::fuzz;

namespace {

std::optional<dataset> parsed(std::string_view images, std::string_view labels, share part) {
    try {
        return parse_idx(images, "images", labels, "labels", part);
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    const std::size_t parts = 1 + in.below(3);
    const auto labels = text_of(in.bytes(in.below(64)));
    const auto images = text_of(in.rest());
    const auto all = parsed(images, labels, {});
    if (!all) return 0;
    demand(all->size() == labels.size() - 8, "each label counts");
    demand(text_of(std::as_bytes(std::span(all->images))) == images.substr(16), "the pictures are the bytes");
    demand(std::all_of(all->labels.begin(), all->labels.end(), [](auto l) { return l <= 9; }), "labels are digits");
    for (std::size_t part = 0; part < parts; ++part) {
        const share mine{part, parts};
        const auto some = parsed(images, labels, mine);
        if (!some) continue;
        demand(some->size() == size_of(mine, all->size()), "a share has its size");
        for (std::size_t i = 0; i < some->size(); ++i)
            demand(std::ranges::equal(some->image(i), all->image(part + i * parts)), "a share is part of the set");
    }
    return 0;
}
