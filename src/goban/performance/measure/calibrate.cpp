#include "goban/performance/measure/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "goban/backend/gpu_backend.hpp"
#include "goban/base/communicator.hpp"
#include "goban/performance/measure/calibration_sweeps.hpp"
#include "goban/performance/measure/halo_calibration.hpp"
#include "goban/performance/measure/least_squares.hpp"
#include "goban/performance/measure/machine.hpp"
#include "goban/performance/measure/other_load.hpp"
#include "goban/performance/measure/rank_links.hpp"
#include "goban/performance/model/command_cost.hpp"

namespace goban {
namespace {

using Times = std::vector<MessageTime>;

/// Root of the mean of squares of relative deviations.
double deviation(const LinkModel& model, const Times& times) {
  double sum = 0;
  for (const MessageTime& time : times) {
    const double error = seconds_of(model, time.bytes) / time.seconds - 1;
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(times.size()));
}

LinkModel fitted(const Times& times) {
  const RankLink link = fit_link(times);
  return {link.latency, link.bandwidth};
}

double volume(Index3 cells) { return static_cast<double>(product(cells)); }

/// The bytes that a copy in single precision reads and writes.
double bytes_of_copy(Index3 cells) { return 8 * volume(cells); }

class Calibrator {
 public:
  Calibrator(const CalibrationContexts& contexts, const MachineRates& known,
             const CalibrationEffort& effort)
      : meter_(meter(contexts.single, effort)),
        blocked_meter_(meter(contexts.blocked, effort)),
        meter_of_all_(meter(contexts.all, effort)),
        most_bytes_(effort.most_bytes),
        has_deviations_(effort.has_deviations),
        calibration_{known, {}, 0, 0} {
    device().deviations.clear();
    for (SweepMeter* meter : {&meter_, &blocked_meter_, &meter_of_all_}) meter->spreads = &spreads_;
  }

  Calibration run(const std::string& folder) {
    measure_caches();
    measure_memory();
    measure_instructions();
    measure_streams();
    measure_rows();
    measure_halos(device(), meter_, most_bytes_);
    note_halos();
    measure_blocking();
    measure_sums();
    measure_devices();
    if (!folder.empty()) measure_disk(folder);
    if (has_deviations_) measure_deviations();
    const auto middle = spreads_.begin() + std::ssize(spreads_) / 2;
    std::nth_element(spreads_.begin(), middle, spreads_.end());
    calibration_.spread = *middle;
    calibration_.others = others_.processors();
    note("repeats", 100 * calibration_.spread, "% apart");
    note("others", calibration_.others, "processors");
    return std::move(calibration_);
  }

 private:
  static SweepMeter meter(GridContext& context, const CalibrationEffort& effort) {
    return {context, effort.least_seconds, effort.turns, effort.first_steps, nullptr};
  }
  DeviceRates& device() { return calibration_.machine.device; }
  void note(const std::string& what, double value, const std::string& unit, double error = 0) {
    calibration_.notes.push_back({what, value, unit, error});
  }

  /// Seconds of a step of heat conduction.
  double seconds_of_heat(Index3 cells, const BoundarySet& boundary = BoundarySet{constant(0)}) {
    return heat(meter_, cells, Arithmetic::single_precision, boundary).seconds;
  }

  /// Small sweeps: what they take however small they are, and the rate of the fastest cache.
  void measure_caches() {
    Times times;
    const std::vector<Index3> grids =
        device().is_gpu
            ? std::vector<Index3>{{24, 24, 24}, {32, 32, 32}, {48, 48, 48}, {64, 64, 64}}
            : std::vector<Index3>{{64, 8, 8}, {256, 8, 8}, {256, 16, 16}, {256, 24, 24}};
    for (const Index3 cells : grids) {
      times.push_back({bytes_of_copy(cells),
                       device().is_gpu ? seconds_of_heat(cells) : seconds_of_copy(meter_, cells)});
    }
    const LinkModel sweep = fitted(times);
    // Others who compute at the same time may make small sweeps slower than larger ones.
    device().launch = std::min(sweep.latency, times.front().seconds);
    note("launch", device().launch * 1e6, "us", deviation(sweep, times));
    if (device().is_gpu) {
      if (device().levels.size() > 1) measure_level(device().levels.front());
      return;
    }
    device().levels = cache_levels(inspect_machine(), meter_.context.settings().threads);
    for (MemoryLevel& level : device().levels) measure_level(level);
    if (device().levels.empty()) device().levels.push_back({1e6, sweep.bytes_per_second});
    device().levels.push_back({});
  }
  /// The part of a sweep's seconds that is not its launch, at least half of them.
  double beside_launch(double seconds) {
    return std::max(seconds - device().launch, 0.5 * seconds);
  }
  /// Measures a level with data that takes half of it.
  void measure_level(MemoryLevel& level) {
    const double edge = std::sqrt(level.capacity / 2 / 8 / 256);
    const auto n = std::max<Index>(2, static_cast<Index>(edge));
    const Index3 cells{256, n, n};
    const double seconds =
        device().is_gpu ? seconds_of_heat(cells) : seconds_of_copy(meter_, cells);
    level.bandwidth = bytes_of_copy(cells) / beside_launch(seconds);
    note("data of " + std::to_string(static_cast<Index>(bytes_of_copy(cells)) >> 10) + " KiB",
         level.bandwidth * 1e-9, "GB/s");
  }

  void measure_memory() {
    double cached = 0;
    for (const MemoryLevel& level : device().levels) {
      if (std::isfinite(level.capacity)) cached = std::max(cached, level.capacity);
    }
    Times times;
    for (const double factor : {4.0, 6.0, 8.0}) {
      // Not beyond what small machines have.
      const double bytes = std::min(std::max(factor * cached, 64e6), most_bytes_);
      const auto n = static_cast<Index>(std::sqrt(bytes / 8 / 512));
      const Index3 cells{512, n, n};
      if (cells == large_) continue;
      times.push_back({bytes_of_copy(cells), beside_launch(seconds_of_copy(meter_, cells))});
      large_ = cells;
    }
    double bytes = 0, seconds = 0;
    for (const MessageTime& time : times) bytes += time.bytes, seconds += time.seconds;
    device().levels.back().bandwidth = bytes / seconds;
    // What a cache shared with others adds nothing to is none.
    std::erase_if(device().levels, [&](const MemoryLevel& level) {
      return std::isfinite(level.capacity) && level.bandwidth <= bytes / seconds;
    });
    note("memory", bytes / seconds * 1e-9, "GB/s", deviation({0, bytes / seconds}, times));
  }

  double seconds_of_bytes(const SweepOfMany& sweep, double cells) {
    const double bytes = cells * sweep.bytes;
    return bytes / device().bandwidth(bytes);
  }
  /// What `steps` steps of a sweep over many cells take beside so many seconds of bytes.
  double beside(const SweepOfMany& sweep, double updates, Arithmetic kind, double bytes) {
    const auto k = static_cast<std::size_t>(kind);
    const auto seconds = [&](double count, double rate) {
      return rate > 0 ? updates * count / rate : 0;
    };
    return device().beside(
        seconds(sweep.operations, device().operations[k]),
        seconds(sweep.reads, device().reads[k]) + seconds(sweep.moves, device().moves[k]), bytes);
  }
  /// What a step of a sweep over many cells is predicted to take by what has been measured so far.
  double model_of(const SweepOfMany& sweep, Index3 cells, Arithmetic kind) {
    const double bytes = seconds_of_bytes(sweep, volume(cells));
    return device().launch + bytes + beside(sweep, volume(cells), kind, bytes);
  }

  /// Sweeps of many operations and of many reads, in single precision or double.
  struct SweepOfCells {
    SweepOfMany sweep;
    Index3 cells{};
  };
  struct Kind {
    Arithmetic kind;
    std::vector<SweepOfCells> sweeps;
  };
  /// What instructions take and how far they do so beside bytes. On CPUs in cache, where they are
  /// not hidden behind the memory, and from memory.
  void measure_instructions() {
    const Index3 cells = device().is_gpu ? large_ : cells_in_cache();
    std::vector<Kind> all;
    for (const Arithmetic kind : {Arithmetic::single_precision, Arithmetic::double_precision}) {
      const BoundarySet boundary{constant(0)};
      const auto [few, many] = products(meter_, cells, kind);
      all.push_back({kind,
                     {{few, cells},
                      {many, cells},
                      {star(meter_, cells, kind, boundary), cells},
                      {mean_of_box(meter_, cells, kind), cells},
                      {heat(meter_, cells, kind, boundary), cells}}});
      if (cells == large_) continue;
      all.back().sweeps.push_back({star(meter_, large_, kind, boundary), large_});
      all.back().sweeps.push_back({heat(meter_, large_, kind, boundary), large_});
    }
    const SweepOfMany count = count_of_integers(meter_, cells, BoundarySet{constant(0)});
    double best = 0, least = 0;
    for (const double exponent : {1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0}) {
      const double error = fit_instructions(all, exponent);
      if (best == 0 || error < least) best = exponent, least = error;
    }
    fit_instructions(all, best);
    const double bytes = seconds_of_bytes(count, volume(cells));
    const double rest = std::pow(beside_launch(count.seconds), best) - std::pow(bytes, best);
    const double integers = std::pow(std::max(rest, 0.0), 1 / best);
    device().operations[2] =
        volume(cells) * count.operations / std::max(integers, 0.02 * count.seconds);
    device().reads[2] = device().moves[2] = 0;  // part of the operations
    note("single precision", device().operations[0] * 1e-9, "Gop/s");
    note("double precision", device().operations[1] * 1e-9, "Gop/s");
    note("integer", device().operations[2] * 1e-9, "Gop/s");
    note("reads, single", device().reads[0] * 1e-9, "G/s");
    note("reads, double", device().reads[1] * 1e-9, "G/s");
    note("moves, single", device().moves[0] * 1e-9, "G/s");
    note("moves, double", device().moves[1] * 1e-9, "G/s");
    note("overlap exponent", best, "", std::sqrt(least));
  }
  /// Rates for an exponent, of all sweeps together; the mean of squared relative errors they leave.
  double fit_instructions(const std::vector<Kind>& all, double exponent) {
    device().overlap_exponent = exponent;
    double errors = 0, count = 0;
    for (const Kind& one : all) {
      std::vector<MeasuredInstructions> measured;
      for (const auto& [sweep, cells] : one.sweeps) {
        measured.push_back({{sweep.operations, sweep.reads, sweep.moves},
                            seconds_of_bytes(sweep, volume(cells)) / volume(cells),
                            beside_launch(sweep.seconds) / volume(cells)});
      }
      const InstructionSeconds seconds = fit(measured, exponent, device().is_gpu);
      const auto k = static_cast<std::size_t>(one.kind);
      const auto rate = [](double of_one) { return of_one > 0 ? 1 / of_one : 0; };
      constexpr double most = 1e18;  // operations have a rate
      device().operations[k] = seconds[0] > 0 ? rate(seconds[0]) : most;
      device().reads[k] = rate(seconds[1]);
      device().moves[k] = rate(seconds[2]);
      for (const auto& [sweep, cells] : one.sweeps) {
        errors += std::pow(model_of(sweep, cells, one.kind) / sweep.seconds - 1, 2);
        ++count;
      }
    }
    return errors / count;
  }
  /// What values of many fields take from and to memory.
  void measure_streams() {
    device().streams = 0;
    if (!device().is_gpu) return;
    const double edge = std::cbrt(std::min(most_bytes_, 4 * volume(large_) * 8) / 152);
    const auto n = static_cast<Index>(edge) / 32 * 32;
    if (n == 0) return;
    const SweepOfMany sweep = moving_fields(meter_, {n, n, n});
    const double rest = sweep.seconds - model_of(sweep, {n, n, n}, Arithmetic::single_precision);
    const double values = volume({n, n, n}) * (sweep.moves - 2);
    if (rest > 0.01 * sweep.seconds) device().streams = values / rest;
    note("values of many fields", device().streams * 1e-9, "G/s");
  }
  /// The cells of two fields of double precision that take half of the largest cache: small grids
  /// are over before threads are under way.
  Index3 cells_in_cache() {
    const double cells = (device().levels.end() - 2)->capacity / 2 / 16;
    const double n = std::sqrt(std::min(cells, 4e6) / 256 / 2);
    return {256, std::max<Index>(4, static_cast<Index>(2 * n)),
            std::max<Index>(4, static_cast<Index>(n))};
  }

  /// Many short rows against few long ones.
  void measure_rows() {
    if (device().is_gpu) return;
    const Index3 longs{1024, 8, 8}, shorts{16, 64, 64};
    const double more = seconds_of_copy(meter_, shorts) - seconds_of_copy(meter_, longs);
    device().row = std::max(0.0, more / (64 * 64 - 8 * 8));
    note("a row", device().row * 1e9, "ns");
  }

  void note_halos() {
    note("halos at rows' ends", device().gather * 1e9, "ns a value");
    note("halos in rows", device().gather_in_rows * 1e9, "ns a value");
    note("sends at rows' ends", device().end_sends * 1e9, "ns a value");
    note("sends of planes", device().plane_sends * 1e9, "ns a value");
    note("a row's end", device().gather_row * 1e9, "ns");
    note("sends of bytes", device().byte_sends * 1e9, "ns a value");
    note("sends of doubles", device().double_sends * 1e9, "ns a value");
  }

  double seconds_of_pass(Index3 cells, const BoundarySet& boundary = BoundarySet{constant(0)}) {
    return 4 * heat(blocked_meter_, cells, Arithmetic::single_precision, boundary).seconds;
  }
  void measure_blocking() {
    constexpr int steps = 4;
    device().blocking_efficiency = 1;
    device().pass_step = 0;
    if (device().is_gpu) {
      const auto all = gpu_backend().gpus();
      device().multiprocessors = all.empty() ? 1 : all.front().multiprocessors;
      double seconds = 0;
      const std::array<Index3, 3> grids{{{64, 64, 64}, {192, 192, 192}, large_}};
      for (const Index3 cells : grids) {
        seconds += beside_launch(seconds_of_pass(cells)) / steps /
                   planes_of_pass(cells, 4, steps, device().multiprocessors) / grids.size();
      }
      device().pass_plane = seconds;
      note("a plane of a pass", seconds * 1e6, "us");
      return;
    }
    // Their ghosts are made step by step, as those of most programs.
    const SweepOfMany sweep = heat(blocked_meter_, large_, Arithmetic::single_precision, mirror);
    const double cells = volume(large_);
    const double bytes =
        cells * sweep.bytes *
        (1 / device().memory_bandwidth() + steps / device().levels.front().bandwidth);
    double ghosts = 0;
    for (const std::size_t axis : {0, 1, 2}) {
      const double of_value =
          (axis == 0 ? device().gather + device().gather_row : 0) + 8 / device().memory_bandwidth();
      ghosts += steps * 2 * cells / static_cast<double>(large_[axis]) * of_value;
    }
    const double model = bytes + beside(sweep, steps * cells, Arithmetic::single_precision, bytes);
    device().blocking_efficiency =
        std::clamp(model / std::max(steps * sweep.seconds - ghosts, 0.1 * model), 0.05, 2.0);
    note("passes", device().blocking_efficiency, "of the model");
    device().pass_step = seconds_of_pass({16, 16, 16}, mirror) / steps;
    note("a step of a pass", device().pass_step * 1e6, "us");
  }

  /// What sums take until they are known, and what loops and runs of stages take to begin on a
  /// device.
  void measure_sums() {
    MachineRates& machine = calibration_.machine;
    const double launch = device().launch;
    machine.reduction = std::max(0.0, seconds_of_sum(meter_, {64, 8, 8}) - launch);
    machine.loop_reduction = machine.reduction;
    machine.run = machine.loop = machine.loop_round = 0;
    machine.scalar = machine.clock = 0;
    note("a sum", machine.reduction * 1e6, "us");
    if (!device().is_gpu) return;
    const Index3 cells{32, 32, 32};
    const double one = seconds_of_runs(meter_, cells, 1, Sums::none);
    const double three = seconds_of_runs(meter_, cells, 3, Sums::none);
    machine.run = std::max(0.0, ((three - one) / 2 - 3 * launch) / 2);
    machine.reduction = std::max(0.0, seconds_of_runs(meter_, cells, 1, Sums::one) - one - launch);
    // Long loops say what a round takes, one of a single round what it takes until it has begun.
    constexpr int few = 32, many = 128, more = 8;  // rounds, sweeps of a round
    const auto round = [&](const Round& what) {
      const double seconds = seconds_of_rounds(meter_, cells, many, what) -
                             seconds_of_rounds(meter_, cells, few, what);
      return std::max(0.0, seconds / (many - few));
    };
    const Round least;
    const double shortest = round(least);
    const auto more_than_shortest = [&](const Round& what, int times) {
      return std::max(0.0, (round(what) - shortest) / times);
    };
    const double sweep = more_than_shortest({more, 1, 0}, more - least.sweeps);
    machine.loop_reduction = more_than_shortest({2, 3, 0}, 2);
    machine.scalar = more_than_shortest({2, 1, 4}, 4);
    machine.loop_round =
        std::max(0.0, shortest - least.sweeps * sweep - machine.loop_reduction - machine.scalar);
    machine.loop = std::max(0.0, seconds_of_rounds(meter_, cells, 1, least) - shortest);
    machine.clock = std::max(0.0, seconds_of_time_steps(meter_, cells, TimeStep::computed) -
                                      seconds_of_time_steps(meter_, cells, TimeStep::fixed));
    note("a run of stages", machine.run * 1e6, "us");
    note("a sum for the host", machine.reduction * 1e6, "us");
    note("a sum on the device", machine.loop_reduction * 1e6, "us");
    note("numbers of a stage", machine.scalar * 1e6, "us");
    note("a round of a loop", machine.loop_round * 1e6, "us");
    note("a loop", machine.loop * 1e6, "us");
    note("a computed time step", machine.clock * 1e6, "us");
  }

  /// Measures what lies between devices of this process: how much longer steps of two take than
  /// those of one.
  void measure_devices() {
    if (device().is_gpu) {
      const GpuSpeed speed =
          gpu_backend().measure(std::max(0, meter_.context.settings().devices.front()));
      if (speed.to_host > 0) calibration_.machine.host_copy = {4e-6, speed.to_host};
      note("to the host", speed.to_host * 1e-9, "GB/s");
    }
    const auto devices = static_cast<Index>(meter_of_all_.context.settings().devices.size());
    if (devices < 2) return;
    Times times;
    const auto single = Arithmetic::single_precision;
    const auto compare = [&](auto&& seconds, Index edge, double planes) {
      const Index3 one{edge, edge, edge}, all{edge, edge, devices * edge};
      if (edge > 64 && bytes_of_copy(one) > most_bytes_) return;
      const double faces = devices > 2 ? 2 : 1;
      const double values = faces * planes * static_cast<double>(edge * edge);
      // What stores into a device's own halos would take is no matter of the link.
      const double own = values * (device().plane_sends + 2 * 4 / device().memory_bandwidth());
      const double more = seconds(meter_of_all_, all) - seconds(meter_, one) - own;
      times.push_back({4 * values, std::max(1e-7, more)});
    };
    for (const Index edge : {32, 64, 128, 256, 512}) {
      compare(
          [&](const SweepMeter& meter, Index3 cells) {
            return heat(meter, cells, single, BoundarySet{constant(0)}).seconds;
          },
          edge, 1);
    }
    for (const Index edge : {64, 128, 256}) {
      compare(
          [&](const SweepMeter& meter, Index3 cells) {
            return star(meter, cells, single, BoundarySet{constant(0)}).seconds;
          },
          edge, 4);
    }
    LinkModel& link = calibration_.machine.process;
    link = fitted(times);
    note("between devices", link.bytes_per_second * 1e-9, "GB/s", deviation(link, times));
    note("devices wait", link.latency * 1e6, "us");
  }

  /// How far sweeps of many kinds and sizes are from what the rates say, and so are passes.
  void measure_deviations() {
    const BoundarySet constant_ghosts{constant(0)};
    std::vector<Deviation> found;
    double squares = 0;
    const auto measure = [&](SweepMeter meter, const SweepOfKind& kind, Index edge,
                             const BoundarySet& boundary) {
      const Index3 cells{edge, edge, edge};
      if (kind.bytes_per_cell * volume(cells) > most_bytes_) return;
      meter.least_seconds = std::min(meter.least_seconds, 2e-3);
      meter.turns = std::min(meter.turns, 4);
      if (!device().is_gpu) meter.first_steps = std::min<Index>(meter.first_steps, 4);
      meter.machine = &calibration_.machine;
      const SweepOfMany sweep = kind.measure(meter, cells, boundary);
      if (sweep.predicted <= sweep.halo) return;
      const double seconds = std::max(sweep.seconds - sweep.halo, 0.2 * sweep.seconds);
      found.push_back({sweep.features, seconds / (sweep.predicted - sweep.halo)});
      squares += std::pow(sweep.predicted / sweep.seconds - 1, 2);
    };
    const std::vector<Index> edges =
        device().is_gpu ? std::vector<Index>{16, 32, 56, 88, 112, 144, 176, 224, 272, 352}
                        : std::vector<Index>{16, 32, 48, 72, 112, 176};
    const std::vector<Index> edges_of_passes =
        device().is_gpu ? std::vector<Index>{48, 80, 112, 144, 192, 272, 336, 400} : edges;
    for (const SweepOfKind& kind : sweeps_of_many_kinds()) {
      for (const Index edge : edges) measure(meter_, kind, edge, constant_ghosts);
      if (device().is_gpu && !kind.is_of_passes) continue;
      // Ghosts of CPUs are made step by step, as those of most programs. On GPUs constant ones make
      // ends of tiles slower, others are sent.
      const BoundarySet ghosts{device().is_gpu ? periodic : mirror};
      for (const Index edge : edges_of_passes) {
        if (device().is_gpu) measure(blocked_meter_, kind, edge, constant_ghosts);
        measure(blocked_meter_, kind, edge, ghosts);
      }
    }
    const auto count = static_cast<double>(found.size());
    device().deviations = std::move(found);
    note("sweeps of many kinds", count, "", std::sqrt(squares / std::max(1.0, count)));
  }

  void measure_disk(const std::string& folder) {
    Times times;
    const std::filesystem::path path = std::filesystem::path(folder) / "goban-calibration.tmp";
    for (const std::size_t bytes :
         {std::size_t{1} << 12, std::size_t{1} << 22, std::size_t{1} << 26}) {
      times.push_back({static_cast<double>(bytes), seconds_to_write(path, bytes)});
    }
    std::filesystem::remove(path);
    LinkModel& disk = calibration_.machine.disk;
    disk = fitted(times);
    note("files", disk.bytes_per_second * 1e-9, "GB/s", deviation(disk, times));
  }

  SweepMeter meter_, blocked_meter_, meter_of_all_;
  double most_bytes_;
  bool has_deviations_;
  Calibration calibration_;
  Index3 large_{};  ///< cells of a grid that no cache holds
  OtherLoad others_;
  std::vector<double> spreads_;
};

}  // namespace

Calibration calibrate(const CalibrationContexts& contexts, const MachineRates& known,
                      const std::string& folder, const CalibrationEffort& effort) {
  return Calibrator(contexts, known, effort).run(folder);
}

void calibrate_ranks(Calibration& calibration, Communicator& ranks) {
  for (const RankLink& link : measure_rank_links(ranks)) {
    const auto& nodes = ranks.nodes();
    const bool is_near =
        nodes[static_cast<std::size_t>(link.from)] == nodes[static_cast<std::size_t>(link.to)];
    (is_near ? calibration.machine.node : calibration.machine.network) = {link.latency,
                                                                          link.bandwidth};
    const std::string between = is_near ? "ranks of a node" : "nodes";
    calibration.notes.push_back({between, link.bandwidth * 1e-9, "GB/s"});
    calibration.notes.push_back({"a message", link.latency * 1e6, "us"});
  }
}

}  // namespace goban
