#include "goban/checkpoint/interval.hpp"

#include <cmath>

namespace goban {

double young_interval(double cost, double mtbf) { return std::sqrt(2 * cost * mtbf); }

double daly_interval(double cost, double mtbf) {
  if (cost >= 2 * mtbf) return mtbf;
  const double share = cost / (2 * mtbf);
  return young_interval(cost, mtbf) * (1 + std::sqrt(share) / 3 + share / 9) - cost;
}

double expected_waste(double cost, double interval, double mtbf) {
  return cost / interval + interval / (2 * mtbf);
}

}  // namespace goban
