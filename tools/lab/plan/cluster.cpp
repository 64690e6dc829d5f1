// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "cluster.hpp"

#include "../../tutti/common/lists.hpp"
#include "cluster_files.hpp"
#include "keyed.hpp"

#include <collectives/model/machine_file/json.hpp>

#include <algorithm>

namespace tutti::tools::planner {
namespace {

accelerator accelerator_of(const keyed::json& j, const std::string& where) {
    const keyed gpu(j, where, {"name", "flop_per_s", "matrix_efficiency", "memory_bytes", "memory_bytes_per_s"});
    accelerator a{gpu.text("name"), gpu.number("flop_per_s", 1), gpu.number("matrix_efficiency"),
                  gpu.number("memory_bytes", 1), gpu.number("memory_bytes_per_s", 1)};
    if (!(a.matrix_efficiency > 0 && a.matrix_efficiency <= 1))
        gpu.refuse("has in \"matrix_efficiency\" no share of the peak");
    return a;
}

} // namespace

cluster parse_cluster(const std::string& text, const std::string& source) {
    const keyed::json j = parsed_json(text, source);
    const keyed file(j, source, {"tutti_cluster", "name", "made", "nodes", "gpus_per_node", "gpu", "machine"});
    if (file.at("tutti_cluster") != 1) file.refuse("has another version of \"tutti_cluster\" than 1");
    const cluster one{file.text("name"),
                      file.text("made"),
                      1,
                      file.count("gpus_per_node", 1),
                      accelerator_of(file.at("gpu"), source + ", gpu"),
                      model::detail::machine_from(file.at("machine"), source + ", machine")};
    return with_nodes(one, file.count("nodes", 1));
}

cluster with_nodes(cluster on, int nodes) {
    if (nodes > most_gpus / on.gpus_per_node)
        reject("plan", on.name + " would have more than " + std::to_string(most_gpus) + " GPUs", "take fewer nodes");
    on.nodes = nodes;
    return on;
}

const std::vector<cluster>& known_clusters() {
    static const std::vector<cluster> all = [] {
        std::vector<cluster> read;
        for (const std::string_view text : cluster_files)
            read.push_back(parse_cluster(std::string(text), "docs/clusters"));
        return read;
    }();
    return all;
}

cluster cluster_of(const std::string& word) {
    const auto& all = known_clusters();
    const auto found = std::find_if(all.begin(), all.end(), [&](const cluster& c) { return c.name == word; });
    if (found != all.end()) return *found;
    std::vector<std::string> names;
    for (const cluster& c : all) names.push_back(c.name);
    return parse_cluster(text_of_file(word, join(names)), word);
}

} // namespace tutti::tools::planner
