#include "seismic/misfit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "goban/base/error.hpp"

namespace goban::seismic {
namespace {

using std::numbers::pi;

double value_at(const Trace& trace, double t) {
  const auto& time = trace.time;
  const std::size_t n = time.size();
  if (n < 4 || t < time.front()) return 0;
  const auto after =
      static_cast<std::size_t>(std::upper_bound(time.begin(), time.end(), t) - time.begin());
  const std::size_t first = std::min(after < 2 ? 0 : after - 2, n - 4);
  double sum = 0;
  for (std::size_t i = first; i < first + 4; ++i) {
    double weight = 1;
    for (std::size_t j = first; j < first + 4; ++j) {
      if (j != i) weight *= (t - time[j]) / (time[i] - time[j]);
    }
    sum += weight * trace.value[i];
  }
  return sum;
}

/// One pass of a low-pass section of two poles with quality q.
void filter(std::vector<double>& value, double interval, double frequency, double q) {
  const double w = std::tan(pi * frequency * interval);
  const double norm = 1 / (1 + w / q + w * w);
  const double b = w * w * norm, a1 = 2 * (w * w - 1) * norm, a2 = (1 - w / q + w * w) * norm;
  double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
  for (double& x : value) {
    const double y = b * (x + 2 * x1 + x2) - a1 * y1 - a2 * y2;
    x2 = x1;
    x1 = x;
    y2 = y1;
    x = y1 = y;
  }
}

double norm(const std::vector<double>& value) {
  double sum = 0;
  for (const double v : value) sum += v * v;
  return std::sqrt(sum);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> difference(a);
  for (std::size_t i = 0; i < b.size(); ++i) difference[i] -= b[i];
  return norm(difference) / norm(b);
}

double largest(const std::vector<double>& value) {
  double most = 0;
  for (const double v : value) most = std::max(most, std::abs(v));
  return most;
}

/// When the magnitude first exceeds a bound, between two samples.
double first_over(const Trace& trace, double bound) {
  for (std::size_t i = 1; i < trace.value.size(); ++i) {
    const double here = std::abs(trace.value[i]), before = std::abs(trace.value[i - 1]);
    if (here <= bound) continue;
    const double part = before < bound ? (bound - before) / (here - before) : 0;
    return trace.time[i - 1] + part * (trace.time[i] - trace.time[i - 1]);
  }
  return trace.time.back();
}

}  // namespace

Trace resampled(const Trace& trace, double first, double last, double interval) {
  Trace result;
  const auto count = static_cast<std::size_t>(std::floor((last - first) / interval + 1e-9)) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    result.time.push_back(first + static_cast<double>(i) * interval);
    result.value.push_back(value_at(trace, result.time.back()));
  }
  return result;
}

Trace low_passed(const Trace& trace, double frequency) {
  Trace result = trace;
  const double interval = trace.time[1] - trace.time[0];
  for (int direction = 0; direction < 2; ++direction) {
    for (const double angle : {pi / 8, 3 * pi / 8}) {
      filter(result.value, interval, frequency, 1 / (2 * std::cos(angle)));
    }
    std::reverse(result.value.begin(), result.value.end());
  }
  return result;
}

std::vector<double> envelope(const std::vector<double>& value) {
  const std::size_t n = value.size();
  std::vector<std::complex<double>> unit_root(n), spectrum(n / 2 + 1);
  for (std::size_t i = 0; i < n; ++i) {
    unit_root[i] = std::polar(1.0, 2 * pi * static_cast<double>(i) / static_cast<double>(n));
  }
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    for (std::size_t i = 0; i < n; ++i) spectrum[k] += value[i] * std::conj(unit_root[k * i % n]);
    const bool is_end = k == 0 || 2 * k == n;
    spectrum[k] *= (is_end ? 1.0 : 2.0) / static_cast<double>(n);
  }
  std::vector<double> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::complex<double> sum = 0;
    for (std::size_t k = 0; k < spectrum.size(); ++k) sum += spectrum[k] * unit_root[k * i % n];
    result[i] = std::abs(sum);
  }
  return result;
}

Misfit misfit(const Trace& trace, const Trace& reference, double low_pass) {
  require(trace.time.size() >= 4 && reference.time.size() >= 4, "traces cannot be compared",
          "one has fewer than 4 samples");
  const double first = std::max(trace.time.front(), reference.time.front());
  const double last = std::min(trace.time.back(), reference.time.back());
  require(first < last, "traces cannot be compared", "they have no time in common");
  const auto samples = static_cast<double>(reference.time.size() - 1);
  const double interval = (reference.time.back() - reference.time.front()) / samples;
  Trace ours = resampled(trace, first, last, interval);
  Trace theirs = resampled(reference, first, last, interval);
  const double bound = 0.01 * largest(theirs.value);  // filters spread motion to before its onset
  const double delay = first_over(ours, bound) - first_over(theirs, bound);
  if (low_pass > 0) {
    ours = low_passed(ours, low_pass);
    theirs = low_passed(theirs, low_pass);
  }
  return {.relative_l2 = distance(ours.value, theirs.value),
          .of_envelope = distance(envelope(ours.value), envelope(theirs.value)),
          .peak_ratio = largest(ours.value) / largest(theirs.value),
          .delay = delay};
}

}  // namespace goban::seismic
