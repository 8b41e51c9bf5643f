// goban-fourier: div grad u = f by Fourier transforms, between walls and in a periodic box.
//   goban-fourier [--cells 256,512] [--times N] [--goban-devices cuda:0 and other --goban-*
//   options]
// Each row has the mean of N solutions of one cube, its rate, the bytes per second of passes
// that would each read and write all values once, were there one pass, and the largest error beside
// u = cos(2 pi x) cos(2 pi y) cos(4 pi z), sampled at the cells. Exit code 1: an error is large.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"

namespace goban::benchmarks {
namespace {

using std::numbers::pi;

/// Returns what second differences make of one of the waves, over the wave.
double eigenvalue(int waves, Index cells) {
  const auto n = static_cast<double>(cells);
  return -std::pow(2 * n * std::sin(pi * waves / n), 2);
}

template <class T>
bool measure(Runtime& runtime, Index n, const BoundaryCondition& sides, int times) {
  const double h = 1.0 / static_cast<double>(n);
  Grid grid(runtime, {.cells = {n, n, n}, .spacing = h, .boundary = sides});
  Field<T> u(grid, "u"), f(grid, "f");
  const auto exact = [](Position x) {
    return std::cos(2 * pi * x.x) * std::cos(2 * pi * x.y) * std::cos(4 * pi * x.z);
  };
  const double factor = 2 * eigenvalue(1, n) + eigenvalue(2, n);
  f.fill([&](Position x) { return static_cast<T>(factor * exact(x)); });
  u.fill(0);
  const Fourier<T> fourier(u, f);
  Program program("program");
  fourier.add_solve(program);
  Engine engine(program);
  StepClock clock;
  engine.run(1, clock);  // plans
  u.fill(0);
  const auto begin = std::chrono::steady_clock::now();
  engine.run(times, clock);
  static_cast<void>(u.get({0, 0, 0}));  // waits for all
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begin;
  const double taken = all.count() / times;
  double error = 0;
  const Index step = std::max<Index>(n / 16, 1);
  for (Index k = 0; k < n; k += step) {
    for (Index j = 0; j < n; j += step) {
      const Index3 at{(7 * j + k) % n, j, k};
      error = std::max(error, std::abs(static_cast<double>(u.get(at)) -
                                       exact(grid.state()->position(at, Location::cell))));
    }
  }
  const double cells = std::pow(static_cast<double>(n), 3);
  std::printf("%6lld %-9s %-8s %10.3f %9.3f %9.1f %10.2e  %s\n", static_cast<long long>(n),
              sides.kind == BoundaryCondition::Kind::periodic ? "periodic" : "closed",
              sizeof(T) == 4 ? "float32" : "float64", 1e3 * taken, 1e-9 * cells / taken,
              1e-9 * 2 * sizeof(T) * cells / taken, error, fourier.describe().c_str());
  std::fflush(stdout);
  return error < (sizeof(T) == 4 ? 1e-4 : 1e-9);
}

bool run(int argc, char** argv) {
  Runtime runtime(argc, argv);
  std::vector<Index> cells{256, 512};
  int times = 10;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--times") {
      times = std::stoi(argv[i + 1]);
    } else if (name == "--cells") {
      cells.clear();
      std::istringstream list(argv[i + 1]);
      for (std::string one; std::getline(list, one, ',');) cells.push_back(std::stoll(one));
    } else {
      throw Error(ExitCode::usage, "unknown option " + name, "", "use --cells, --times");
    }
  }
  std::printf("%6s %-9s %-8s %10s %9s %9s %10s  %s\n", "cells", "sides", "type", "ms", "GDOF/s",
              "GB/s", "error", "transforms");
  bool is_good = true;
  for (const Index n : cells) {
    for (const BoundaryCondition& sides : {mirror, periodic}) {
      is_good = measure<double>(runtime, n, sides, times) && is_good;
      is_good = measure<float>(runtime, n, sides, times) && is_good;
    }
  }
  return is_good;
}

}  // namespace
}  // namespace goban::benchmarks

int main(int argc, char** argv) {
  try {
    return goban::benchmarks::run(argc, argv) ? 0 : 1;
  } catch (const goban::Error& error) {
    std::fprintf(stderr, "goban-fourier: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
