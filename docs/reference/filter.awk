# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
#
# What Doxygen reads of a header, line by line as it is, with two additions:
# - the comment above `namespace ... {` describes the header, and so belongs to the file;
# - members that mean the same in every algorithm, or in every epilogue, are described here, once.
#
# usage: awk -f docs/reference/filter.awk HEADER

FNR == 1 {
    of_algorithms = FILENAME ~ /\/algorithm\/[^\/]*\.hpp$/
    of_epilogues = FILENAME ~ /\/kernels\/(epilogue|optimizer)\.hpp$/
}

/^\/\/\/ / && number > 0 && block == 0 && line[number] == "" { block = number }
/^namespace / && block > 0 { line[block] = "/// @file" }
!/^\/\/\// { block = 0 }
!/^ *\/\// && of_algorithms { describe_algorithm() }
!/^ *\/\// && of_epilogues { describe_epilogue() }
{ line[++number] = $0 }
END { for (i = 1; i <= number; ++i) print line[i] }

function told(pattern, text) {
    if (match($0, pattern)) $0 = substr($0, 1, RSTART - 1) "/** " text " */ " substr($0, RSTART)
}

function member(type, name, text) { told("(\\[\\[nodiscard\\]\\] )?(static )?constexpr " type " " name, text) }

function steps(name, text) { told("(static )?constexpr void " name "\\(const position", "Emits the steps of rank `p.rank` " text) }

function describe_algorithm() {
    sub(/, has_bank_for_each_rank = /, "; static constexpr bool has_bank_for_each_rank = ")
    member("std::string_view", "name ", "Its name: on the command line, in errors and in reports.")
    member("std::string_view", "idea ", "How it works, in a sentence.")
    member("std::string_view", "virtue ", "What it is good for: a clause that follows \"since\", \"and\" or a colon.")
    member("int", "most_segments ", "Into how many segments its chunks are cut at most, where that saves time.")
    member("bool", "rotates ", "Rank r's messages are rank 0's, with ranks and chunks shifted by r.")
    member("bool", "has_bank_for_each_rank ", "It has a scratch bank for each rank, and so at most 65,533 ranks.")
    member("bool", "steps_rotate\\(", "All of rank r's steps are rank 0's, shifted by r.")
    member("bool", "runs_on\\(", "It has schedules for so many ranks.")
    member("bool", "alike\\(", "Every rank sends, reduces and stores as much as any other.")
    member("int", "chunks\\(", "Into how many chunks it cuts the data of so many ranks.")
    member("cost", "stated\\(", "Its cost on so many ranks: verify counts the same.")
    member("bool", "offered\\(", "It has a schedule for this operation.")
    told("constexpr void steps\\(operation", "Emits the steps of rank `p.rank` of an operation. Sums on their way are in `partial`.")
    member("std::uint64_t", "parameter\\(", "Tells its values apart; equal on all ranks.")
    member("auto", "examples\\(", "The values that the tests prove.")
    steps("allreduce", "of an allreduce, from input to output.")
    steps("reduce_scatter", "of a reduce_scatter, from input to its shard of output. Sums on their way are in `partial`.")
    steps("allgather", "of an allgather, from its shard of output to all of output.")
    steps("reduce", "of a reduce, from input to the root's output. Sums on their way are in `partial`.")
    steps("broadcast", "of a broadcast, from the root's output to all outputs.")
    steps("gather", "of a gather, from input to the root's output, where the root's own shard is already.")
    steps("scatter", "of a scatter, from the root's input to each rank's shard of its output; the root's is there already.")
    steps("scan", "of a scan, from input to output.")
    steps("exscan", "of an exscan, from input to output.")
    steps("alltoall", "of an alltoall, from the blocks of input to those of output, where its block for itself is already.")
}

function describe_epilogue() {
    sub(/, largest_element = /, "; static constexpr std::size_t largest_element = ")
    member("std::size_t", "smallest_element ", "Bytes of the smallest element of its arrays.")
    told("static constexpr std::size_t largest_element ", "Bytes of the largest element of its arrays.")
    told("TUTTI_HOST_DEVICE void write\\(", "Takes the totals of elements [at, at + lanes), and may change them for the epilogue that follows.")
    told("void list\\(std::vector<touched>", "Lists the arrays that it touches.")
}
