// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

/// What trains best on which cluster: the parts of `tutti plan`.
namespace tutti::tools::planner {

/// Of weights, gradients and activations.
inline constexpr double element_bytes = 2;

/// One layer of a network in 16-bit elements. All but its parameters is of one sample, forward. What is `shared` is
/// divided among tensor ranks; the rest each of them has whole.
struct layer {
    std::string name;
    double parameters = 0;         ///< shared
    double matrix_flop = 0;        ///< of matrix products and convolutions, a multiply and an add each; shared
    double core_flop = 0;          ///< of these, what selective recomputation does again
    double moved_bytes = 0;        ///< read and written in memory by what is no matrix product
    double shared_moved_bytes = 0; ///< the same
    double core_moved_bytes = 0;   ///< the same of what selective recomputation does again; shared
    double kept_bytes = 0;         ///< for the backward pass
    double shared_kept_bytes = 0;  ///< the same
    double core_kept_bytes = 0;    ///< the same of what selective recomputation does again; shared
    double output_bytes = 0;       ///< what the next layer takes in
    int reduces_forward = 0;       ///< allreduces of output_bytes between tensor ranks
    int reduces_backward = 0;      ///< the same, backward
    bool recomputed = true;        ///< by full recomputation, which keeps its input alone
    friend bool operator==(const layer&, const layer&) = default;
};

/// A network as a chain of layers.
struct network {
    std::string name;
    std::string source;
    int tensor_divides = 1; ///< tensor ranks divide this number; 1: none but one
    std::vector<layer> layers;

    [[nodiscard]] double parameters() const;
    [[nodiscard]] double matrix_flop() const; ///< of one sample, forward
};

/// The shape of a GPT.
struct gpt_shape {
    int layers = 1;
    int hidden = 1;
    int heads = 1;
    int vocabulary = 1;
    int sequence = 1;
};

/// A GPT: an embedding, `layers` blocks, and the head, which shares the embedding's matrix. FLOPs as in Narayanan et
/// al. 2021, appendix; kept bytes as in Korthikanti et al. 2022, section 4, without sequence parallelism.
[[nodiscard]] network gpt(const gpt_shape& shape, std::string name);
/// GPT-3 with 175 billion parameters, its vocabulary padded to 51,200 as Narayanan et al. 2021 do.
[[nodiscard]] network gpt3_175b();
/// ResNet-50 for images of 224 x 224. Source: He et al. 2016, table 1.
[[nodiscard]] network resnet50();

/// By a name, a shape "gpt:layers,hidden,heads,vocabulary,sequence", or a file. Throws std::invalid_argument for a
/// shape that is none, and tutti::error where a file is wrong.
[[nodiscard]] network network_of(const std::string& word);
/// The text of a model file. Throws tutti::error(invalid_argument), which names the key that is wrong.
[[nodiscard]] network parse_network(const std::string& text, const std::string& source);

} // namespace tutti::tools::planner
