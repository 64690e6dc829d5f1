// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dataset.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

/// The IDX format of the MNIST files: a big-endian magic number (0, 0, type, dimensions), one big-endian 32-bit size
/// per dimension, then the data. Only unsigned bytes are read here.
namespace tutti::tools {

namespace detail {

[[noreturn]] inline void refuse(std::string_view name, const std::string& why) {
    throw std::runtime_error(std::string(name) + ": " + why);
}

inline std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

/// Checks magic number and length; returns the sizes of the dimensions, unused ones 1.
inline std::array<std::size_t, 3> idx_sizes(std::string_view bytes, std::string_view name, std::size_t dimensions) {
    const std::size_t header = 4 + 4 * dimensions;
    if (bytes.size() < header)
        refuse(name, "is truncated: " + std::to_string(bytes.size()) + " bytes, the header alone has " +
                         std::to_string(header));
    const std::uint32_t magic = big_endian(bytes, 0), wanted = 0x0800 + static_cast<std::uint32_t>(dimensions);
    if (magic != wanted)
        refuse(name, "is not an IDX file of bytes with " + std::to_string(dimensions) + " dimensions: magic number " +
                         std::to_string(magic) + " instead of " + std::to_string(wanted));
    std::array<std::size_t, 3> sizes{1, 1, 1};
    std::size_t data = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
        sizes[d] = big_endian(bytes, 4 + 4 * d);
        if (sizes[d] != 0 && data > SIZE_MAX / sizes[d]) refuse(name, "claims more data than can exist");
        data *= sizes[d];
    }
    if (bytes.size() - header != data)
        refuse(name, "has " + std::to_string(bytes.size() - header) + " bytes of data where its header says " +
                         std::to_string(data));
    return sizes;
}

} // namespace detail

/// A share of the pictures and labels in the contents of two IDX files; the names are for errors.
/// Throws std::runtime_error that names the file and what is wrong with it.
[[nodiscard]] inline dataset parse_idx(std::string_view images, std::string_view images_name, std::string_view labels,
                                       std::string_view labels_name, share part = {}) {
    const auto [count, rows, columns] = detail::idx_sizes(images, images_name, 3);
    const std::size_t labelled = detail::idx_sizes(labels, labels_name, 1)[0];
    if (count != labelled)
        detail::refuse(labels_name, "has " + std::to_string(labelled) + " labels for the " + std::to_string(count) +
                                        " pictures of " + std::string(images_name));
    if (rows * columns == 0) detail::refuse(images_name, "has pictures without pixels");
    images.remove_prefix(16);
    labels.remove_prefix(8);
    dataset set;
    set.pixels = rows * columns;
    for (std::size_t i = part.part; i < count; i += part.parts) {
        const auto label = static_cast<unsigned char>(labels[i]);
        if (label > 9)
            detail::refuse(labels_name,
                           "label " + std::to_string(i) + " is " + std::to_string(label) + ", not a digit");
        set.labels.push_back(label);
        const std::string_view image = images.substr(i * set.pixels, set.pixels);
        set.images.insert(set.images.end(), image.begin(), image.end());
    }
    return set;
}

} // namespace tutti::tools
