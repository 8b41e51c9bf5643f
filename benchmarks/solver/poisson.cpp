// goban-poisson: div grad u = f in a closed cube by multigrid, u = cos(pi x) cos(pi y) cos(pi z).
//   [mpirun -n N] goban-poisson [--cells 64,128,256] [--cycles N] [--json FILE] [--goban-* options]
//                              [--corrections double|float]: of what precision cycles are
//                              [--gathered-cells N]: of the largest grid on one device
//                              [--levels N]: grids at most
//                              [--cubes N]: one beside the other along z, to share among devices
//                              [--full-cycles N]: of full multigrid on each grid, else one
//                              [--fourier yes]: the direct solver beside it
// For each number of cells along an axis: the time of a V cycle and its share of the bytes' limit,
// by what a copy within the memory of the same devices takes; the factor that a cycle takes off the
// residual; the solution from u = 0 to a residual of 1e-8 of the first, and full multigrid, with
// its error beside that of the scheme: the fastest of three and nine.
// Exit code 1: a factor above 0.15, or an error that does not fall with
// the square of the spacing.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "goban/backend/cpu/thread_team.hpp"
#include "goban/base/communicator.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "goban/performance/measure/copy_bandwidth.hpp"
#include "goban/performance/model/step_prediction.hpp"

namespace goban::benchmarks {
namespace {

struct SetZero {
  GOBAN_FUNCTION void operator()(auto u) const { u = 0.0; }
};
struct Difference {
  GOBAN_FUNCTION auto operator()(auto a, auto b) const { return abs(a() - b()); }
};

struct Row {
  Index cells = 0, cubes = 1;
  int levels = 0;
  double cycle_seconds = 0, share = 0, factor = 0;
  double solve_seconds = 0;
  double start_seconds = 0, start_error = 0, error = 0;  ///< of full multigrid, of the scheme
  double fourier_seconds = 0;                            ///< 0: not measured

  double unknowns() const { return static_cast<double>(cells * cells * cells * cubes); }
};

/// Returns the copy bandwidth of all devices of this rank, or of its threads together.
double copy_bandwidth_of(GridState& grid) {
  double bandwidth = 0;
  for (Executor* executor : domain_of(grid).executors()) {
    if (DeviceMemory* memory = executor->device_memory()) bandwidth += memory->copy_bandwidth();
  }
  if (bandwidth > 0) return bandwidth;
  ThreadTeam team(grid.context->settings().threads);
  return copy_bandwidth(team).best;
}

class Problem {
 public:
  Problem(Runtime& runtime, Index cells, Index cubes, const MultigridOptions& options)
      : grid_(runtime, {.cells = {cells, cells, cubes * cells},
                        .spacing = spacing(cells),
                        .boundary = mirror}),
        u_(grid_, "u"),
        f_(grid_, "f"),
        exact_(grid_, "exact"),
        multigrid_(u_, f_, options),
        error_("error"),
        cells_(cells),
        cubes_(cubes) {
    std::vector<double> cosine(static_cast<std::size_t>(cubes * cells));
    for (std::size_t i = 0; i < cosine.size(); ++i) {
      cosine[i] = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) * spacing(cells));
    }
    const auto product_of = [cosine](Index3 i) {
      return cosine[static_cast<std::size_t>(i[0])] * cosine[static_cast<std::size_t>(i[1])] *
             cosine[static_cast<std::size_t>(i[2])];
    };
    exact_.fill(product_of);
    f_.fill([=](Index3 i) { return -3 * std::numbers::pi * std::numbers::pi * product_of(i); });
  }

  std::string describe() const { return multigrid_.describe(); }

  Row measure(int cycles, int full_cycles, bool measures_fourier) {
    Row row{
        .cells = cells_, .cubes = cubes_, .levels = static_cast<int>(multigrid_.levels().size())};
    Program zero("zero"), balance("balance"), cycle("cycle"), residual("residual"), start("start"),
        difference("difference");
    zero.apply(SetZero{}, out(u_));
    multigrid_.add_setup(balance);
    multigrid_.add_balance(balance);
    multigrid_.add_cycle(cycle);
    multigrid_.add_residual(residual);
    multigrid_.add_full_multigrid(start, full_cycles);
    difference.reduce(Difference{}, in(u_), in(exact_), maximum, into(error_));
    Engine zeros(zero), one(cycle), look(residual), full(start), compare(difference);
    Engine(balance).run(1, clock_);

    zeros.run(1, clock_);
    look.run(1, clock_);
    const double first = multigrid_.residual().value();
    one.run(2, clock_);
    look.run(1, clock_);
    const double before = multigrid_.residual().value();
    one.run(4, clock_);
    look.run(1, clock_);
    row.factor = std::pow(multigrid_.residual().value() / before, 1.0 / 4);

    one.run(2 * cycles, clock_);  // whatever is tried out
    row.cycle_seconds = seconds_of([&] { one.run(cycles, clock_); }, one) / cycles;
    const double limit =
        one.work_per_update().bytes * row.unknowns() / copy_bandwidth_of(*grid_.state());
    row.share = limit / row.cycle_seconds;

    look.run(1, clock_);
    compare.run(1, clock_);
    row.error = error_.value();

    Program solution("solution");
    multigrid_.add_solve(solution, 1e-8 * first, 50);
    Engine solve(solution);
    row.solve_seconds = fastest_of(
        3,
        [&] {
          zeros.run(1, clock_);
          zeros.synchronize();
        },
        solve);
    row.start_seconds = fastest_of(
        9, [] {}, full);  // the first try out what there is
    compare.run(1, clock_);
    row.start_error = error_.value();

    if (measures_fourier) {
      Program direct("direct");
      Fourier<double>(u_, f_).add_solve(direct);
      Engine engine(direct);
      row.fourier_seconds = fastest_of(
          3, [] {}, engine);
    }
    return row;
  }

 private:
  static double spacing(Index cells) { return 1.0 / static_cast<double>(cells); }

  template <class Run>
  static double seconds_of(const Run& run, Engine& engine) {
    engine.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    run();
    engine.synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  template <class Prepare>
  double fastest_of(int times, const Prepare& prepare, Engine& engine) {
    double fastest = std::numeric_limits<double>::infinity();
    for (int n = 0; n < times; ++n) {
      prepare();
      fastest = std::min(fastest, seconds_of([&] { engine.run(1, clock_); }, engine));
    }
    return fastest;
  }

  Grid grid_;
  Field<double> u_, f_, exact_;
  Multigrid<double> multigrid_;
  Parameter<double> error_;
  Index cells_, cubes_;
  StepClock clock_{};
};

struct Options {
  std::vector<Index> cells = {64, 128, 256};
  Index cubes = 1;
  int cycles = 10, full_cycles = 1;
  MultigridOptions multigrid;
  bool measures_fourier = false;
  std::string json;
};

template <class T>
T number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size() && value > 0,
          "'" + text + "' is refused", "numbers above 0 are wanted");
  return value;
}

constexpr const char* usage =
    "usage: goban-poisson [--cells 64,128,...] [--cycles N] [--full-cycles N]\n"
    "                     [--corrections float|double] [--gathered-cells N] [--levels N]\n"
    "                     [--cubes N] [--fourier yes]\n"
    "                     [--json FILE] [--goban-devices cuda:0,1] and others of goban\n";

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--help" || name == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    require(i + 1 < argc, "option " + name + " is refused", "its value is missing");
    if (name == "--cells") {
      options.cells.clear();
      std::istringstream list(argv[i + 1]);
      for (std::string one; std::getline(list, one, ',');) {
        options.cells.push_back(number<Index>(one));
      }
    } else if (name == "--cycles") {
      options.cycles = number<int>(argv[i + 1]);
    } else if (name == "--full-cycles") {
      options.full_cycles = number<int>(argv[i + 1]);
    } else if (name == "--corrections") {
      const std::string precision = argv[i + 1];
      options.multigrid.single_precision = precision == "float";
      require(precision == "float" || precision == "double", "'" + precision + "' is refused",
              "corrections are float or double");
    } else if (name == "--gathered-cells") {
      options.multigrid.gathered_cells =
          std::string(argv[i + 1]) == "0" ? 0 : number<Index>(argv[i + 1]);
    } else if (name == "--levels") {
      options.multigrid.most_levels = number<int>(argv[i + 1]);
    } else if (name == "--cubes") {
      options.cubes = number<Index>(argv[i + 1]);
    } else if (name == "--fourier") {
      options.measures_fourier = std::string(argv[i + 1]) == "yes";
    } else if (name == "--json") {
      options.json = argv[i + 1];
    } else {
      throw Error(ExitCode::usage, "unknown option " + name, "",
                  "use --cells, --cycles, --full-cycles, --corrections, --gathered-cells, "
                  "--levels, "
                  "--cubes, --fourier, --json");
    }
  }
  return options;
}

void write(const std::string& path, const std::vector<Row>& rows, bool in_single) {
  std::ofstream file(path);
  file << "[";
  for (const Row& row : rows) {
    file << (&row == rows.data() ? "\n" : ",\n") << "  {\"cells\": [" << row.cells << ", "
         << row.cells << ", " << row.cells * row.cubes << "]"
         << ", \"corrections\": \"" << (in_single ? "float" : "double") << "\""
         << ", \"levels\": " << row.levels << ", \"cycle_seconds\": " << row.cycle_seconds
         << ", \"share_of_bytes_limit\": " << row.share << ", \"factor\": " << row.factor
         << ", \"solve_seconds\": " << row.solve_seconds
         << ", \"full_multigrid_seconds\": " << row.start_seconds
         << ", \"full_multigrid_error\": " << row.start_error << ", \"scheme_error\": " << row.error
         << ", \"fourier_seconds\": " << row.fourier_seconds << "}";
  }
  file << "\n]\n";
  if (!file.flush()) throw Error(ExitCode::files, "cannot write '" + path + "'");
}

bool run(int argc, char** argv) {
  Runtime runtime(argc, argv);
  const Options options = options_of(argc, argv);
  const bool speaks = runtime.communicator()->rank() == 0;
  std::vector<Row> rows;
  if (speaks) {
    std::printf("%6s %6s %10s %6s %7s %10s %9s %10s %9s %10s %10s\n", "cells", "levels", "cycle ms",
                "share", "factor", "solve ms", "GDOF/s", "full ms", "GDOF/s", "its error",
                "scheme's");
  }
  bool is_good = true;
  for (const Index cells : options.cells) {
    Problem problem(runtime, cells, options.cubes, options.multigrid);
    const std::string grids = problem.describe();
    const Row row = problem.measure(options.cycles, options.full_cycles, options.measures_fourier);
    const double unknowns = 1e-9 * row.unknowns();
    if (speaks) {
      std::printf("%6lld %6d %10.3f %6.2f %7.3f %10.2f %9.3f %10.2f %9.3f %10.2e %10.2e\n",
                  static_cast<long long>(cells), row.levels, 1e3 * row.cycle_seconds, row.share,
                  row.factor, 1e3 * row.solve_seconds, unknowns / row.solve_seconds,
                  1e3 * row.start_seconds, unknowns / row.start_seconds, row.start_error,
                  row.error);
      std::printf("       %s\n", grids.c_str());
      if (options.measures_fourier) {
        std::printf("       Fourier %.2f ms, %.3f GDOF/s\n", 1e3 * row.fourier_seconds,
                    unknowns / row.fourier_seconds);
      }
      std::fflush(stdout);
    }
    is_good = is_good && row.factor <= 0.15;
    if (!rows.empty()) {
      const double finer = static_cast<double>(cells) / static_cast<double>(rows.back().cells);
      const double order = std::log(rows.back().error / row.error) / std::log(finer);
      is_good = is_good && std::abs(order - 2) < 0.1;
    }
    rows.push_back(row);
  }
  if (speaks && !options.json.empty())
    write(options.json, rows, options.multigrid.single_precision);
  return is_good;
}

}  // namespace
}  // namespace goban::benchmarks

int main(int argc, char** argv) {
  try {
    return goban::benchmarks::run(argc, argv) ? 0 : 1;
  } catch (const goban::Error& error) {
    std::fprintf(stderr, "goban-poisson: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
