// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/network/network.hpp"
#include "../../tools/lab/train/network/cross_entropy.hpp"
#include "../../tools/lab/train/network/mlp.hpp"
#include "../../tools/lab/train/network/transformer.hpp"

#include "slopes.hpp"

using namespace tools_test;

namespace {

network little_transformer() { return transformer({7, 8, 2, 1, 4}); } // of 1 block

// A batch through a network by itself.
struct batch {
    batch(const network& n, std::vector<float> input, std::vector<std::uint8_t> answers)
        : of(n), inputs(std::move(input)), labels(std::move(answers)), outputs(labels.size() * n.columns(n.size())) {}

    [[nodiscard]] const_matrix in() const { return {inputs.data(), labels.size(), of.columns(0)}; }
    [[nodiscard]] matrix out() { return {outputs.data(), labels.size(), of.columns(of.size())}; }
    double forward(std::span<const float> w) {
        of.forward(of.all(), w, in(), out(), kept);
        std::vector<float> copy = outputs;
        return judge({copy.data(), labels.size(), of.columns(of.size())}, labels).loss;
    }
    void backward(std::span<const float> w, std::span<float> slopes, const on_gradient& told = {}) {
        judge_and_slope(out(), labels, 1);
        of.backward(of.all(), w, in(), kept, out(), {}, slopes, told);
    }

    const network& of;
    std::vector<float> inputs;
    std::vector<std::uint8_t> labels;
    std::vector<float> outputs;
    saved kept;
};

batch some_text(const network& n, std::uint64_t seed) {
    random_source random{seed};
    std::vector<float> inputs(8);
    std::vector<std::uint8_t> labels(8);
    for (float& v : inputs) v = static_cast<float>(random.below(7));
    for (std::uint8_t& v : labels) v = static_cast<std::uint8_t>(random.below(7));
    return {n, inputs, labels};
}

std::vector<float> weights_of(const network& n) {
    std::vector<float> w(n.parameters());
    n.initialise(n.all(), w, 3);
    return w;
}

} // namespace

TEST_CASE("the gradients of a whole network are the slopes of its loss") {
    const network text = little_transformer(), pictures = mlp({6, 5, 4});
    for (batch b : {some_text(text, 1), batch{pictures, drawn_floats(12, 2), {1, 3}}}) {
        std::vector<float> w = weights_of(b.of), slopes(w.size());
        b.forward(w);
        b.backward(w, slopes);
        for (std::size_t i = 0; i < w.size(); ++i)
            expect_slope(difference(
                             w[i], [&] { return b.forward(w); }, 0x1p-8f),
                         slopes[i]);
    }
}

TEST_CASE("parameters have names and places that fill the array") {
    const network n = little_transformer();
    std::size_t end = 0;
    for (const parameter& p : n.tensors()) {
        CHECK(p.offset == end);
        CHECK(p.offset >= n.offset(p.layer));
        end += p.rows * p.columns;
        CHECK(end <= n.offset(p.layer + 1));
    }
    CHECK(end == n.parameters());
    CHECK(n.tensors()[0].name == "0.embedding.characters");
    CHECK(n.tensors()[4].name == "1.residual.1.linear.weight");
    CHECK(n.tensors().back().name == "4.linear.bias");
    CHECK(transformer({70}).parameters() > 3'000'000);
    CHECK_THROWS_AS(transformer({7, 8, 3}), tutti::error);
    CHECK_THROWS_AS((network{4, {linear{4, 5}, linear{4, 5}}}), tutti::error);
}

TEST_CASE("stages one after the other give the bits of the whole network") {
    const network n = little_transformer();
    const std::vector<float> w = weights_of(n);
    batch whole = some_text(n, 4);
    std::vector<float> slopes(w.size());
    whole.forward(w);
    const std::vector<float> outputs = whole.outputs;
    whole.backward(w, slopes);

    for (std::size_t cut = 1; cut < n.size(); ++cut) {
        const layer_range first{0, cut}, second{cut, n.size()};
        std::vector<float> w_first(n.parameters(first)), w_second(n.parameters(second));
        n.initialise(first, w_first, 3);
        n.initialise(second, w_second, 3);
        std::vector<float> between(8 * n.columns(cut)), back(between.size()), result(8 * 7);
        const matrix middle{between.data(), 8, n.columns(cut)}, middle_slope{back.data(), 8, n.columns(cut)};
        saved kept_first, kept_second;
        n.forward(first, w_first, whole.in(), middle, kept_first);
        n.forward(second, w_second, middle, {result.data(), 8, 7}, kept_second);
        REQUIRE(result == outputs);
        judge_and_slope({result.data(), 8, 7}, whole.labels, 1);
        std::vector<float> s_first(w_first.size()), s_second(w_second.size());
        n.backward(second, w_second, middle, kept_second, {result.data(), 8, 7}, middle_slope, s_second);
        n.backward(first, w_first, whole.in(), kept_first, middle_slope, {}, s_first);
        s_first.insert(s_first.end(), s_second.begin(), s_second.end());
        REQUIRE(s_first == slopes);
    }
}

TEST_CASE("microbatches in flight do not disturb each other, nor do other weights") {
    const network n = little_transformer();
    const std::vector<float> w = weights_of(n), newer = drawn_floats(w.size(), 5, .2);
    std::vector<float> one_alone(w.size()), other_alone(w.size()), one_beside(w.size()), other_beside(w.size());
    batch one = some_text(n, 6), other = some_text(n, 7);
    one.forward(w);
    one.backward(w, one_alone);
    other.forward(newer);
    other.backward(newer, other_alone);

    one.forward(w);
    other.forward(newer);
    one.backward(w, one_beside);
    other.backward(newer, other_beside);
    CHECK(one_beside == one_alone);
    CHECK(other_beside == other_alone);
}

TEST_CASE("each layer is told once, last to first, when its gradient is complete") {
    const network n = little_transformer();
    const std::vector<float> w = weights_of(n);
    batch b = some_text(n, 8);
    std::vector<float> slopes(w.size()), final_slopes(w.size()), as_told(w.size());
    b.forward(w);
    b.backward(w, final_slopes);
    b.forward(w);
    std::vector<std::size_t> order;
    b.backward(w, slopes, [&](std::size_t l) {
        order.push_back(l);
        for (std::size_t i = n.offset(l); i < n.offset(l + 1); ++i) as_told[i] = slopes[i];
    });
    CHECK(order == std::vector<std::size_t>{4, 3, 2, 1, 0});
    CHECK(as_told == final_slopes);
}

TEST_CASE("a batch without rows passes: a rank may have no picture of it") {
    const network n = mlp({6, 5, 4});
    const std::vector<float> w = weights_of(n);
    std::vector<float> slopes(w.size());
    batch none{n, {}, {}};
    CHECK(none.forward(w) == 0);
    none.backward(w, slopes);
    CHECK(slopes == std::vector<float>(w.size()));
}

TEST_CASE("weights of another number are refused") {
    const network n = mlp({6, 5, 4});
    std::vector<float> w(n.parameters() - 1);
    batch b{n, drawn_floats(6, 1), {0}};
    CHECK_THROWS_WITH(b.forward(w), Catch::Contains("have 59 weights, not 58"));
    CHECK_THROWS_AS(n.forward({1, 1}, {}, b.in(), b.out(), b.kept), tutti::error);
}
