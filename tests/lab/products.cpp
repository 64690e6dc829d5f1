// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/network/matrix.hpp"
#include "../../tools/tutti/common/random.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <vector>

using namespace tutti::tools::neural;

namespace {

struct block {
    block(std::size_t rows, std::size_t columns, std::uint64_t seed) : space((rows + 1) * (columns + 3)) {
        tutti::tools::random_source random{seed};
        for (float& v : space) v = static_cast<float>(random.between(-1, 1));
        view = {space.data() + 2, rows, columns, columns + 3};
    }
    block(const block& other) : space(other.space), view(other.view) { view.data = space.data() + 2; }
    std::vector<float> space;
    matrix view;
};

using product = void (*)(const_matrix, const_matrix, matrix, float);

// What a sum of products of numbers below 1 comes to in float, and that nothing beside the block is written.
void expect_product(product tried, bool turn_a, bool turn_b, std::size_t m, std::size_t k, std::size_t n, float beta) {
    const block a = turn_a ? block{k, m, 1} : block{m, k, 1}, b = turn_b ? block{n, k, 2} : block{k, n, 2};
    const block before{m, n, 3};
    block c = before;
    tried(a.view, b.view, c.view, beta);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double sum = static_cast<double>(beta) * static_cast<double>(before.view.row(i)[j]);
            for (std::size_t l = 0; l < k; ++l)
                sum += static_cast<double>(turn_a ? a.view.row(l)[i] : a.view.row(i)[l]) *
                       static_cast<double>(turn_b ? b.view.row(j)[l] : b.view.row(l)[j]);
            REQUIRE(static_cast<double>(c.view.row(i)[j]) == Approx(sum).margin(1e-6 * static_cast<double>(k + 1)));
            c.view.row(i)[j] = before.view.row(i)[j];
        }
    REQUIRE(c.space == before.space);
}

} // namespace

TEST_CASE("products by the library and by plain loops are right, of blocks within larger matrices too") {
    for (const std::size_t m : {1, 5, 16})
        for (const std::size_t k : {1, 7, 130})
            for (const std::size_t n : {1, 6, 33})
                for (const float beta : {0.f, 1.f, .5f}) {
                    expect_product(multiply, false, false, m, k, n, beta);
                    expect_product(plain::multiply, false, false, m, k, n, beta);
                    expect_product(multiply_left_transposed, true, false, m, k, n, beta);
                    expect_product(plain::multiply_left_transposed, true, false, m, k, n, beta);
                    expect_product(multiply_right_transposed, false, true, m, k, n, beta);
                    expect_product(plain::multiply_right_transposed, false, true, m, k, n, beta);
                }
}

TEST_CASE("with a beta of zero, what was there does not count") {
    for (const product tried : {&multiply, &plain::multiply}) {
        const block a{2, 3, 1}, b{3, 2, 2};
        std::vector<float> c(4, std::numeric_limits<float>::quiet_NaN());
        tried(a.view, b.view, {c.data(), 2, 2}, 0);
        for (const float v : c) CHECK(std::isfinite(v));
    }
}
