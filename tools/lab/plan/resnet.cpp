// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "network.hpp"

#include <array>
#include <string>

namespace tutti::tools::planner {
namespace {

/// Sums over the convolutions of a layer. Each has a batch normalisation, which reads its input twice and writes once
/// (6 bytes an element). A ReLU (4) or the sum with the shortcut (6) follows, here 5 in the mean. Kept are the inputs
/// of normalisation and ReLU.
class convolutions {
public:
    void add(double in, double out, int width, int side) {
        const double places = 1. * side * side, weights = in * out * width * width;
        l_.parameters += weights + 2 * out;
        l_.matrix_flop += 2 * places * weights;
        l_.moved_bytes += 11 * places * out;
        l_.kept_bytes += 2 * element_bytes * places * out;
        l_.output_bytes = element_bytes * places * out;
    }
    [[nodiscard]] layer named(std::string name) {
        l_.name = std::move(name);
        return l_;
    }

private:
    layer l_;
};

/// A stage of table 1: so many blocks, of so many channels inside, with images of so many places a side.
struct stage {
    int blocks, channels, side;
};

layer bottleneck(const stage& s, int in, bool first) {
    const double inside = s.channels, out = 4. * s.channels;
    const int before = first && s.channels > 64 ? 2 * s.side : s.side; // the 3 x 3 convolution halves the image
    convolutions c;
    c.add(in, inside, 1, before);
    c.add(inside, inside, 3, s.side);
    if (first) c.add(in, out, 1, s.side); // the shortcut
    c.add(inside, out, 1, s.side);
    return c.named("bottleneck of " + std::to_string(s.channels));
}

} // namespace

network resnet50() {
    constexpr std::array stages{stage{3, 64, 56}, stage{4, 128, 28}, stage{6, 256, 14}, stage{3, 512, 7}};
    network n{"resnet50", "He et al. 2016", 1, {}};
    convolutions stem;
    stem.add(3, 64, 7, 112);
    layer first = stem.named("stem and pooling");
    first.output_bytes /= 4;
    n.layers.push_back(first);
    int in = 64;
    for (const stage& s : stages)
        for (int k = 0; k < s.blocks; ++k) {
            n.layers.push_back(bottleneck(s, in, k == 0));
            in = 4 * s.channels;
        }
    layer classes;
    classes.name = "classes";
    classes.parameters = 2048 * 1000 + 1000;
    classes.matrix_flop = 2. * 2048 * 1000;
    classes.kept_bytes = element_bytes * (2048 + 1000);
    classes.output_bytes = element_bytes * 1000;
    n.layers.push_back(classes);
    return n;
}

} // namespace tutti::tools::planner
