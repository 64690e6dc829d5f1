// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "network.hpp"

#include "../../tutti/common/lists.hpp"
#include "keyed.hpp"

#include <charconv>
#include <numeric>
#include <stdexcept>

namespace tutti::tools::planner {
namespace {

double sum_of(const std::vector<layer>& layers, double layer::*what) {
    return std::accumulate(layers.begin(), layers.end(), 0., [&](double sum, const layer& l) { return sum + l.*what; });
}

[[noreturn]] void refuse_shape(const std::string& word) {
    throw std::invalid_argument("'" + word +
                                "' is no GPT: write gpt:layers,hidden,heads,vocabulary,sequence, as in "
                                "gpt:96,12288,96,51200,2048; up to 2000 layers, other numbers up to 1000000, and heads "
                                "divide the hidden width");
}

network gpt_of(const std::string& word) {
    std::vector<int> sizes;
    for (const std::string& text : split_list(std::string_view(word).substr(4))) {
        int size = 0;
        const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), size);
        if (wrong != std::errc{} || end != text.data() + text.size() || size < 1 || size > 1'000'000)
            refuse_shape(word);
        sizes.push_back(size);
    }
    if (sizes.size() != 5 || sizes[0] > 2000 || sizes[1] % sizes[2] != 0) refuse_shape(word);
    return gpt({sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]}, word);
}

layer layer_from(const keyed& k) {
    layer l;
    l.name = k.text("name");
    l.parameters = k.number("parameters");
    l.matrix_flop = k.number("flop");
    l.moved_bytes = k.number("moved_bytes");
    l.shared_moved_bytes = k.number("shared_moved_bytes");
    l.kept_bytes = k.number("kept_bytes");
    l.shared_kept_bytes = k.number("shared_kept_bytes");
    l.output_bytes = k.number("output_bytes");
    l.reduces_forward = l.reduces_backward = k.count("tensor_allreduces");
    return l;
}

} // namespace

double network::parameters() const { return sum_of(layers, &layer::parameters); }
double network::matrix_flop() const { return sum_of(layers, &layer::matrix_flop); }

network parse_network(const std::string& text, const std::string& source) {
    const keyed::json j = parsed_json(text, source);
    const keyed file(j, source, {"tutti_network", "name", "source", "tensor_divides", "layers"});
    if (file.at("tutti_network") != 1) file.refuse("has another version of \"tutti_network\" than 1");
    network n{file.text("name"), file.text("source"), file.count("tensor_divides", 1), {}};
    const keyed::json& layers = file.at("layers");
    for (std::size_t k = 0; layers.is_array() && k < layers.size(); ++k) {
        const keyed one(layers[k], source + ", layer " + std::to_string(k + 1),
                        {"name", "count", "parameters", "flop", "moved_bytes", "shared_moved_bytes", "kept_bytes",
                         "shared_kept_bytes", "output_bytes", "tensor_allreduces"});
        n.layers.insert(n.layers.end(), static_cast<std::size_t>(one.count("count", 1)), layer_from(one));
        if (n.layers.size() > 2000) file.refuse("has more than 2000 layers");
    }
    if (n.layers.empty()) file.refuse("has no \"layers\"");
    if (!(n.matrix_flop() > 0)) file.refuse("computes nothing");
    return n;
}

network network_of(const std::string& word) {
    if (word == "gpt3-175b") return gpt3_175b();
    if (word == "resnet50") return resnet50();
    if (word.starts_with("gpt:")) return gpt_of(word);
    return parse_network(text_of_file(word, "resnet50, gpt3-175b, gpt:LAYERS,HIDDEN,HEADS,VOCABULARY,SEQUENCE"), word);
}

} // namespace tutti::tools::planner
