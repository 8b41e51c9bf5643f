#include "goban/performance/measure/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "goban/base/communicator.hpp"
#include "goban/performance/measure/calibration_sweeps.hpp"
#include "goban/performance/measure/gpus.hpp"
#include "goban/performance/measure/machine.hpp"
#include "goban/performance/measure/rank_links.hpp"

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

/// Of a copy of single precision, bytes read and written.
double bytes_of_copy(Index3 cells) { return 8 * volume(cells); }

class Calibrator {
 public:
  Calibrator(GridContext& single, GridContext& blocked, const MachineRates& known,
             const CalibrationEffort& effort)
      : single_(single),
        meter_{single, effort.least_seconds},
        blocked_meter_{blocked, effort.least_seconds},
        most_bytes_(effort.most_bytes),
        calibration_{known, {}} {}

  Calibration run(const std::string& folder) {
    measure_caches();
    measure_memory();
    measure_operations();
    measure_rows();
    measure_halos();
    measure_blocking();
    measure_reduction();
    measure_devices();
    measure_disk(folder);
    return std::move(calibration_);
  }

 private:
  DeviceRates& device() { return calibration_.machine.device; }
  void note(const std::string& what, double value, const std::string& unit, double error = 0) {
    calibration_.notes.push_back({what, value, unit, error});
  }

  /// Small sweeps: what they take however small they are, and the rate of the fastest cache.
  void measure_caches() {
    Times times;
    for (const Index edge : {2, 4, 8, 12, 16}) {
      const Index3 cells{256, edge, edge};
      times.push_back({bytes_of_copy(cells), seconds_of_copy(meter_, cells)});
    }
    const LinkModel sweep = fitted(times);
    device().launch = sweep.latency;
    note("launch", sweep.latency * 1e6, "us", deviation(sweep, times));
    if (device().is_gpu) {
      if (device().levels.size() > 1) measure_level(device().levels.front());
      return;
    }
    device().levels = cache_levels(inspect_machine(), single_.settings().threads);
    for (MemoryLevel& level : device().levels) measure_level(level);
    if (device().levels.empty()) device().levels.push_back({1e6, sweep.bytes_per_second});
    device().levels.push_back({});
  }
  /// Of data that takes half of it.
  void measure_level(MemoryLevel& level) {
    const double edge = std::sqrt(level.capacity / 2 / 8 / 256);
    const auto n = std::max<Index>(2, static_cast<Index>(edge));
    const Index3 cells{256, n, n};
    const double seconds = seconds_of_copy(meter_, cells) - device().launch;
    level.bandwidth = bytes_of_copy(cells) / std::max(1e-9, seconds);
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
      times.push_back({bytes_of_copy(cells), seconds_of_copy(meter_, cells) - device().launch});
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

  /// What a step of a sweep over many cells is predicted to take by what has been measured so far.
  double model_of(const SweepOfMany& sweep, Index3 cells, Arithmetic kind) {
    const auto k = static_cast<std::size_t>(kind);
    const double bytes = volume(cells) * sweep.bytes;
    const double bytes_alone = bytes / device().bandwidth(bytes);
    double operations = 0;
    if (device().operations[k] > 0) {
      operations += volume(cells) * sweep.operations / device().operations[k];
    }
    if (device().reads[k] > 0) operations += volume(cells) * sweep.reads / device().reads[k];
    return device().launch + bytes_alone + device().beside(operations, bytes_alone);
  }
  /// A second, of so many that the model does not know yet, beside all that it knows; 0 if they
  /// take too little to be seen.
  double rate_of_rest(const SweepOfMany& sweep, Index3 cells, Arithmetic kind, double number) {
    constexpr double least = 0.02;
    if (sweep.seconds - model_of(sweep, cells, kind) < least * sweep.seconds) return 0;
    const double p = device().overlap_exponent;
    const auto k = static_cast<std::size_t>(kind);
    const double bytes = volume(cells) * sweep.bytes;
    double rest = std::pow(std::pow(sweep.seconds - device().launch, p) -
                               std::pow(bytes / device().bandwidth(bytes), p),
                           1 / p);
    if (device().operations[k] > 0) {
      rest -= volume(cells) * sweep.operations / device().operations[k];
    }
    return volume(cells) * number / rest;
  }

  /// What operations take beside bytes, of many on each value, and what values of cells around take
  /// beside both. On CPUs in cache, where they are not hidden behind the memory.
  void measure_operations() {
    const Index3 cells = device().is_gpu ? large_ : cells_in_cache();
    device().operations = device().reads = {};
    const auto measure = [&](Arithmetic kind, const SweepOfMany& products,
                             const SweepOfMany& star) {
      constexpr double at_least = 0.02;
      const auto k = static_cast<std::size_t>(kind);
      device().operations[k] = rate_of_rest(products, cells, kind, products.operations);
      if (device().operations[k] == 0) {
        device().operations[k] =
            volume(cells) * products.operations / (at_least * products.seconds);
      }
      if (star.reads > 0) device().reads[k] = rate_of_rest(star, cells, kind, star.reads);
    };
    SweepOfMany count = count_of_integers(meter_, cells);
    count.reads = 0;  // part of the operations
    measure(Arithmetic::single_precision, products_in_single_precision(meter_, cells),
            star_in_single_precision(meter_, cells));
    measure(Arithmetic::double_precision, products_in_double_precision(meter_, cells),
            star_in_double_precision(meter_, cells));
    measure(Arithmetic::integer, count, {});
    note("single precision", device().operations[0] * 1e-9, "Gop/s");
    note("double precision", device().operations[1] * 1e-9, "Gop/s");
    note("integer", device().operations[2] * 1e-9, "Gop/s");
    note("reads, single", device().reads[0] * 1e-9, "G/s");
    note("reads, double", device().reads[1] * 1e-9, "G/s");
  }
  /// Two fields of double precision take half of the fastest cache.
  Index3 cells_in_cache() {
    const double cells = device().levels.front().capacity / 2 / 16;
    const auto n = static_cast<Index>(std::sqrt(std::min(cells, 1e6) / 256));
    return {256, std::max<Index>(4, n), std::max<Index>(4, n)};
  }

  /// Many short rows against few long ones.
  void measure_rows() {
    if (device().is_gpu) return;
    const Index3 longs{1024, 8, 8}, shorts{16, 64, 64};
    const double rest = seconds_of_copy(meter_, longs) - device().launch;
    const double more = seconds_of_copy(meter_, shorts) - device().launch;
    device().row_loss = std::clamp((more / rest - 1) / (1.0 / 16 - 1.0 / 1024), 0.0, 1000.0);
    note("a row", device().row_loss, "cells");
  }

  /// What halos along an axis take that are filled from cells beside them.
  void measure_halos() {
    device().fill = 0;
    for (const Axis axis : all_axes) {
      Times times;
      for (const Index n : {48, 96, 160}) {
        const Index3 cells{n, n, n};
        const double seconds =
            seconds_with_mirrors(meter_, cells, axis) - seconds_with_mirrors(meter_, cells, {});
        const double values = 2.0 * static_cast<double>(n * n);
        const double bytes = 2 * 4 * values / device().memory_bandwidth();
        times.push_back({values, std::max(1e-9, seconds - bytes)});
      }
      const LinkModel halo = fitted(times);
      const std::size_t a = index_of(axis);
      device().gather[a] = 1 / halo.bytes_per_second;
      device().fill += halo.latency / 3;
      note(std::string("halos along ") + "xyz"[a], device().gather[a] * 1e9, "ns a value",
           deviation(halo, times));
    }
    note("a fill of halos", device().fill * 1e6, "us");
  }

  void measure_blocking() {
    const SweepOfMany pass = passes_of_four(blocked_meter_, large_);
    const double cells = volume(large_), updates = 4 * cells;
    SweepOfMany inner = pass;
    inner.bytes = 0;
    if (device().is_gpu) inner.reads = 0;  // in registers
    double model = device().launch + cells * pass.bytes / device().memory_bandwidth() +
                   4 * (model_of(inner, large_, Arithmetic::single_precision) - device().launch);
    if (!device().is_gpu) model += updates * pass.bytes / device().levels.front().bandwidth;
    device().blocking_efficiency = std::clamp(model / (4 * pass.seconds), 0.05, 2.0);
    note("passes", device().blocking_efficiency, "of the model");
    const Index3 few{64, 64, 64};
    device().least_pass = 4 * passes_of_four(blocked_meter_, few).seconds;
    note("a small pass", device().least_pass * 1e6, "us");
  }

  void measure_reduction() {
    const Index3 cells{64, 8, 8};
    calibration_.machine.reduction = std::max(0.0, seconds_of_sum(meter_, cells) - device().launch);
    note("reduction", calibration_.machine.reduction * 1e6, "us");
  }

  /// Between devices of this process: what steps of two take longer than those of one.
  void measure_devices() {
    if (device().is_gpu) {
      const GpuSpeed speed = measure_gpu(std::max(0, single_.settings().devices.front()));
      if (speed.to_host > 0) calibration_.machine.host_copy = {4e-6, speed.to_host};
      note("to the host", speed.to_host * 1e-9, "GB/s");
    }
    const auto devices = static_cast<Index>(single_.settings().devices.size());
    if (devices < 2) return;
    Times times;
    for (const Index edge : {32, 64, 128, 256, 512}) {
      const Index3 one{edge, edge, edge}, all{edge, edge, devices * edge};
      if (edge > 64 && bytes_of_copy(one) > most_bytes_) break;
      const SweepOfMany both = heat(meter_, all);
      const double beside = both.seconds - model_of(both, one, Arithmetic::single_precision);
      const double faces = devices > 2 ? 2 : 1;
      times.push_back({faces * 4.0 * static_cast<double>(edge * edge), std::max(1e-7, beside)});
    }
    LinkModel& link = calibration_.machine.process;
    link = fitted(times);
    note("between devices", link.bytes_per_second * 1e-9, "GB/s", deviation(link, times));
    note("devices wait", link.latency * 1e6, "us");
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

  GridContext& single_;
  SweepMeter meter_, blocked_meter_;
  double most_bytes_;
  Calibration calibration_;
  Index3 large_{};  ///< cells of a grid that no cache holds
};

}  // namespace

Calibration calibrate(GridContext& single, GridContext& blocked, const MachineRates& known,
                      const std::string& folder, const CalibrationEffort& effort) {
  return Calibrator(single, blocked, known, effort).run(folder);
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
