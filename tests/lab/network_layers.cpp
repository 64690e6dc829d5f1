// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/network/attention.hpp"
#include "../../tools/lab/train/network/cross_entropy.hpp"
#include "../../tools/lab/train/network/elementwise.hpp"
#include "../../tools/lab/train/network/embedding.hpp"
#include "../../tools/lab/train/network/layer_norm.hpp"
#include "../../tools/lab/train/network/linear.hpp"
#include "../../tools/lab/train/network/residual.hpp"

#include "slopes.hpp"

#include <base/error.hpp>

using namespace tools_test;

TEST_CASE("the gradients of a linear layer are its slopes, with and without a bias") {
    expect_slopes(linear{5, 3}, 4, 5, drawn_floats(20, 1));
    expect_slopes(linear{5, 3, 1, false}, 4, 5, drawn_floats(20, 1));
}

TEST_CASE("the gradients of a rectifier are its slopes") {
    std::vector<float> x = drawn_floats(24, 2);
    for (float& v : x) v += v < 0 ? -.1f : .1f; // off the kink
    expect_slopes(relu{}, 4, 6, x);
}

TEST_CASE("the gradients of gelu are its slopes, and it is x times the normal distribution within 1e-3") {
    expect_slopes(gelu{}, 4, 6, drawn_floats(24, 3, 3));
    for (float x = -5; x <= 5; x += .125f)
        REQUIRE(gaussian_error::value(x) == Approx(x * std::erfc(-x / std::sqrt(2.f)) / 2).margin(1e-3));
    CHECK(gaussian_error::value(-100) == 0);
    CHECK(gaussian_error::slope(-100) == 0);
    CHECK(gaussian_error::value(100) == 100);
    CHECK(gaussian_error::slope(100) == 1);
}

TEST_CASE("the gradients of a layer norm are its slopes") {
    expect_slopes(layer_norm{6}, 4, 6, drawn_floats(24, 4, 2));
}

TEST_CASE("a layer norm's rows have mean 0 and variance 1 before they are scaled") {
    std::vector<float> w(16), y(24);
    random_source random{1};
    saved kept;
    layer_norm{8}.initialise(w, random);
    layer_norm{8}.forward(w, {drawn_floats(24, 5, 9).data(), 3, 8}, {y.data(), 3, 8}, kept);
    for (std::size_t row = 0; row < 3; ++row) {
        double sum = 0, squares = 0;
        for (std::size_t j = 0; j < 8; ++j) {
            const double v = static_cast<double>(y[row * 8 + j]);
            sum += v;
            squares += v * v;
        }
        CHECK(sum == Approx(0).margin(1e-5));
        CHECK(squares / 8 == Approx(1).epsilon(1e-4));
    }
}

TEST_CASE("the gradients of an embedding are its slopes, and characters that do not exist are refused") {
    expect_slopes(embedding{5, 3, 4}, 8, 1, {0, 4, 2, 2, 1, 0, 4, 4}, false);
    std::vector<float> w(27), y(3);
    saved kept;
    for (const float number : {5.f, -1.f, std::nanf("")})
        CHECK_THROWS_AS((embedding{5, 3, 4}.forward(w, {&number, 1, 1}, {y.data(), 1, 3}, kept)), tutti::error);
}

TEST_CASE("the gradients of attention are its slopes") {
    expect_slopes(attention{2, 3, 4}, 8, 18, drawn_floats(8 * 18, 6, 1.5));
}

TEST_CASE("attention sees no later place and no other sequence") {
    const attention tried{2, 3, 4};
    std::vector<float> x = drawn_floats(8 * 18, 7), before(8 * 6), after(8 * 6);
    saved kept;
    tried.forward({}, {x.data(), 8, 18}, {before.data(), 8, 6}, kept);
    for (std::size_t j = 0; j < 18; ++j) x[2 * 18 + j] += 1;
    tried.forward({}, {x.data(), 8, 18}, {after.data(), 8, 6}, kept);
    for (std::size_t row = 0; row < 8; ++row)
        CHECK(std::equal(before.begin() + static_cast<std::ptrdiff_t>(6 * row),
                         before.begin() + static_cast<std::ptrdiff_t>(6 * row + 6),
                         after.begin() + static_cast<std::ptrdiff_t>(6 * row)) == (row != 2 && row != 3));
    CHECK_THROWS_AS(tried.forward({}, {x.data(), 7, 18}, {after.data(), 7, 6}, kept), tutti::error);
}

TEST_CASE("a part of the heads gives its columns of all heads") {
    const std::vector<float> x = drawn_floats(8 * 18, 8);
    std::vector<float> all(8 * 6), second(8 * 3);
    saved kept;
    const const_matrix input{x.data(), 8, 18};
    attention{2, 3, 4}.forward({}, input, {all.data(), 8, 6}, kept);
    attention{1, 3, 4}.forward({}, input.block(0, 8, 9, 9), {second.data(), 8, 3}, kept);
    for (std::size_t row = 0; row < 8; ++row)
        for (std::size_t j = 0; j < 3; ++j) REQUIRE(second[row * 3 + j] == all[row * 6 + 3 + j]);
}

TEST_CASE("the gradients of a residual block are its slopes") {
    expect_slopes(residual{{layer_norm{4}, linear{4, 6}, gelu{}, linear{6, 4}}}, 3, 4, drawn_floats(12, 9));
    CHECK_THROWS_AS((residual{{linear{4, 6}}}.outputs(4)), tutti::error);
}

TEST_CASE("the gradients of softmax and cross entropy are the slopes of the loss, times the scale") {
    std::vector<float> values = drawn_floats(12, 10, 2);
    const std::vector<std::uint8_t> labels{0, 3, 1};
    const auto loss = [&] {
        std::vector<float> copy = values;
        return judge({copy.data(), 3, 4}, labels).loss;
    };
    std::vector<float> slopes = values;
    const score all = judge_and_slope({slopes.data(), 3, 4}, labels, .5f);
    CHECK(all.count == 3);
    CHECK(all.loss == loss());
    for (std::size_t i = 0; i < values.size(); ++i) expect_slope(difference(values[i], loss) / 2, slopes[i]);
}

TEST_CASE("a layer that is given another width says so") {
    CHECK_THROWS_WITH((linear{5, 3}.outputs(4)), Catch::Contains("takes 5 columns and is given 4"));
    CHECK_THROWS_AS((attention{2, 3, 4}.outputs(17)), tutti::error);
    CHECK_THROWS_AS(layer_norm{3}.outputs(4), tutti::error);
}
