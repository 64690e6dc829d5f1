// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/tcp.hpp>

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

using tcp = tutti::transport::tcp;
using layers = std::vector<std::vector<float>>;

/// Stands for a GPU that computes the gradient of one layer while this thread waits.
void compute(std::vector<float>& gradient) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    gradient.assign(gradient.size(), 1);
}

/// Computes all layers, then sums them.
void in_turn(const tutti::communicator<tcp>& world, layers& all) {
    for (auto& gradient : all) compute(gradient);
    for (auto& gradient : all) world.allreduce(gradient, tutti::sum);
}

/// Sums each layer while the next ones are computed.
void overlapped(const tutti::communicator<tcp>& world, layers& all) {
    std::vector<tutti::request<tcp>> sums;
    for (auto& gradient : all) {
        compute(gradient);
        sums.push_back(world.async().allreduce(gradient, tutti::sum));
    }
    tutti::wait_all(sums);
}

template <class Step>
double milliseconds(const tutti::communicator<tcp>& world, const Step& step) {
    world.barrier();
    const auto begin = std::chrono::steady_clock::now();
    step();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

int main() {
    tutti::communicator world{tcp::from_environment(), tutti::progress::by_waiters};
    layers all(8, std::vector<float>(500'000));
    const double apart = milliseconds(world, [&] { in_turn(world, all); });
    const double together = milliseconds(world, [&] { overlapped(world, all); });
    if (world.rank() == 0) std::printf("in turn %.1f ms, overlapped %.1f ms\n", apart, together);
}
