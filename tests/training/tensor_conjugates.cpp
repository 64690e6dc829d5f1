// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/tensor/conjugates.hpp>

#include <training/tensor/weight_cut.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/world.hpp"

#include <numeric>

namespace tutti::test::conjugates {
namespace {

namespace tensor = training::tensor;
using numbers = std::vector<int>;

numbers counted(std::size_t count, int from) {
    numbers all(count);
    std::iota(all.begin(), all.end(), from);
    return all;
}

} // namespace

TEST_CASE("each way into a cut part is the transpose of its way back") {
    for (const int size : {1, 2, 3})
        run_world(size, [size](const communicator& ranks) {
            const auto parts = static_cast<std::size_t>(size);
            const numbers part = counted(4, 10 * ranks.rank()), whole = counted(4 * parts, ranks.rank());
            // <forward(part), whole> = <part, backward(whole)>, summed over ranks
            const auto dot = [&](const numbers& a, const numbers& b) {
                return ranks.allreduce(std::inner_product(a.begin(), a.end(), b.begin(), 0), sum);
            };
            numbers up(whole.size()), down(4);
            tensor::gather_rows::forward(ranks, std::span(part), std::span(up));
            tensor::gather_rows::backward(ranks, std::span(whole), std::span(down));
            expect(dot(up, whole) == dot(part, down), "gather_rows");
            tensor::scatter_rows::backward(ranks, std::span(part), std::span(up));
            tensor::scatter_rows::forward(ranks, std::span(whole), std::span(down));
            expect(dot(up, whole) == dot(part, down), "scatter_rows");

            numbers in = part, gradient = part;
            tensor::copy_to::forward(ranks, std::span(in));
            tensor::copy_to::backward(ranks, std::span(gradient));
            expect(in == part && gradient[0] == 10 * size * (size - 1) / 2, "copy_to");
            tensor::reduce_from::backward(ranks, std::span(in));
            expect(in == part, "reduce_from backward");
            tensor::reduce_from::forward(ranks, std::span(in));
            expect(in == gradient, "reduce_from forward");
        });
}

TEST_CASE("columns of all ranks lie side by side, and each gets its own back") {
    run_world(3, [](const communicator& ranks) {
        const numbers part = counted(4, 10 * ranks.rank()); // two rows of two columns
        numbers whole(12), back(4);
        tensor::gather_columns::forward(ranks, 2, std::span(part), std::span(whole));
        expect(whole == numbers{0, 1, 10, 11, 20, 21, 2, 3, 12, 13, 22, 23}, "by rows");
        tensor::gather_columns::backward(ranks, 2, std::span<const int>(whole), std::span(back));
        expect(back == part, "its own");
        expect(
            has(fault_of([&] { tensor::gather_columns::forward(ranks, 3, std::span(part), std::span(whole)); }).detail,
                "as many rows"),
            "shapes that do not fit");
    });
}

TEST_CASE("weights are cut by columns and rows, and put together again") {
    const numbers whole = counted(3 + 2 * 4 + 4 + 4 * 2 + 2, 0);
    numbers again(whole.size(), -1);
    for (const int rank : {0, 1}) {
        tensor::weight_cut cut(rank, 2);
        cut.on_all(3);
        cut.column_part(2, 4, 2);
        cut.row_part(4, 2, 4);
        numbers part(cut.part());
        cut.take(std::span(whole), std::span(part));
        if (rank == 1) CHECK(part == numbers{0, 1, 2, 5, 6, 9, 10, 13, 14, 19, 20, 21, 22, 23, 24});
        CHECK(cut.common().size() == 2);
        CHECK(cut.common()[1].first == 13);
        cut.put(std::span<const int>(part), std::span(again));
    }
    CHECK(again == whole);
    tensor::weight_cut cut(0, 2);
    CHECK(has(fault_of([&] { cut.column_part(2, 9, 3); }).detail, "no equal parts on 2 ranks"));
    CHECK(fault_of([] { tensor::weight_cut(2, 2); }).why == cause::invalid_argument);
}

} // namespace tutti::test::conjugates
