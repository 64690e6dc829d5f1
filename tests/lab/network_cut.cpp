// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/network/cross_entropy.hpp"
#include "../../tools/lab/train/network/cut_transformer.hpp"

#include "slopes.hpp"
#include "support/world.hpp"

using namespace tools_test;

namespace {

const transformer_shape cut_shape{7, 16, 4, 1, 4};
constexpr std::size_t cut_rows = 16; // four sequences

std::vector<float> cut_text() {
    random_source random{5};
    std::vector<float> all(cut_rows);
    for (float& v : all) v = static_cast<float>(random.below(cut_shape.characters));
    return all;
}

// Outputs, and gradients of the summed loss by the weights.
struct passed {
    std::vector<float> outputs, slopes;
};

passed through(const network& n, std::span<const float> w) {
    const std::vector<float> text = cut_text();
    const std::vector<std::uint8_t> labels(cut_rows, 3);
    passed result{std::vector<float>(cut_rows * cut_shape.characters), std::vector<float>(w.size())};
    saved kept;
    n.forward(n.all(), w, {text.data(), cut_rows, 1}, {result.outputs.data(), cut_rows, cut_shape.characters}, kept);
    std::vector<float> slope = result.outputs;
    const matrix by_outputs{slope.data(), cut_rows, cut_shape.characters};
    judge_and_slope(by_outputs, labels, 1);
    n.backward(n.all(), w, {text.data(), cut_rows, 1}, kept, by_outputs, {}, result.slopes);
    return result;
}

std::vector<float> shaken(std::vector<float> w) { // biases and shifts begin at zero, where some faults do not show
    random_source random{6};
    for (float& v : w) v += static_cast<float>(random.between(-.2, .2));
    return w;
}

// Of sums in another order: the largest has some hundred terms of the size of one.
void expect_near(std::span<const float> tried, std::span<const float> serial, const std::string& what) {
    tutti::test::expect(tried.size() == serial.size(), what + ": as many");
    for (std::size_t i = 0; i < tried.size(); ++i)
        tutti::test::expect(std::abs(tried[i] - serial[i]) <= 2e-5f * (1 + std::abs(serial[i])),
                            what + " " + std::to_string(i) + ": " + std::to_string(tried[i]) + " beside " +
                                std::to_string(serial[i]));
}

std::vector<float> part_of(const tutti::training::tensor::weight_cut& cut, std::span<const float> whole) {
    std::vector<float> part(cut.part());
    cut.take(whole, std::span(part));
    return part;
}

} // namespace

TEST_CASE("a transformer that is cut over ranks has the serial one's weights, outputs and gradients") {
    const network serial = transformer(cut_shape);
    std::vector<float> first(serial.parameters());
    serial.initialise(serial.all(), first, 3);
    const std::vector<float> w = shaken(first);
    const passed expected = through(serial, w);
    for (const int size : {1, 2, 4})
        tutti::test::run_world(size, [&](const tutti::test::communicator& ranks) {
            const network n = cut_transformer(cut_shape, ranks);
            const auto cut = cut_of(cut_shape, ranks);
            tutti::test::expect(cut.whole() == w.size() && cut.part() == n.parameters(), "all weights have a place");
            std::vector<float> drawn(n.parameters());
            n.initialise(n.all(), drawn, 3);
            tutti::test::expect(drawn == part_of(cut, first), "the first weights are the serial network's");
            const passed got = through(n, part_of(cut, w));
            expect_near(got.outputs, expected.outputs, "output");
            expect_near(got.slopes, part_of(cut, expected.slopes), "gradient");
        });
}

TEST_CASE("blocks with rows cut over ranks have the serial outputs and gradients") {
    const transformer_block whole = block_of(cut_shape);
    const std::vector<layer> serial{whole.attending(), whole.thinking()};
    const std::size_t width = cut_shape.width;
    const std::vector<float> w = shaken(std::vector<float>(parameters_of(serial))),
                             x = drawn_floats(cut_rows * width, 1), slope = drawn_floats(cut_rows * width, 2);
    std::vector<float> y(x.size()), x_slope(x.size()), w_slope(w.size());
    saved kept;
    forward(serial, w, {x.data(), cut_rows, width}, {y.data(), cut_rows, width}, kept);
    backward(serial, w, {x.data(), cut_rows, width}, kept, {slope.data(), cut_rows, width},
             {x_slope.data(), cut_rows, width}, w_slope);
    for (const int size : {1, 2, 4})
        tutti::test::run_world(size, [&](const tutti::test::communicator& ranks) {
            const cut_block<tutti::test::communicator> block{ranks, whole, rows_at::each};
            const std::vector<layer> layers{block.attending(), block.thinking()};
            tutti::training::tensor::weight_cut cut(ranks.rank(), size);
            block.add_to(cut);
            const std::size_t rows = cut_rows / static_cast<std::size_t>(size), elements = rows * width,
                              begin = elements * static_cast<std::size_t>(ranks.rank());
            const auto own = [&](std::span<const float> all) { return all.subspan(begin, elements); };
            const std::vector<float> part = part_of(cut, w);
            std::vector<float> out(elements), in_slope(elements), slopes(part.size());
            saved mine;
            const const_matrix input{x.data() + begin, rows, width};
            forward(layers, part, input, {out.data(), rows, width}, mine);
            backward(layers, part, input, mine, {slope.data() + begin, rows, width}, {in_slope.data(), rows, width},
                     slopes);
            for (const auto& r : cut.common()) ranks.allreduce(std::span(slopes).subspan(r.first, r.count), tutti::sum);
            expect_near(out, own(y), "output");
            expect_near(in_slope, own(x_slope), "input's gradient");
            expect_near(slopes, part_of(cut, w_slope), "gradient");
        });
}

TEST_CASE("the gradients of a cut pair are its slopes, on two ranks at once") {
    // Each rank shifts the same weight of all at a time. What it then sees is the slope of the loss of both.
    const linear one{3, 8}, other{8, 2};
    tutti::test::run_world(2, [&](const tutti::test::communicator& ranks) {
        const cut_pair<tutti::test::communicator> tried(ranks, one, layer(gelu{}), other, 8, rows_at::all);
        tutti::training::tensor::weight_cut cut(ranks.rank(), 2);
        tried.add_to(cut, one, other, 8);
        std::vector<float> all = drawn_floats(cut.whole(), 3), x = drawn_floats(6, 4), y(4), by(6);
        const std::vector<float> weighed = drawn_floats(4, 5);
        saved kept;
        const auto loss = [&] {
            tried.forward(part_of(cut, all), {x.data(), 2, 3}, {y.data(), 2, 2}, kept);
            double sum = 0;
            for (std::size_t i = 0; i < 4; ++i) sum += static_cast<double>(y[i]) * static_cast<double>(weighed[i]);
            return sum;
        };
        loss();
        std::vector<float> slopes(cut.part()), by_all(cut.whole());
        tried.backward(part_of(cut, all), {x.data(), 2, 3}, kept, {weighed.data(), 2, 2}, {by.data(), 2, 3}, slopes);
        for (std::size_t i = 0; i < all.size(); ++i) by_all[i] = static_cast<float>(difference(all[i], loss));
        const auto close = [](float a, double b) { return std::abs(static_cast<double>(a) - b) < 2e-3; };
        const std::vector<float> mine = part_of(cut, by_all);
        for (std::size_t i = 0; i < mine.size(); ++i)
            tutti::test::expect(close(slopes[i], static_cast<double>(mine[i])), "the slope of a weight");
        for (std::size_t i = 0; i < x.size(); ++i)
            tutti::test::expect(close(by[i], difference(x[i], loss)), "the slope of an input");
    });
}

TEST_CASE("heads that ranks do not divide are refused") {
    tutti::test::run_world(3, [](const tutti::test::communicator& ranks) {
        const auto f = tutti::test::fault_of([&] { (void)cut_transformer(cut_shape, ranks); });
        tutti::test::expect(f.why == tutti::cause::invalid_argument, f.detail);
    });
}
