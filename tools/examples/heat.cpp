// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The heat equation on a square plate whose left edge is hot, by Jacobi's method. The ranks form a grid, and each has
// one rectangle of the plate with a border one point wide. Before each step neighbours exchange their edges (a halo
// exchange); all stop together when no point changes by more than a tolerance.
//
//   tutti run -n 4 -- heat 200
//
// Source: Gropp, Lusk and Skjellum, Using MPI, MIT Press, chapter 4.

#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/tcp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

using communicator = tutti::communicator<tutti::transport::tcp>;

namespace {

/// Consecutive points of one dimension of the plate.
struct interval {
    int first, count;
    static interval part(int points, int parts, int part) {
        const auto bound = [&](int p) { return static_cast<int>(static_cast<long long>(points) * p / parts); };
        return {bound(part), bound(part + 1) - bound(part)};
    }
};

/// A rectangle of the plate, with the points around it.
class patch {
public:
    patch(interval rows, interval columns) : rows_(rows), columns_(columns), points_(area(), 0.0) {
        if (columns.first == 0)
            for (int r = 0; r <= rows.count + 1; ++r) at(r, 0) = 1; // the hot edge
    }
    double& at(int row, int column) { return points_[static_cast<std::size_t>(row * (columns_.count + 2) + column)]; }
    [[nodiscard]] interval rows() const { return rows_; }
    [[nodiscard]] interval columns() const { return columns_; }
    std::vector<double> column(int c) {
        std::vector<double> all;
        for (int r = 1; r <= rows_.count; ++r) all.push_back(at(r, c));
        return all;
    }
    void set_column(int c, const std::vector<double>& all) {
        for (int r = 1; r <= rows_.count; ++r) at(r, c) = all[static_cast<std::size_t>(r - 1)];
    }
    std::span<double> row(int r) { return {&at(r, 1), static_cast<std::size_t>(columns_.count)}; }

private:
    [[nodiscard]] std::size_t area() const {
        return static_cast<std::size_t>((rows_.count + 2) * (columns_.count + 2));
    }
    interval rows_, columns_;
    std::vector<double> points_;
};

/// This rank's place in the grid of ranks, and its neighbours; -1 beyond the plate's edge.
struct place {
    int down, across, row, column;

    explicit place(const communicator& world) : down(1) {
        for (int d = 1; d * d <= world.size(); ++d)
            if (world.size() % d == 0) down = d;
        across = world.size() / down;
        row = world.rank() / across;
        column = world.rank() % across;
    }
    [[nodiscard]] int neighbour(int by_rows, int by_columns) const {
        const int r = row + by_rows, c = column + by_columns;
        return r < 0 || r >= down || c < 0 || c >= across ? -1 : r * across + c;
    }
};

/// Fills the border of the patch with the neighbours' edges. All messages start before any is waited for.
void exchange_borders(const communicator& world, const place& here, patch& p) {
    enum side { above, below, left, right };
    const int last_row = p.rows().count, last_column = p.columns().count;
    const int up = here.neighbour(-1, 0), down = here.neighbour(1, 0);
    const int west = here.neighbour(0, -1), east = here.neighbour(0, 1);
    const auto west_edge = p.column(1), east_edge = p.column(last_column);
    std::vector<double> from_west(west_edge.size()), from_east(east_edge.size());
    auto top = p.row(1), bottom = p.row(last_row), over = p.row(0), under = p.row(last_row + 1);
    auto messages = world.group();
    if (up >= 0) messages.receive(over, up, below), messages.send(top, up, above);
    if (down >= 0) messages.receive(under, down, above), messages.send(bottom, down, below);
    if (west >= 0) messages.receive(from_west, west, right), messages.send(west_edge, west, left);
    if (east >= 0) messages.receive(from_east, east, left), messages.send(east_edge, east, right);
    messages.wait();
    if (west >= 0) p.set_column(0, from_west);
    if (east >= 0) p.set_column(last_column + 1, from_east);
}

/// One step of Jacobi's method; returns the largest change of a point.
double step(patch& now, patch& next) {
    double largest = 0;
    for (int r = 1; r <= now.rows().count; ++r)
        for (int c = 1; c <= now.columns().count; ++c) {
            next.at(r, c) = (now.at(r - 1, c) + now.at(r + 1, c) + now.at(r, c - 1) + now.at(r, c + 1)) / 4;
            largest = std::max(largest, std::abs(next.at(r, c) - now.at(r, c)));
        }
    std::swap(now, next);
    return largest;
}

template <class Exchange, class Largest>
int solve(patch& p, double tolerance, const Exchange& exchange, const Largest& over_all) {
    patch next = p;
    for (int steps = 1;; ++steps) {
        exchange(p);
        if (over_all(step(p, next)) <= tolerance) return steps;
    }
}

} // namespace

int main(int argc, char** argv) try {
    const int points = argc > 1 ? std::atoi(argv[1]) : 100;
    const double tolerance = 1e-4;
    communicator world{tutti::transport::tcp::from_environment()};
    const place here(world);
    patch mine(interval::part(points, here.down, here.row), interval::part(points, here.across, here.column));
    const int steps = solve(
        mine, tolerance, [&](patch& p) { exchange_borders(world, here, p); },
        [&](double change) { return world.allreduce(change, tutti::maximum); });

    // One process computes the whole plate, and each rank compares its part bit by bit.
    patch whole({0, points}, {0, points});
    const int serial = solve(
        whole, tolerance, [](patch&) {}, [](double change) { return change; });
    bool right = steps == serial;
    for (int r = 1; r <= mine.rows().count; ++r)
        for (int c = 1; c <= mine.columns().count; ++c)
            right = right && mine.at(r, c) == whole.at(mine.rows().first + r, mine.columns().first + c);
    right = world.allreduce(static_cast<int>(right), tutti::minimum) != 0;
    if (world.rank() == 0)
        std::printf("%d x %d points on %d x %d ranks, %d steps: %s\n", points, points, here.down, here.across, steps,
                    right ? "the bits of one process" : "WRONG");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& e) {
    std::fprintf(stderr, "heat: %s\n", e.what());
    return EXIT_FAILURE;
}
