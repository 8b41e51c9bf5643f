#pragma once
// Small simulations with a bit of everything, in a directory of their own.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "goban/goban.hpp"
#include "tests/scratch_folder.hpp"

namespace goban {

namespace fs = std::filesystem;

/// Diffusion with a source of noise: shows whether random numbers go on where they stopped.
struct Simmer {
  GOBAN_FUNCTION void operator()(auto site, auto dt, auto u, auto next) const {
    const auto sum = u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) + u(0, 0, -1);
    const auto noise = site.template random<float>() - 0.5f;
    next = u() + dt() * (sum - 6.0f * u() + noise);
  }
};

struct Magnitude {
  GOBAN_FUNCTION auto operator()(auto u) const { return abs(u()); }
};

struct Square {
  GOBAN_FUNCTION void operator()(auto u, auto square) const { square = u() * u(); }
};

/// What a test wants of a run.
struct SmallRunOptions {
  Index steps = 20;
  double end = std::numeric_limits<double>::infinity();
  Settings settings = {};
  fs::path directory = {};
  Restart restart = {};
  bool adaptive = false;  ///< dt follows from the field; schedules are in time
  double stop_below = 0;  ///< of the largest magnitude, looked at every 7 steps; 0: never
  bool outputs = true;
  When checkpoints = every(9);
  std::vector<std::pair<std::string, std::string>> case_values = {};
  bool allow_changes = false;
  CheckpointPolicy policy = {};
  FileTrouble file_trouble = FileTrouble::stop;
};

class SmallRun {
 public:
  explicit SmallRun(const SmallRunOptions& options)
      : runtime_(options.settings),
        grid_(runtime_, {.cells = {19, 12, 9}, .spacing = 0.5, .boundary = periodic}),
        u_(grid_, "u"),
        next_(grid_, "next"),
        square_(grid_, "square"),
        dt_("dt", 0.02f),
        peak_("peak", 0.0),
        seen_("seen", 0.0),
        simulation_(grid_, step(options.adaptive), simulation_options(options, dt_)) {
    u_.fill([](Index3 i) { return std::sin(0.3 * static_cast<double>(i[0] + 2 * i[1] * i[2])); });
    Program look("look");
    look.reduce(Magnitude{}, in(u_), maximum, into(seen_));
    if (options.stop_below > 0) simulation_.stop_when(seen_ < options.stop_below, 7, look);
    Program show("show");
    show.apply(Square{}, in(u_), out(square_));
    simulation_.derive(show);
    simulation_.checkpoint(options.checkpoints, options.policy);
    if (options.outputs) add_outputs(options.adaptive);
  }

  Simulation& simulation() { return simulation_; }
  Field<float>& u() { return u_; }
  Parameter<float>& dt() { return dt_; }
  Grid& grid() { return grid_; }

 private:
  Program step(bool adaptive) {
    Program program("simmer");
    if (adaptive) {
      program.reduce(Magnitude{}, in(u_), maximum, into(peak_));
      program.compute(
          [](double peak, float& dt) { dt = static_cast<float>(0.5 * dt + 0.025 / (1 + peak)); },
          in(peak_), inout(dt_));
    }
    program.apply(Simmer{}, site, param(dt_), in(u_), out(next_));
    program.swap(u_, next_);
    return program;
  }
  static SimulationOptions simulation_options(const SmallRunOptions& wanted,
                                              const Parameter<float>& dt) {
    SimulationOptions options;
    options.steps = wanted.steps;
    options.end = wanted.end;
    if (wanted.adaptive) {
      options.dt = dt;
    } else {
      options.dt = 0.02;
    }
    options.directory = wanted.directory;
    options.restart = wanted.restart;
    options.measure_bandwidth = false;
    options.case_text = "app = \"simmer\"\n";
    options.case_values = wanted.case_values;
    options.allow_changes = wanted.allow_changes;
    options.file_trouble = wanted.file_trouble;
    return options;
  }
  void add_outputs(bool in_time) {
    const auto often = [&](Index steps) {
      return in_time ? When(every_time(0.02 * static_cast<double>(steps))) : When(every(steps));
    };
    simulation_.output({{u_, "K"}, square_}, often(5) | at_end())
        .picture(u_, {.axis = Axis::y, .pixels_per_cell = 2}, often(6))
        .picture(square_, {.pixels_per_cell = 2}, at_end())
        .series("norms", {sum_of(u_), maximum_of(square_), dt_, seen_}, often(2) | at_end())
        .probe({u_}, {{0.1, 0.1, 0.1}, {9.4, 3, 2}}, often(3))
        .statistics(u_, often(2), 0.05)
        .averages("planes", {{u_, "K"}, square_},
                  {.axis = Axis::y, .covariances = {{"u", "square"}}, .from = 0.05}, often(3));
  }

  Runtime runtime_;
  Grid grid_;
  Field<float> u_, next_, square_;
  Parameter<float> dt_;
  Parameter<double> peak_, seen_;
  Simulation simulation_;
};

/// Runs in a folder of their own; in memory, for fsync takes long.
class SmallRuns : public ::testing::Test {
 protected:
  static std::string content_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static nlohmann::json summary_of(const fs::path& directory) {
    return nlohmann::json::parse(content_of(directory / "summary.json"));
  }
  /// Its first line; the second tells who wrote it.
  static std::string status_of(const fs::path& directory) {
    std::ifstream in(directory / "STATUS");
    std::string line;
    std::getline(in, line);
    return line;
  }
  /// Name and content of all output files; not what tells of the process: summary, status, record.
  static std::map<std::string, std::string> outputs_in(const fs::path& directory) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(directory)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file() || name == "summary.json" || name == "STATUS" ||
          name == "run.toml" || name.starts_with(".")) {
        continue;
      }
      files[name] = content_of(entry.path());
    }
    return files;
  }
  static void expect_same_outputs(const fs::path& expected, const fs::path& actual) {
    const auto one = outputs_in(expected), two = outputs_in(actual);
    for (const auto& [name, content] : one) {
      const auto other = two.find(name);
      if (other == two.end()) {
        ADD_FAILURE() << name << " is missing";
      } else if (name.ends_with(".csv")) {
        EXPECT_EQ(other->second, content) << name;
      } else {
        EXPECT_TRUE(other->second == content) << name << " differs";
      }
    }
    for (const auto& [name, content] : two) {
      EXPECT_TRUE(one.count(name) > 0) << name << " should not be there";
    }
    EXPECT_EQ(summary_of(expected)["checksum"], summary_of(actual)["checksum"]);
  }

  const test::ScratchFolder folder_{test::ScratchPlace::memory};
  const fs::path& root_ = folder_.path();
};

}  // namespace goban
