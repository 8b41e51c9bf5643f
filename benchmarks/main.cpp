// goban bench: every kernel through goban beside its hand-written twin and the copy of as many
// bytes, measured in turn.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "benchmarks/benchmark.hpp"
#include "goban/backend/cpu/compiled/row_code.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/backend/instruction_set.hpp"
#include "goban/base/error.hpp"
#include "goban/io/case/names.hpp"
#include "goban/io/file/json_file.hpp"
#include "goban/performance/measure/machine.hpp"

namespace goban::benchmarks {
namespace {

struct Request {
  std::vector<std::string> names;
  Index cells = 0;  ///< 0: each benchmark's own
  int rounds = 9;
  int threads = 0;
  Beside beside = Beside::twin;
  std::string json;
};

void print_help() {
  fmt::print(
      "usage: goban bench [NAME ...] [--cells N] [--rounds N] [--threads N] [--json FILE]\n"
      "                   [--alone]  without twins, and without a look at the bits\n");
  for (const auto& b : all_benchmarks()) {
    fmt::print("  {:<14} {} ({}^3)\n", b.name, b.summary, b.cells);
  }
}

void require_benchmark(const std::string& word) {
  std::vector<std::string> names;
  for (const auto& b : all_benchmarks()) names.push_back(b.name);
  require(std::find(names.begin(), names.end(), word) != names.end(), "no benchmark " + word,
          "there are " + joined(names), did_you_mean(nearest_name(word, names)));
}

Request read(int argc, char** argv) {
  Request request;
  auto number = [&](int i) {
    require(i < argc, std::string(argv[i - 1]) + " has no value");
    char* end = nullptr;
    const long long value = std::strtoll(argv[i], &end, 10);
    require(*end == '\0' && value > 0, std::string(argv[i - 1]) + " " + argv[i] + " is refused",
            "a positive number is expected");
    return static_cast<Index>(value);
  };
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help" || word == "-h") {
      print_help();
      std::exit(0);
    } else if (word == "--cells") {
      request.cells = number(++i);
      require(request.cells % 64 == 0, fmt::format("--cells {} is refused", request.cells),
              "twins have no code for rows that end within a line of memory",
              "give a multiple of 64");
    } else if (word == "--rounds") {
      request.rounds = static_cast<int>(number(++i));
    } else if (word == "--threads") {
      request.threads = static_cast<int>(number(++i));
    } else if (word == "--alone") {
      request.beside = Beside::copy;
    } else if (word == "--json") {
      require(i + 1 < argc, "--json has no file");
      request.json = argv[++i];
    } else if (word != "--") {
      require_benchmark(word);
      request.names.push_back(word);
    }
  }
  return request;
}

int run(const Request& request) {
  const int threads = request.threads > 0 ? request.threads : ThreadTeam::usable_cores();
  fmt::print(
      "{}, {} threads, {}; {} rounds of {}; medians\n", inspect_machine().processor, threads,
      target_instructions().name, request.rounds,
      request.beside == Beside::twin ? "copy, goban, twin, goban, twin" : "copy, goban, goban");
  fmt::print("{:<14} {:>8} {:>8} {:>10} {:>10} {:>10} {:>8} {:>6}  {}\n", "kernel", "GLUP/s",
             "best", "of copy", "twin", "of twin", "GB/s", "bytes", "bits");
  nlohmann::ordered_json record;
  bool all_agree = true;
  for (const auto& named : all_benchmarks()) {
    const auto& names = request.names;
    if (!names.empty() && std::find(names.begin(), names.end(), named.name) == names.end())
      continue;
    const Index cells = request.cells > 0 ? request.cells : named.cells;
    const Benchmark benchmark = named.make(cells, threads);
    const bool has_twin = request.beside == Beside::twin && benchmark.twin;
    const bool agrees = !has_twin || benchmark.same_bits();
    all_agree = all_agree && agrees;
    ThreadTeam team(threads);
    const Measured m =
        measure(benchmark, team, request.rounds, has_twin ? Beside::twin : Beside::copy);
    fmt::print("{:<14} {:>8.3g} {:>8.3g} {:>10.3f} {:>10.3f} {:>10.3f} {:>8.1f} {:>6.4g}  {}\n",
               named.name, m.goban_rate * 1e-9, m.best_rate * 1e-9, m.of_copy, m.twin_of_copy,
               m.of_twin, m.copy_bandwidth * 1e-9, benchmark.bytes_per_update,
               !has_twin ? "not looked at"
               : agrees  ? "equal"
                         : "DIFFER");
    if (benchmark.flops_per_update > 0 && has_twin) {
      const double gflops = 1e-9 * benchmark.flops_per_update * m.goban_rate;
      fmt::print("{:<14} {} flops a cell: {:.1f} GFLOP/s of {:.1f} on cells in cache\n", "",
                 benchmark.flops_per_update, gflops, gflops / m.of_twin);
    }
    auto& row = record[named.name];
    row = {{"cells", cells},
           {"updates_per_second", m.goban_rate},
           {"best_updates_per_second", m.best_rate},
           {"of_copy", m.of_copy},
           {"copy_bandwidth", m.copy_bandwidth},
           {"bytes_per_update", benchmark.bytes_per_update},
           {"flops_per_update", benchmark.flops_per_update}};
    if (has_twin) {
      row["twin_of_copy"] = m.twin_of_copy;
      row["of_twin"] = m.of_twin;
      row["same_bits"] = agrees;
    }
  }
  if (!request.json.empty()) write_json(request.json, record);
  return all_agree ? 0 : 1;
}

}  // namespace
}  // namespace goban::benchmarks

int main(int argc, char** argv) {
  try {
    goban::cpu::set_kernel_mode(goban::KernelMode::wait);
    return goban::benchmarks::run(goban::benchmarks::read(argc, argv));
  } catch (const goban::Error& error) {
    fmt::print(stderr, "goban: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
