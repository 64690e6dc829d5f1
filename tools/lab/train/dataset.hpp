// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tutti::tools {

/// Grey pictures of equal size, row by row, and what each shows.
struct dataset {
    std::size_t pixels = 0; ///< of one picture
    std::vector<std::uint8_t> images;
    std::vector<std::uint8_t> labels; ///< 0 to 9: the digit, or the kind of clothes

    [[nodiscard]] std::size_t size() const noexcept { return labels.size(); }
    [[nodiscard]] std::span<const std::uint8_t> image(std::size_t i) const noexcept {
        return {images.data() + i * pixels, pixels};
    }
};

/// One of `parts` interleaved parts of a set: pictures part, part + parts, part + 2 parts ...
struct share {
    std::size_t part = 0;
    std::size_t parts = 1;
};

/// How many pictures of `count` a share holds.
[[nodiscard]] constexpr std::size_t size_of(share s, std::size_t count) noexcept {
    return count > s.part ? (count - s.part - 1) / s.parts + 1 : 0;
}

/// That share of a set.
[[nodiscard]] inline dataset part_of(share s, const dataset& all) {
    dataset part;
    part.pixels = all.pixels;
    for (std::size_t i = s.part; i < all.size(); i += s.parts) {
        const auto image = all.image(i);
        part.images.insert(part.images.end(), image.begin(), image.end());
        part.labels.push_back(all.labels[i]);
    }
    return part;
}

/// Writes a picture as values from 0 to 1.
inline void copy_picture(std::span<const std::uint8_t> picture, std::span<float> to) {
    std::ranges::transform(picture, to.begin(), [](std::uint8_t grey) { return static_cast<float>(grey) / 255; });
}

/// Pictures in rows, as a network takes them: picture index(i) of a set, for each i below `count`.
void take_pictures(const dataset& from, std::size_t count, const auto& index, std::vector<float>& inputs,
                   std::vector<std::uint8_t>& labels) {
    inputs.resize(count * from.pixels);
    labels.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        copy_picture(from.image(index(i)), std::span(inputs).subspan(i * from.pixels, from.pixels));
        labels[i] = from.labels[index(i)];
    }
}

/// Where Debian's package dataset-fashion-mnist puts its files: pictures of clothes in MNIST's format (Xiao, Rasul,
/// Vollgraf 2017).
inline constexpr auto fashion_mnist = "/usr/share/datasets/fashion-mnist";

/// Whether there are the packed files of such a package.
[[nodiscard]] bool has_digits(const std::string& directory);

/// A share of the training or test set in a directory of MNIST's files: train-images-idx3-ubyte and so on. Each is as
/// it is, or packed by gzip with .gz behind the name. Throws std::runtime_error that names the file and what is wrong
/// with it.
[[nodiscard]] dataset read_digits(const std::string& directory, bool training, share part);

/// Throws std::runtime_error unless pictures to test with are as large as those to train with.
void require_equal_pixels(const dataset& training, const dataset& testing);

} // namespace tutti::tools
