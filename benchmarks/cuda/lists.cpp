// Lists of active cells for goban-gpu-rates: lattice Boltzmann in all of a box, and in pipes.

#include "benchmarks/cuda/time_steps.hpp"
#include "benchmarks/kernels.hpp"
#include "benchmarks/list_cells.hpp"

namespace goban::benchmarks {
namespace {

/// At rest, of densities that differ from cell to cell.
template <class T>
struct RestInPlaces {
  GOBAN_FUNCTION void operator()(auto where, auto f) const {
    const auto place =
        7 * where.index(Axis::x) + 13 * where.index(Axis::y) + 29 * where.index(Axis::z);
    const auto density = T(0.99) + T(0.02 / 31) * convert<T>(place & 31);
    unroll<19>([&](auto q) { f[q] = twins::d3q19_weight<T>(q) * density; });
  }
};

/// Populations to and fro, and the table of neighbours.
template <class T>
double bytes_per_update(const GridState& grid) {
  const auto table = std::find_if(grid.fields.begin(), grid.fields.end(),
                                  [](const auto& field) { return field->is_table; });
  return 2 * 19 * sizeof(T) + static_cast<double>((*table)->components) * sizeof(std::int32_t);
}

template <class T>
void measure(const Run& run, bool (*is_active)(Index3), Rate& rate) {
  Runtime runtime(run.settings());
  Grid grid(runtime, {.cells = run.cells, .boundary = periodic, .active = is_active});
  Field<T, 19> u(grid, "u"), next(grid, "next");
  u.inactive(bounce_back);
  next.inactive(bounce_back);
  Program step("step");
  step.apply(Bgk{T(1.2)}, in(u), out(next));
  step.swap(u, next);
  rate.copy_bandwidth = copy_ceiling(domain_of(*grid.state()).some_executor());
  Engine engine(step);
  engine.prepare();
  const double bytes = bytes_per_update<T>(*grid.state());
  Program fill("fill");
  fill.apply(RestInPlaces<T>{}, site, out(u));
  Run of_list = run;
  of_list.cells = {grid.active()->size(), 1, 1};
  time_steps(
      of_list, engine, fill, bytes, [&] { return u.checksum(); }, rate);
}

}  // namespace

void measure_list(const Run& run, ListRun which, Rate& rate) {
  switch (which) {
    case ListRun::box_float: return measure<float>(run, is_anywhere, rate);
    case ListRun::box_double: return measure<double>(run, is_anywhere, rate);
    case ListRun::pipes_float: return measure<float>(run, is_in_pipe, rate);
    case ListRun::pipes_double: return measure<double>(run, is_in_pipe, rate);
  }
}

}  // namespace goban::benchmarks
