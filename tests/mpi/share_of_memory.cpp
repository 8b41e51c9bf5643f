// A run with everything that gathers values on the way to files, or elastic waves in rock that
// comes from files: no rank ever has more memory than its share of the fields, a little for halos,
// and some buffers.
//   share_of_memory fields|statistics|rock

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

#include "goban/base/agreement.hpp"
#include "goban/domain/ranks/mpi_loader.hpp"
#include "goban/goban.hpp"
#include "goban/io/case/read.hpp"
#include "goban/io/file/file.hpp"
#include "goban/io/file/npy.hpp"
#include "goban/io/image/image_source.hpp"
#include "goban/simulation/application/application.hpp"

namespace goban {
const Application& seismic_application();
}

namespace {

using namespace goban;

constexpr double allowed = 1.3;             // times the share
constexpr Index buffers = Index{64} << 20;  // of the run, files and MPI
constexpr Index statistics_per_cell = 32;   // bytes

Index peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return Index{1024} * usage.ru_maxrss;
}

struct Smooth {
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = u() + 0.1f * (u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) +
                         u(0, 0, -1) - 6.0f * u());
  }
};

/// An image file whose values say where they are.
void write_image(const std::filesystem::path& path, Index3 extents) {
  write_npy(path, ElementType::uint8, extents, 1, [&](const Box& box, void* values) {
    auto* value = static_cast<std::uint8_t*>(values);
    for (Index z = box.lower[2]; z < box.upper[2]; ++z) {
      for (Index y = box.lower[1]; y < box.upper[1]; ++y) {
        for (Index x = box.lower[0]; x < box.upper[0]; ++x) {
          *value++ = static_cast<std::uint8_t>(x + 3 * y + 7 * z);
        }
      }
    }
  });
}

struct Run {
  Index cells_along;  ///< large enough that all of it on one rank would show
  Index bytes;        ///< of a cell
};
Run run_named(const std::string& name) {
  constexpr Index real = sizeof(float);
  if (name == "statistics") return {192, 2 * real + statistics_per_cell};
  if (name == "rock") return {176, 12 * real};
  return {320, 2 * real};
}

template <class Work>
void on_first(Communicator& ranks, Work&& work) {
  agree(ranks, [&] {
    if (ranks.rank() == 0) work();
  });
}

/// Granite that becomes denser with depth; what checkpoints take is looked at in run().
void run_in_rock(Communicator& ranks, const std::filesystem::path& folder, Index n) {
  std::string text = fmt::format(
      "app = \"seismic\"\n[grid]\ncells = [{0}, {0}, {0}]\n[time]\nsteps = 2\n[checkpoint]\nat_end "
      "= false\n"
      "[medium]\n",
      n);
  on_first(ranks, [&] { std::filesystem::create_directories(folder); });
  for (const auto& [name, value] : {std::pair("vp", 6000), {"vs", 3000}, {"density", 2000}}) {
    const auto file = folder / (std::string(name) + ".npy");
    on_first(ranks, [&] {
      write_npy(file, ElementType::float32, {n, n, n}, 1, [&](const Box& box, void* values) {
        auto* to = static_cast<float*>(values);
        for (Index z = box.lower[2]; z < box.upper[2]; ++z) {
          to = std::fill_n(to, box.extent(0) * box.extent(1), static_cast<float>(value + z));
        }
      });
    });
    text += fmt::format("{} = \"{}\"\n", name, file.string());
  }
  CaseSchema schema;
  seismic_application().declare(schema);
  Settings settings;
  settings.threads = 1;
  Runtime runtime(settings);
  const auto setup = seismic_application().setup(parse_case(schema, text, "rock.toml"), runtime);
  setup->simulation().options().directory = folder / "run";
  setup->simulation().options().measure_bandwidth = false;
  setup->simulation().run();
}

void run(Communicator& ranks, const std::filesystem::path& folder, Index n, bool with_statistics) {
  const Index3 extents{n, n, n};
  on_first(ranks, [&] {
    std::filesystem::create_directories(folder);
    write_image(folder / "image.npy", extents);
  });
  Settings settings;
  settings.threads = 1;
  Runtime runtime(settings);
  Grid grid(runtime, {.cells = extents});
  Field<float> u(grid, "u"), next(grid, "next");
  ImageWindow image(open_image(folder / "image.npy", {.extents = extents}));
  u.fill([&](Index3 cell) { return image.at(cell); }, image.prepare());
  Program step("smooth");
  step.apply(Smooth{}, in(u), out(next));
  step.swap(u, next);
  SimulationOptions options{.steps = 4, .directory = folder / "run"};
  options.measure_bandwidth = false;
  Simulation simulation(grid, step, options);
  simulation.output({u}, at_end()).picture(u, {}, at_end()).checkpoint(every(3));
  if (with_statistics) simulation.statistics(u, every(2));
  simulation.run();
}

}  // namespace

int main(int argc, char** argv) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::puts("sanitizers have memory of their own");
  return 77;
#endif
  const auto world = world_communicator();
  const std::string name = argc > 1 ? argv[1] : "fields";
  const auto [n, per_cell] = run_named(name);
  std::array<std::int64_t, 1> who{::getpid()};
  world->minimum(who);
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("goban_share_{}", who[0]);
  const Index before = peak_memory();
  if (name == "rock") {
    run_in_rock(*world, folder, n);
  } else {
    run(*world, folder, n, name == "statistics");
  }
  if (world->rank() == 0) std::filesystem::remove_all(folder);

  const Index share = n * n * n * per_cell / world->size();
  const Index taken = peak_memory() - before;
  const bool is_too_much =
      static_cast<double>(taken) > allowed * static_cast<double>(share) + buffers;
  std::printf("rank %d: %s taken, %s is its share%s\n", world->rank(), byte_text(taken).c_str(),
              byte_text(share).c_str(), is_too_much ? ": too much" : "");
  std::fflush(nullptr);
  std::array<std::int64_t, 1> failed{is_too_much};
  world->maximum(failed);
  return static_cast<int>(failed[0]);
}
