// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "data.hpp"
#include "pattern.hpp"

#include <cstring>
#include <span>

namespace tutti::tools {
namespace {

template <class T>
class typed_data final : public bench_data {
public:
    explicit typed_data(const job& what)
        : what_(what), op_(what.reduces() ? what.op : operator_type::sum),
          input_(input_of<T>(op_, what.rank, what.ranks)), shard_(what.part_begins(what.rank)) {
        if (what.messages) {
            const auto source = source_of(*what.messages, what.rank, what.pairs_of_ranks());
            if (source) result_ = input_of<T>(op_, *source, what.ranks);
            return;
        }
        if (what.reduces()) result_ = prefix_of<T>(op_, what.ranks, operands());
        if (what.what == operation::broadcast || what.what == operation::scatter)
            result_ = input_of<T>(op_, what.root, what.ranks);
    }

    void prepare(const buffers& where) const override {
        if (what_.messages) return fill<T>({reinterpret_cast<T*>(where.input), what_.count}, input_);
        if (what_.what == operation::broadcast && what_.rank != what_.root) return;
        fill<T>(source(where), input_);
    }

    void prepare_check(const buffers& where) const override {
        // Neither a value of a pattern nor a likely leftover.
        std::memset(where.output, 0x7b, what_.bytes());
        prepare(where);
    }

    [[nodiscard]] std::uint64_t count_wrong(const buffers& where) const override {
        const T* const output = reinterpret_cast<const T*>(where.output);
        if (what_.messages) {
            const bool came = source_of(*what_.messages, what_.rank, what_.pairs_of_ranks()).has_value();
            return came ? tools::count_wrong<T>({output, what_.count}, result_) : 0;
        }
        switch (what_.what) {
        case operation::scatter:
        case operation::reduce_scatter:
            return tools::count_wrong<T>({output + (is_part_of_larger() ? shard_ : 0), what_.part(what_.rank)}, result_,
                                         shard_);
        case operation::allgather: return wrong_parts(output);
        case operation::alltoall: return wrong_blocks(output);
        case operation::gather: return what_.rank == what_.root ? wrong_parts(output) : 0;
        case operation::reduce:
            if (what_.rank != what_.root) return 0;
            [[fallthrough]];
        case operation::exscan:
            if (operands() == 0) return 0;
            [[fallthrough]];
        default: return tools::count_wrong<T>({output, what_.count}, result_);
        }
    }

private:
    /// The ranks whose inputs are in this one's result.
    [[nodiscard]] int operands() const noexcept {
        if (what_.what == operation::scan) return what_.rank + 1;
        return what_.what == operation::exscan ? what_.rank : what_.ranks;
    }
    /// The smaller buffer is this rank's part of the larger one. A gather and a scatter have that at the root alone.
    [[nodiscard]] bool is_part_of_larger() const noexcept {
        return what_.in_place && (!has_root(what_.what) || what_.rank == what_.root);
    }
    [[nodiscard]] std::span<T> source(const buffers& where) const {
        const bool collects = gathers(what_.what);
        T* const from = reinterpret_cast<T*>(what_.in_place ? where.output : where.input);
        return {from + (collects && is_part_of_larger() ? shard_ : 0),
                collects ? what_.part(what_.rank) : what_.elements()};
    }

    /// Of the parts that all ranks have contributed.
    [[nodiscard]] std::uint64_t wrong_parts(const T* output) const {
        std::uint64_t wrong = 0;
        for (int rank = 0; rank < what_.ranks; ++rank)
            wrong += tools::count_wrong<T>({output + what_.part_begins(rank), what_.part(rank)},
                                           input_of<T>(op_, rank, what_.ranks));
        return wrong;
    }
    /// Of the blocks that all ranks have sent here: each lies in its rank's input behind those to the ranks before.
    [[nodiscard]] std::uint64_t wrong_blocks(const T* output) const {
        std::uint64_t wrong = 0;
        for (int rank = 0; rank < what_.ranks; ++rank) {
            std::size_t first = shard_;
            if (what_.uneven) first = 0;
            for (int before = 0; what_.uneven && before < what_.rank; ++before) first += what_.block(rank, before);
            const std::size_t length = what_.uneven ? what_.block(rank, what_.rank) : what_.count;
            wrong += tools::count_wrong<T>({output, length}, input_of<T>(op_, rank, what_.ranks), first);
            output += length;
        }
        return wrong;
    }

    const job what_;
    const operator_type op_;
    const period_of<T> input_;
    period_of<T> result_{};
    const std::size_t shard_; // where this rank's shard begins
};

} // namespace

std::unique_ptr<bench_data> make_data(const job& what) {
    return visit_type(what.type, [&]<class T>(std::type_identity<T>) -> std::unique_ptr<bench_data> {
        return std::make_unique<typed_data<T>>(what);
    });
}

} // namespace tutti::tools
