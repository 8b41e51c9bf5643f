#include "benchmarks/benchmark.hpp"
#include "goban/boundary/boundary.hpp"

namespace goban::benchmarks {

// One file each.
template <class T>
Benchmark heat7(Index cells, int threads, const BoundarySet& boundary);
Benchmark heat7_pass(Index cells, int threads);
Benchmark heat25(Index cells, int threads, const BoundarySet& boundary);
Benchmark d3q19(Index cells, int threads, const BoundarySet& boundary);
Benchmark d3q19_list(Index cells, int threads);
Benchmark d3q19_list_box(Index cells, int threads);
Benchmark d3q19_list_pipe(Index cells, int threads);
Benchmark d3q19_list_double(Index cells, int threads);
Benchmark life(Index cells, int threads, const BoundarySet& boundary);
Benchmark dendrite_alloy(Index cells, int threads);
Benchmark dendrite_melt(Index cells, int threads);
Benchmark seismic_waves(Index cells, int threads, int order);
Benchmark gray_scott(Index cells, int threads);
Benchmark poisson(Index cells, int threads);

namespace {

using MakeSweeps = Benchmark (*)(Index cells, int threads, const BoundarySet& boundary);

MakeBenchmark with(const BoundarySet& boundary, MakeSweeps make) {
  return [=](Index cells, int threads) { return make(cells, threads, boundary); };
}

}  // namespace

const std::vector<NamedBenchmark>& all_benchmarks() {
  static const BoundarySet fixed = constant(1), around = periodic;
  static const std::vector<NamedBenchmark> all = {
      {"heat7", "7 points, float, one sweep", 512, with(fixed, heat7<float>)},
      {"heat7_double", "7 points, double, one sweep", 512, with(fixed, heat7<double>)},
      {"heat25", "25 points (order 8), float, one sweep", 512, with(fixed, heat25)},
      {"d3q19", "lattice Boltzmann, 19 populations, float, two lattices", 256, with(fixed, d3q19)},
      {"d3q19_list", "lattice Boltzmann between grains, on a list of active cells", 256,
       d3q19_list},
      {"list_box", "likewise, all cells of the box", 192, d3q19_list_box},
      {"list_pipe", "likewise, pipes of diameter 32", 192, d3q19_list_pipe},
      {"list_double", "likewise, in double precision; without a twin", 192, d3q19_list_double},
      {"life", "26 neighbours, bytes, one sweep", 512, with(fixed, life)},
      {"heat7_halo", "7 points, float, periodic: goban exchanges halos, the twin does not", 512,
       with(around, heat7<float>)},
      {"heat25_halo", "25 points, float, periodic, likewise", 512, with(around, heat25)},
      {"d3q19_halo", "lattice Boltzmann, periodic, likewise", 256, with(around, d3q19)},
      {"life_halo", "26 neighbours, bytes, periodic, likewise", 512, with(around, life)},
      {"heat7_pass", "7 points, float, periodic, eight steps a pass through cache, the twin four",
       512, heat7_pass},
      {"dendrite", "dendrite in an alloy, in space; the twin is its kernel on cells in cache", 192,
       dendrite_alloy},
      {"dendrite_plane", "dendrite in a pure melt, in a plane of as many cells, likewise", 192,
       dendrite_melt},
      {"seismic", "elastic waves, order 4, float, periodic; the twin is its kernels likewise", 192,
       [](Index cells, int threads) { return seismic_waves(cells, threads, 4); }},
      {"seismic8", "elastic waves, order 8, likewise", 192,
       [](Index cells, int threads) { return seismic_waves(cells, threads, 8); }},
      {"gray_scott", "two fields that react and spread, float, periodic; the twin likewise", 256,
       gray_scott},
      {"poisson", "solve to 1e-8 by multigrid, double; the twin sweeps the finest grid as often",
       256, poisson},
  };
  return all;
}

}  // namespace goban::benchmarks
