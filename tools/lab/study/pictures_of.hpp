// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../train/digits.hpp"
#include "study.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

namespace tutti::tools::study {

/// Where the pictures of a study come from: a directory, or "drawn".
[[nodiscard]] inline std::string source_of(const settings& s) {
    if (!s.data.empty()) return s.data;
    return has_digits(fashion_mnist) ? fashion_mnist : "drawn";
}

/// What pictures from there show, for readers. A folder is told by its name alone, since a page is passed on.
[[nodiscard]] inline std::string words_of_source(const std::string& source) {
    if (source == fashion_mnist) return "Fashion-MNIST";
    if (source == "drawn") return "drawn digits";
    const std::filesystem::path folder = std::filesystem::path(source + "/").parent_path().lexically_normal();
    return "the pictures in " + (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

/// Pictures to train or to test with. Drawn ones are 16000 and 2000. A quick study takes 2000 and 500.
[[nodiscard]] inline dataset pictures_of(const settings& s, bool training) {
    const std::size_t quick = training ? 2000 : 500, drawn = training ? 16000 : 2000;
    const std::string source = source_of(s);
    if (source == "drawn") return draw_digits(s.quick ? quick : drawn, training ? 1 : 2);
    dataset all = read_digits(source, training, {});
    if (s.quick) {
        all.labels.resize(std::min(all.size(), quick));
        all.images.resize(all.size() * all.pixels);
    }
    return all;
}

} // namespace tutti::tools::study
