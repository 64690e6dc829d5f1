// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/corpus.hpp"
#include "../../tools/lab/train/king_james.hpp"
#include "../../tools/lab/train/network/cross_entropy.hpp"
#include "../../tools/lab/train/network/transformer.hpp"

#include "sentences.hpp"

#include "support/catch.hpp"

using namespace tutti::tools;

namespace {

// As `compress` writes: codes of 9 bits, lowest first.
std::string in_nine_bits(const std::vector<unsigned>& codes, char flags = '\x90') {
    std::string bytes{'\x1f', '\x9d', flags};
    unsigned waiting = 0, bits = 0;
    for (const unsigned code : codes) {
        waiting |= code << bits;
        for (bits += 9; bits >= 8; bits -= 8, waiting >>= 8) bytes += static_cast<char>(waiting & 0xff);
    }
    return bytes + static_cast<char>(waiting);
}

} // namespace

TEST_CASE("what compress packed is unpacked, phrases that contain themselves too") {
    // 257 is "ab", 258 "ba", and 259 is read while it is being made: "aba".
    CHECK(unpack_lzw(in_nine_bits({'a', 'b', 257, 259, 'c'}), 100) == "abababac");
    CHECK(unpack_lzw(in_nine_bits({'a', 257, 258}), 100) == "aaaaaa");
    CHECK(unpack_lzw(in_nine_bits({'a', 257, 258}), 5) == std::nullopt);
    CHECK(unpack_lzw(in_nine_bits({}), 5) == "");
}

TEST_CASE("a clear code begins anew with the next group of eight codes") {
    std::vector<unsigned> codes{'a', 'b', 257, 256, 0, 0, 0, 0, 'x', 'y', 257};
    CHECK(unpack_lzw(in_nine_bits(codes), 100) == "ababxyxy");
}

TEST_CASE("what compress cannot have written is refused") {
    CHECK(unpack_lzw("", 100) == std::nullopt);
    CHECK(unpack_lzw("\x1f\x9d", 100) == std::nullopt);
    CHECK(unpack_lzw("plain text", 100) == std::nullopt);
    CHECK(unpack_lzw(in_nine_bits({'a', 'b', 300}), 100) == std::nullopt);
    CHECK(unpack_lzw(in_nine_bits({257}), 100) == std::nullopt);
    CHECK(unpack_lzw(in_nine_bits({'a'}, '\x88'), 100) == std::nullopt); // codes of 8 bits at most
}

TEST_CASE("of the King James file there is left the text of the verses") {
    std::vector<unsigned> codes;
    for (const char c : std::string_view("Title.\nGe1:1 In the beginning\nRev22:21 Amen.\n"))
        codes.push_back(static_cast<unsigned char>(c));
    const std::string head = "EC02Compressed Data File" + std::string(70, '\0'), file = head + in_nine_bits(codes);
    CHECK(parse_king_james(file, "file") == "In the beginning\nAmen.\n");
    CHECK_THROWS_WITH(parse_king_james(file.substr(1), "file"), Catch::Contains("file is not the data file"));
    CHECK_THROWS_WITH(parse_king_james(head, "file"), Catch::Contains("file is not the data file"));
    CHECK_THROWS_WITH(parse_king_james(head + in_nine_bits({300}), "file"), Catch::Contains("damaged"));
    for (std::size_t length = head.size() + 3; length < file.size(); ++length) {
        std::string text, error = "a verse has no text";
        try {
            text = parse_king_james(file.substr(0, length), "file");
        } catch (const std::runtime_error& e) {
            error = e.what();
        }
        REQUIRE(text.size() < 25);
        REQUIRE_THAT(error, Catch::Contains("a verse has no text"));
    }
}

TEST_CASE("a corpus is cut once, and its numbers are the text") {
    const std::string text = sentences(2000);
    const corpus c{text, "some"};
    std::string again;
    for (const auto part : {c.training(), c.validation()})
        for (const std::uint8_t number : part) again += c.alphabet().at(number);
    CHECK(again == text);
    CHECK(c.validation().size() == text.size() / 10);
}

TEST_CASE("a batch is the same however it is spread, and its labels are the characters that follow") {
    const corpus c{sentences(2000), "some"};
    const text_batch whole = draw_sequences(c.training(), 16, 40, 6, 9);
    text_batch parts;
    for (std::size_t rank = 0; rank < 3; ++rank) {
        const text_batch part = draw_sequences(c.training(), 16, 40 + 2 * rank, 2, 9);
        parts.inputs.insert(parts.inputs.end(), part.inputs.begin(), part.inputs.end());
        parts.labels.insert(parts.labels.end(), part.labels.begin(), part.labels.end());
    }
    CHECK(parts.inputs == whole.inputs);
    CHECK(parts.labels == whole.labels);
    CHECK(whole.inputs != draw_sequences(c.training(), 16, 40, 6, 10).inputs);
    for (std::size_t i = 0; i < whole.labels.size(); ++i)
        if (i % 16 != 15) REQUIRE(whole.inputs[i + 1] == static_cast<float>(whole.labels[i]));
    CHECK_THROWS_AS(draw_sequences(c.training().first(16), 16, 0, 1, 1), tutti::error);
}

TEST_CASE("a small transformer learns a text better than the frequencies of its characters tell") {
    const corpus c{sentences(20'000), "some"};
    const std::size_t context = 16, count = 8, rows = context * count, characters = c.alphabet().size();
    const auto n = neural::transformer({characters, 16, 2, 1, context});
    std::vector<float> w(n.parameters()), outputs(rows * characters);
    n.initialise(n.all(), w, 1);
    neural::saved kept;
    double last = 0;
    for (std::uint64_t step = 0; step < 150; ++step) {
        const text_batch b = draw_sequences(c.training(), context, step * count, count, 1);
        const neural::matrix result{outputs.data(), rows, characters};
        n.forward(n.all(), w, {b.inputs.data(), rows, 1}, result, kept);
        const double loss = neural::judge_and_slope(result, b.labels, 1.f / static_cast<float>(rows)).loss;
        if (step >= 140) last += loss / static_cast<double>(10 * rows);
        std::vector<float> slopes(w.size());
        n.backward(n.all(), w, {b.inputs.data(), rows, 1}, kept, result, {}, slopes);
        for (std::size_t i = 0; i < w.size(); ++i) w[i] -= .5f * slopes[i];
    }
    std::vector<double> often(characters);
    for (const std::uint8_t number : c.training()) often[number] += 1 / static_cast<double>(c.training().size());
    double entropy = 0;
    for (const double share : often)
        if (share > 0) entropy -= share * std::log(share);
    INFO("loss " << last << ", entropy of the characters " << entropy);
    CHECK(last < entropy - .3);
}
