#include "cli/predict_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "goban/base/error.hpp"

namespace goban::cli {
namespace {

CurvePictureOptions logarithmic(const std::string& title, const std::string& x,
                                const std::string& y, const std::string& unit) {
  return {.title = title,
          .x_name = x,
          .y_name = y,
          .y_unit = unit,
          .x_scale = AxisScale::logarithmic,
          .y_scale = AxisScale::logarithmic};
}

}  // namespace

void draw_rates(const std::string& file, const std::string& title,
                const std::vector<ScalingPoint>& points, bool every_plan,
                const std::vector<MeasuredRate>& measured) {
  std::vector<Curve> curves;
  const auto curve_of = [&](const std::string& label) -> Curve& {
    for (Curve& curve : curves) {
      if (curve.label == label) return curve;
    }
    return curves.emplace_back(Curve{label, {}, {}, CurveStyle::line_and_points});
  };
  Curve ideal{.label = "as many times one", .x = {}, .y = {}, .style = CurveStyle::dashed};
  for (const ScalingPoint& point : points) {
    const auto devices = static_cast<double>(point.devices);
    Curve& curve = curve_of(every_plan ? text_of(point.plan) : "predicted");
    curve.x.push_back(devices);
    curve.y.push_back(1e-9 * point.updates_per_second());
    if (!ideal.x.empty() && ideal.x.back() == devices) continue;
    ideal.x.push_back(devices);
    ideal.y.push_back(1e-9 * points.front().updates_per_second() * devices /
                      static_cast<double>(points.front().devices));
  }
  curves.push_back(ideal);
  Curve runs{.label = "measured", .x = {}, .y = {}, .style = CurveStyle::points};
  for (const auto& [devices, rate] : measured) {
    runs.x.push_back(devices);
    runs.y.push_back(1e-9 * rate);
  }
  if (!measured.empty()) curves.push_back(runs);
  write_curve_picture(file, {{curves, logarithmic(title, "devices", "rate", "GLUP/s")}});
}

void draw_split(const std::string& file, const std::string& title,
                const std::vector<ScalingPoint>& points) {
  std::map<Index, const ScalingPoint*> by_devices, by_steps;
  for (const ScalingPoint& point : points) {
    by_devices.try_emplace(point.devices, &point);  // the fastest comes first
    if (point.plan.steps_per_pass == 1) by_steps.try_emplace(point.plan.steps_per_exchange, &point);
  }
  const bool is_over_steps = by_devices.size() == 1;
  const auto& shown = is_over_steps ? by_steps : by_devices;
  require(shown.size() > 1, "--split is refused", "one point is no curve",
          "ask for several --devices, or for --strategy all");
  std::vector<Curve> curves;
  const auto add = [&](const char* label, CurveStyle style, auto&& seconds_of) {
    Curve curve{label, {}, {}, style};
    for (const auto& [x, point] : shown) {
      curve.x.push_back(static_cast<double>(x));
      curve.y.push_back(1e3 * seconds_of(point->step));
    }
    const auto is_shown = [](double y) { return y > 0; };
    if (std::any_of(curve.y.begin(), curve.y.end(), is_shown)) curves.push_back(std::move(curve));
  };
  add("a step", CurveStyle::line_and_points, [](const StepPrediction& s) { return s.seconds; });
  add("arithmetic", CurveStyle::line, [](const StepPrediction& s) { return s.busy.operations; });
  add("memory", CurveStyle::line, [](const StepPrediction& s) { return s.busy.bytes; });
  add("launches", CurveStyle::line, [](const StepPrediction& s) { return s.busy.launch; });
  add("packing and filling of halos", CurveStyle::line,
      [](const StepPrediction& s) { return s.busy.halo; });
  add("copies between device and host", CurveStyle::dashed,
      [](const StepPrediction& s) { return s.busy.copy; });
  add("messages", CurveStyle::dashed, [](const StepPrediction& s) { return s.busy.message; });
  add("reductions", CurveStyle::line, [](const StepPrediction& s) { return s.busy.reduction; });
  add("halos that nothing hides", CurveStyle::line,
      [](const StepPrediction& s) { return std::max(0.0, s.exposed() - s.busy.reduction); });
  write_curve_picture(file,
                      {{curves, logarithmic(title, is_over_steps ? "steps an exchange" : "devices",
                                            "of a step", "ms")}});
}

void draw_roofline(const std::string& file, const std::string& title,
                   const std::vector<KernelWork>& kernels, const DeviceRates& device) {
  double least = 0.1, most = 100;
  std::vector<Curve> curves;
  for (const KernelWork& kernel : kernels) {
    if (kernel.flops <= 0) continue;
    const double intensity = kernel.flops / kernel.bytes;
    least = std::min(least, intensity / 2);
    most = std::max(most, 2 * intensity);
    curves.push_back(
        {kernel.stage, {intensity}, {1e-9 * kernel.flops / kernel.seconds}, CurveStyle::points});
  }
  require(!curves.empty(), "--roofline is refused", "no stage computes with floating-point numbers",
          "leave it out");
  for (const auto& [kind, name] : {std::pair{Arithmetic::single_precision, "single precision"},
                                   {Arithmetic::double_precision, "double precision"}}) {
    Curve roof{std::string("roof, ") + name, {}, {}, CurveStyle::dashed};
    Curve model{std::string("both in turn, ") + name, {}, {}, CurveStyle::line};
    const double bandwidth = device.memory_bandwidth(), peak = device.rate(kind);
    for (double intensity = least; intensity < 1.05 * most; intensity *= 1.1) {
      const double bytes = 1 / bandwidth, operations = intensity / peak;
      roof.x.push_back(intensity);
      model.x.push_back(intensity);
      roof.y.push_back(1e-9 * std::min(peak, intensity * bandwidth));
      model.y.push_back(1e-9 * intensity / (device.beside(operations, 0, bytes) + bytes));
    }
    curves.push_back(std::move(roof));
    curves.push_back(std::move(model));
  }
  write_curve_picture(file,
                      {{curves, logarithmic(title, "operations a byte", "operations", "GFlops")}});
}

}  // namespace goban::cli
