#include "goban/performance/model/correction.hpp"

#include <cmath>

namespace goban {
namespace {

/// A feature, and how far two are apart at a distance of one: in octaves. These were
/// chosen so that deviations of one kind of sweep follow from those of all others, on an H100 and
/// on sixteen cores of a Xeon (docs/model.md).
struct Scale {
  double SweepFeatures::*feature;
  double least;  ///< is added to the feature: what is smaller makes no difference
  double octaves;
};
constexpr Scale scales[] = {
    {&SweepFeatures::cells, 1, 4},         {&SweepFeatures::working_set, 1, 1},
    {&SweepFeatures::reads, 1, 1},         {&SweepFeatures::moves, 0, 0.8},
    {&SweepFeatures::value_bytes, 0, 1.2}, {&SweepFeatures::steps, 0, 1},
};
constexpr double scale_of_share = 0.15;
/// The weight of having measured nothing: that formulas are right.
constexpr double weight_of_formulas = 0.2;

double square_of_distance(const SweepFeatures& a, const SweepFeatures& b) {
  const double shares = (a.share - b.share) / scale_of_share;
  double sum = shares * shares;
  for (const auto& [feature, least, octaves] : scales) {
    const double apart = std::log2((a.*feature + least) / (b.*feature + least)) / octaves;
    sum += apart * apart;
  }
  return sum;
}

}  // namespace

double correction(const std::vector<Deviation>& measured, const SweepFeatures& of) {
  double sum = 0, weights = weight_of_formulas;
  for (const Deviation& one : measured) {
    if ((one.of.steps > 1) != (of.steps > 1)) continue;
    const double weight = std::exp(-square_of_distance(one.of, of) / 2);
    sum += weight * std::log(one.ratio);
    weights += weight;
  }
  return std::exp(sum / weights);
}

}  // namespace goban
