// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Reads MSCCL XML, and nothing but what MSCCL's own reader takes.
namespace msccl_test {

struct step {
    std::string type;
    char source = 'i', target = 'o';
    int source_offset = -1, target_offset = -1, count = 0;
    int block = -1, step = -1; ///< that it waits for
    bool awaited = false;
};
struct block {
    int send = -1, receive = -1;
    std::vector<msccl_test::step> steps;
};
struct gpu {
    std::map<char, int> chunks; ///< by buffer
    std::vector<block> blocks;
};
struct algorithm {
    std::string name, collective;
    int chunks = 0;
    bool in_place = false;
    std::vector<gpu> gpus;
};

/// Elements with attributes in double quotes; no text, comments or entities.
class xml {
public:
    explicit xml(std::string_view text) : rest_(text) {}

    /// The next element's name is `name` and its attributes are `keys`, in this order.
    std::map<std::string, std::string> open(const std::string& name, std::initializer_list<const char*> keys,
                                            bool single = false) {
        space();
        take("<" + name);
        std::map<std::string, std::string> found;
        for (const char* key : keys) {
            take(std::string(" ") + key + "=\"");
            const std::size_t end = rest_.find('"');
            if (end == rest_.npos) refuse("an open attribute");
            found[key] = rest_.substr(0, end);
            rest_.remove_prefix(end + 1);
        }
        take(single ? "/>" : ">");
        return found;
    }
    void close(const std::string& name) {
        space();
        take("</" + name + ">");
    }
    [[nodiscard]] bool at(const std::string& name) {
        space();
        return rest_.starts_with("<" + name + " ");
    }
    void end() {
        space();
        if (!rest_.empty()) refuse("more than one element");
    }
    [[noreturn]] void refuse(const std::string& why) const {
        throw std::runtime_error(why + " at " + std::string(rest_.substr(0, 80)));
    }

private:
    void space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
    void take(const std::string& word) {
        if (!rest_.starts_with(word)) refuse("no " + word);
        rest_.remove_prefix(word.size());
    }

    std::string_view rest_;
};

class reader {
public:
    explicit reader(const std::string& text) : xml_(text) {
        auto head = xml_.open("algo", {"name", "proto", "nchannels", "nchunksperloop", "ngpus", "coll", "inplace",
                                       "outofplace", "minBytes", "maxBytes"});
        require(head["proto"] == "Simple" && head["nchannels"] == "1", "another protocol");
        require(std::set<std::string>{"allreduce", "reducescatter", "allgather", "reduce", "broadcast", "gather",
                                      "scatter", "alltoall"}
                    .contains(head["coll"]),
                "no collective");
        found_ = {head["name"], head["coll"], number(head["nchunksperloop"]), flag(head["inplace"]), {}};
        require(flag(head["outofplace"]) != found_.in_place, "neither in place nor out of place");
        require(number(head["minBytes"]) == 0 && head["maxBytes"].size() > 10, "not for all sizes");
        const int gpus = number(head["ngpus"]);
        for (int id = 0; id < gpus; ++id) read_gpu(id, gpus);
        xml_.close("algo");
        xml_.end();
    }
    [[nodiscard]] const algorithm& get() const { return found_; }

private:
    void read_gpu(int id, int gpus) {
        auto words = xml_.open("gpu", {"id", "i_chunks", "o_chunks", "s_chunks"});
        require(number(words["id"]) == id, "a gpu out of order");
        gpu& g = found_.gpus.emplace_back();
        g.chunks = {
            {'i', number(words["i_chunks"])}, {'o', number(words["o_chunks"])}, {'s', number(words["s_chunks"])}};
        std::set<int> sent_to, received_from;
        while (xml_.at("tb")) {
            const block& b = read_block(g, id, gpus);
            require(b.send < 0 || sent_to.insert(b.send).second, "two blocks send to one peer on one channel");
            require(b.receive < 0 || received_from.insert(b.receive).second, "two blocks receive from one peer");
        }
        xml_.close("gpu");
        for (const block& b : g.blocks)
            for (const step& s : b.steps) check_dependence(g, b, s);
    }
    const block& read_block(gpu& g, int id, int gpus) {
        auto words = xml_.open("tb", {"id", "send", "recv", "chan"});
        require(number(words["id"]) == static_cast<int>(g.blocks.size()), "a block out of order");
        require(number(words["chan"]) == 0, "no channel");
        block& b = g.blocks.emplace_back();
        b.send = peer(words["send"], id, gpus);
        b.receive = peer(words["recv"], id, gpus);
        while (xml_.at("step")) read_step(g, b);
        require(b.steps.empty() || b.steps.back().type != "nop", "a block that ends with waiting");
        xml_.close("tb");
        return b;
    }
    void read_step(const gpu& g, block& b) {
        auto w = xml_.open(
            "step", {"s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep"}, true);
        require(number(w["s"]) == static_cast<int>(b.steps.size()), "a step out of order");
        const bool waiting = !b.steps.empty() && b.steps.back().type == "nop";
        step s{w["type"],        buffer(w["srcbuf"]), buffer(w["dstbuf"]), number(w["srcoff"]), number(w["dstoff"]),
               number(w["cnt"]), number(w["depid"]),  number(w["deps"]),   flag(w["hasdep"])};
        require(std::set<std::string>{"nop", "s", "r", "rrc", "cpy", "re"}.contains(s.type), "an unknown type");
        require((s.block < 0) == (s.step < 0), "half a dependence");
        require(s.block >= 0 || (!waiting && s.type != "nop"), "the last of several dependences is the real step's");
        require(s.type != "s" || b.send >= 0, "a send without a peer");
        require((s.type != "r" && s.type != "rrc") || b.receive >= 0, "a receive without a peer");
        require(s.type == "nop" ? s.count == 0 : s.count > 0, "a count");
        if (s.type != "nop" && s.type != "r") inside(g, s.source, s.source_offset, s.count);
        if (s.type != "nop" && s.type != "s") inside(g, s.target, s.target_offset, s.count);
        b.steps.push_back(s);
    }
    void check_dependence(const gpu& g, const block& own, const step& s) const {
        if (s.block < 0) return;
        require(s.block < static_cast<int>(g.blocks.size()), "a dependence on no block");
        const block& b = g.blocks[static_cast<std::size_t>(s.block)];
        require(&b != &own && s.step < static_cast<int>(b.steps.size()), "a dependence on no step");
        require(b.steps[static_cast<std::size_t>(s.step)].awaited, "a dependence on a step that does not tell");
    }
    void inside(const gpu& g, char buffer, int offset, int count) const {
        require(offset >= 0 && offset + count <= g.chunks.at(buffer), "a step outside of its buffer");
    }

    void require(bool well, const char* what) const {
        if (!well) xml_.refuse(what);
    }
    [[nodiscard]] int number(const std::string& word) const {
        const std::size_t sign = word.starts_with('-') ? 1 : 0;
        require(word.size() > sign && word.find_first_not_of("0123456789", sign) == word.npos, "no number");
        return std::stoi(word);
    }
    [[nodiscard]] bool flag(const std::string& word) const {
        require(word == "0" || word == "1", "no flag");
        return word == "1";
    }
    [[nodiscard]] char buffer(const std::string& word) const {
        require(word == "i" || word == "o" || word == "s", "no buffer");
        return word[0];
    }
    [[nodiscard]] int peer(const std::string& word, int own, int gpus) const {
        const int p = number(word);
        require(p >= -1 && p < gpus && p != own, "no peer");
        return p;
    }

    xml xml_;
    algorithm found_;
};

} // namespace msccl_test
