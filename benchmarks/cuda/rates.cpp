// goban-gpu-rates: goban's own programs on GPUs, one sweep at a time and in passes, on one GPU and
// on several.
//   goban-gpu-rates [--quick] [--devices cuda:0,1] [--seconds N] [--launches WAY] [--json FILE]
//                   [FILTER]
// FILTER is part of "name cells gpus boundary mode" as the table shows them. Writes a table, and
// with --json one object a line. All runs of a kernel on the same cells must end with the same
// checksum; exit code 1 if some do not, or if a run failed.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/cuda/time_steps.hpp"
#include "benchmarks/kernels.hpp"
#include "goban/backend/api.hpp"
#include "goban/backend/gpu_backend.hpp"
#include "goban/base/error.hpp"
#include "goban/base/mix.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/goban.hpp"
#include "life/stencils.hpp"

namespace goban::benchmarks {
namespace {

// ---- Where runs start: random numbers of a cell, so that no cut of the grid shows

struct Numbers {
  GOBAN_FUNCTION void operator()(auto where, auto u) const {
    u = 1.0f + 0.5f * where.template random<float>();
  }
};
struct DoubleNumbers {
  GOBAN_FUNCTION void operator()(auto where, auto u) const { u = 1.0 + 0.5 * where.random(); }
};
struct Soup {  // a fifth lives
  GOBAN_FUNCTION void operator()(auto where, auto u) const {
    u = convert<std::uint8_t>(convert<std::int32_t>(1.25f * where.template random<float>()));
  }
};
struct Rest {
  GOBAN_FUNCTION void operator()(auto where, auto f) const {
    const auto density = 0.99f + 0.02f * where.template random<float>();
    unroll<19>([&](auto q) { f[q] = twins::d3q19_weight(q) * density; });
  }
};

/// One field, or two that a functor renews together. False where goban runs no passes of its own
/// accord: the rate is that of sweeps.
template <class T, int C, int Fields = 1, class Functor, class Begin>
bool measure(const Run& run, const Functor& functor, const Begin& begin, double edge, Rate& rate) {
  Runtime runtime(run.settings());
  Grid grid(runtime, {.cells = run.cells,
                      .boundary = run.is_periodic ? BoundarySet(periodic) : constant(edge)});
  Field<T, C> u(grid, "u"), next(u, "next");
  std::optional<Field<T, C>> v, v_next;
  Executor& first = domain_of(*grid.state()).some_executor();
  rate.copy_bandwidth = copy_ceiling(first);

  Program step("step");
  if constexpr (Fields == 1) {
    step.apply(functor, in(u), out(next));
  } else {
    v.emplace(grid, "v");
    v_next.emplace(*v, "v_next");
    step.apply(functor, in(u), in(*v), out(next), out(*v_next));
    step.swap(*v, *v_next);
  }
  step.swap(u, next);
  Engine engine(step);
  engine.prepare();
  if (run.mode == Mode::open && engine.steps_per_pass() == 1) return false;

  Program fill("fill");
  fill.apply(begin, site, out(u));
  if constexpr (Fields > 1) fill.apply(begin, site, out(*v));
  constexpr double bytes = 2.0 * C * Fields * static_cast<double>(sizeof(T));
  time_steps(
      run, engine, fill, bytes,
      [&] { return v ? mix(u.checksum()) + v->checksum() : u.checksum(); }, rate);
  return true;
}

template <ListRun Which>
bool measure_lists(const Run& run, Rate& rate) {
  constexpr Index most = 256;  // tables of larger boxes take longer to make than to measure
  if (run.mode == Mode::open || !run.is_periodic || run.cells[0] > most) return false;
  measure_list(run, Which, rate);
  return true;
}

struct Kernel {
  std::string name;
  Index edge;  ///< cells of the smaller cube
  bool (*measure)(const Run& run, Rate& rate);
  std::string same_as = {};  ///< the kernel whose checksums it must have; empty: its own
};

// A ghost population of 1/30 sends in as much as leaves at rest: 5/30 through a face.
constexpr double rest_inflow = 1.0 / 30;
constexpr Heat25 heat25{{0.16f, 0.05f, 0.04f, 0.03f, 0.02f}};

const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> kernels = {
      {"heat7_float", 512,
       [](const Run& run, Rate& rate) {
         return measure<float, 1>(run, Heat7<float>{0.1f}, Numbers{}, 1, rate);
       }},
      {"d3q19_float", 256,
       [](const Run& run, Rate& rate) {
         return measure<float, 19>(run, Bgk{1.2f}, Rest{}, rest_inflow, rate);
       }},
      {"d3q19_float_in_place", 256,
       [](const Run& run, Rate& rate) {
         return measure<InPlace<float>, 19>(run, Bgk{1.2f}, Rest{}, rest_inflow, rate);
       },
       "d3q19_float"},
      {"heat7_double", 512,
       [](const Run& run, Rate& rate) {
         return measure<double, 1>(run, Heat7<double>{0.1}, DoubleNumbers{}, 1, rate);
       }},
      {"d3q19_half", 256,
       [](const Run& run, Rate& rate) {
         return measure<half, 19>(run, Bgk{1.2f}, Rest{}, rest_inflow, rate);
       }},
      {"d3q19_half_in_place", 256,
       [](const Run& run, Rate& rate) {
         return measure<InPlace<half>, 19>(run, Bgk{1.2f}, Rest{}, rest_inflow, rate);
       },
       "d3q19_half"},
      {"heat25_float", 512,
       [](const Run& run, Rate& rate) {
         return measure<float, 1>(run, heat25, Numbers{}, 1, rate);
       }},
      {"life", 512,
       [](const Run& run, Rate& rate) {
         return measure<std::uint8_t, 1>(run, life::LiveInRanges{5, 7, 6, 6}, Soup{}, 0, rate);
       }},
      {"gray_scott", 512,
       [](const Run& run, Rate& rate) {
         return measure<float, 1, 2>(run, GrayScott{}, Numbers{}, 0.5, rate);
       }},
      {"seismic_float", 384,
       [](const Run& run, Rate& rate) {
         if (run.mode == Mode::open) return false;  // stages exchange halos in between
         measure_waves(run, rate);
         return true;
       }},
      {"systems_float", 512,
       [](const Run& run, Rate& rate) {
         if (run.mode == Mode::open) return false;  // columns run in no pass
         measure_systems(run, rate);
         return true;
       }},
      {"heat_columns_float", 512,
       [](const Run& run, Rate& rate) {
         if (run.mode == Mode::open) return false;
         measure_heat_in_columns(run, rate);
         return true;
       }},
      {"list_float", 256, measure_lists<ListRun::box_float>},
      {"list_double", 256, measure_lists<ListRun::box_double>},
      {"list_pipes_float", 256, measure_lists<ListRun::pipes_float>},
      {"list_pipes_double", 256, measure_lists<ListRun::pipes_double>},
      {"heat7_half", 512,
       [](const Run& run, Rate& rate) {
         return measure<half, 1>(run, Heat7<float>{0.1f}, Numbers{}, 1, rate);
       }},
  };
  return kernels;
}

struct Case {
  const Kernel* kernel;
  Run run;
};

/// What matters most first, in case time runs out.
std::vector<Case> all_cases(const std::vector<int>& gpus, bool is_quick) {
  std::vector<Case> cases;
  const auto cube = [](Index n) { return Index3{n, n, n}; };
  const auto add = [&](const Kernel& kernel, const Run& run) { cases.push_back({&kernel, run}); };
  const auto& kernels = all_kernels();

  const auto add_scaling = [&](const Kernel& kernel, const char* scaling, Index edge,
                               bool is_periodic = false) {
    for (std::size_t n = 1; n <= gpus.size(); n *= 2) {
      Run run{cube(edge), {gpus.begin(), gpus.begin() + static_cast<std::ptrdiff_t>(n)}};
      run.scaling = scaling;
      run.is_periodic = is_periodic;
      if (run.scaling == "weak") run.cells[2] *= static_cast<Index>(n);
      for (const Overlap overlap : {Overlap::none, Overlap::one_kernel, Overlap::two_kernel}) {
        if (n == 1 && overlap != Overlap::none) continue;
        run.overlap = overlap;
        add(kernel, run);
      }
      run.overlap = Overlap::none;
      run.mode = Mode::open;
      add(kernel, run);
    }
  };
  if (gpus.size() > 1) {
    add_scaling(kernels[0], "weak", 512);
    if (!is_quick) add_scaling(kernels[0], "strong", 1024);
    add_scaling(kernels[0], "strong", 512);
    add_scaling(kernels[1], "weak", 256);
    for (const Kernel& kernel : kernels) {
      if (kernel.name.starts_with("list")) add_scaling(kernel, "weak", kernel.edge, true);
    }
  }
  for (const Kernel& kernel : kernels) {
    const bool has_columns = kernel.name == "systems_float" || kernel.name == "heat_columns_float";
    if (has_columns) add(kernel, {{512, 512, 64}, {gpus.front()}});
  }
  for (const bool is_large : {false, true}) {
    if (is_large && is_quick) continue;
    for (const bool is_periodic : {false, true}) {
      for (const Kernel& kernel : kernels) {
        for (const Mode mode : {Mode::sweeps, Mode::open}) {
          const Index edge = kernel.edge * (is_large ? 2 : 1);
          add(kernel, {cube(edge), {gpus.front()}, is_periodic, mode});
        }
      }
    }
  }
  return cases;
}

// ---- Reports

std::string cells_text(const Index3& cells) {
  std::string text = std::to_string(cells[0]);
  if (cells[1] == cells[0] && cells[2] == cells[0]) return text + "^3";
  return text + "x" + std::to_string(cells[1]) + "x" + std::to_string(cells[2]);
}

const char* boundary_text(const Run& run) { return run.is_periodic ? "periodic" : "constant"; }
const char* mode_text(const Run& run) { return run.mode == Mode::sweeps ? "sweeps" : "open"; }

std::string title_of(const Case& one) {
  const Run& run = one.run;
  std::string title = one.kernel->name + " " + cells_text(run.cells) + " " +
                      std::to_string(run.gpus.size()) + " " + boundary_text(run) + " " +
                      mode_text(run);
  if (run.overlap != Overlap::none) title += std::string(" ") + name_of(run.overlap);
  if (run.scaling != "none") title += " " + run.scaling;
  return title;
}

void print_row(const Case& one, const Rate& rate, bool agrees) {
  const Run& run = one.run;
  std::printf("%-20s %-13s %4zu %-8s %-6s %-10s %-6s %4d %9.1f %9.1f %8.3f %6.0f %6.4g  %s\n",
              one.kernel->name.c_str(), cells_text(run.cells).c_str(), run.gpus.size(),
              boundary_text(run), mode_text(run), name_of(run.overlap), run.scaling.c_str(),
              rate.steps_per_pass, rate.updates_per_second * 1e-9, rate.best * 1e-9,
              rate.share_of_copy, rate.copy_bandwidth * 1e-9, rate.bytes_per_update,
              agrees ? "equal" : "DIFFER");
  std::fflush(stdout);
}

void print_json(std::FILE* file, const Case& one, const Rate& rate, bool agrees) {
  if (file == nullptr) return;
  const Run& run = one.run;
  std::fprintf(file,
               "{\"name\": \"%s\", \"cells\": [%lld, %lld, %lld], "
               "\"gpus\": %zu, \"boundary\": \"%s\", \"mode\": \"%s\", \"overlap\": \"%s\", "
               "\"scaling\": \"%s\", \"steps_per_pass\": %d, \"bytes_per_update\": %g, "
               "\"updates_per_second\": %.6g, \"best_updates_per_second\": %.6g, "
               "\"copy_bandwidth\": %.6g, \"share_of_copy\": %.4f, \"checksum\": \"%016llx\", "
               "\"same_bits\": %s}\n",
               one.kernel->name.c_str(), static_cast<long long>(run.cells[0]),
               static_cast<long long>(run.cells[1]), static_cast<long long>(run.cells[2]),
               run.gpus.size(), boundary_text(run), mode_text(run), name_of(run.overlap),
               run.scaling.c_str(), rate.steps_per_pass, rate.bytes_per_update,
               rate.updates_per_second, rate.best, rate.copy_bandwidth, rate.share_of_copy,
               static_cast<unsigned long long>(rate.checksum), agrees ? "true" : "false");
  std::fflush(file);
}

// ---- The program

struct Request {
  bool is_quick = false;
  std::vector<int> gpus;
  double seconds = 0;  ///< 0: 90 on one GPU, 140 on several
  std::string launches = "tuned", json, filter;
};

Request read(int argc, char** argv) {
  Request request;
  std::string devices = "cuda";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] {
      require(i + 1 < argc, word + " has no value", "", "see --help");
      return std::string(argv[++i]);
    };
    if (word == "--help" || word == "-h") {
      std::printf(
          "usage: goban-gpu-rates [--quick] [--devices cuda:0,1] [--seconds N] [--launches WAY] "
          "[--json FILE] [FILTER]\n"
          "  --quick    leaves out the large grids\n"
          "  --seconds  starts no further run after this time (90 on one GPU, 140 on several)\n"
          "  --launches tuned, anew, preset, or a way as \"2x4 32x8x1 slabs\"\n"
          "  FILTER     part of a title as \"heat7_float 512^3 1 constant sweeps\"\n");
      std::exit(0);
    } else if (word == "--quick") {
      request.is_quick = true;
    } else if (word == "--devices") {
      devices = value();
    } else if (word == "--seconds") {
      request.seconds = std::atof(value().c_str());
    } else if (word == "--launches") {
      request.launches = value();
    } else if (word == "--json") {
      request.json = value();
    } else {
      require(word.rfind("--", 0) != 0, "unknown option " + word, "", "see --help");
      request.filter = word;
    }
  }
  Settings settings;
  choose_devices(settings, devices);
  require(settings.backend == Backend::cuda, "--devices " + devices + " is refused",
          "this program measures GPUs", "use cuda or cuda:0,1");
  require(!is_mixed(settings), "--devices " + devices + " is refused", "this program measures GPUs",
          "use cuda or cuda:0,1");
  request.gpus = settings.devices;
  if (request.gpus.empty()) {
    for (const Gpu& gpu : gpu_backend().gpus()) request.gpus.push_back(gpu.number);
  }
  if (request.gpus.empty()) throw Error(ExitCode::resources, "there is no GPU");
  if (request.seconds <= 0) request.seconds = request.gpus.size() == 1 ? 90 : 140;
  return request;
}

int run(const Request& request) {
  std::FILE* const json = request.json.empty() ? nullptr : std::fopen(request.json.c_str(), "w");
  if (json == nullptr && !request.json.empty()) {
    throw Error(ExitCode::files, "cannot write " + request.json);
  }
  std::printf("%-20s %-13s %4s %-8s %-6s %-10s %-6s %4s %9s %9s %8s %6s %6s  %s\n", "name", "cells",
              "gpus", "boundary", "mode", "overlap", "scale", "T", "GLUP/s", "best", "of copy",
              "GB/s", "bytes", "bits");
  const auto start = std::chrono::steady_clock::now();
  std::map<std::string, std::uint64_t> checksums;  // by kernel, cells and boundary
  int failures = 0, left_out = 0;
  for (const Case& one : all_cases(request.gpus, request.is_quick)) {
    const std::string title = title_of(one);
    if (title.find(request.filter) == std::string::npos) continue;
    if (seconds_since(start) > request.seconds) {
      ++left_out;
      continue;
    }
    try {
      Rate rate;
      Run how = one.run;
      how.launches = request.launches;
      if (!one.kernel->measure(how, rate)) continue;
      const std::string same =
          (one.kernel->same_as.empty() ? one.kernel->name : one.kernel->same_as) +
          cells_text(one.run.cells) + boundary_text(one.run);
      const bool agrees = checksums.emplace(same, rate.checksum).first->second == rate.checksum;
      failures += agrees ? 0 : 1;
      print_row(one, rate, agrees);
      print_json(json, one, rate, agrees);
    } catch (const Error& error) {
      ++failures;
      std::printf("%s: FAILED: %s\n", title.c_str(), error.what());
      if (json != nullptr) {
        std::fprintf(json, "{\"title\": \"%s\", \"failed\": true}\n", title.c_str());
      }
    }
  }
  if (json != nullptr) std::fclose(json);
  if (left_out > 0) std::printf("%d runs left out: time is up (--seconds)\n", left_out);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace goban::benchmarks

int main(int argc, char** argv) {
  try {
    return goban::benchmarks::run(goban::benchmarks::read(argc, argv));
  } catch (const goban::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
