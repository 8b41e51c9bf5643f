#include "goban/checkpoint/reliability.hpp"

#include <cmath>

namespace goban {

double chance_of_more(const NodeFailures& failures, int others, int least) {
  if (least <= 0) return 1;
  const double p = -std::expm1(-failures.repair / (failures.mtbf * failures.nodes));
  double chance = 0;
  for (int n = least; n <= others; ++n) {
    const double ways =
        std::exp(std::lgamma(others + 1.0) - std::lgamma(n + 1.0) - std::lgamma(others - n + 1.0));
    chance += ways * std::pow(p, n) * std::pow(1 - p, others - n);
  }
  return chance;
}

double chance_to_lose(const NodeFailures& failures, int group, int lost) {
  const double of_failure = chance_of_more(failures, group - 1, lost);
  return -std::expm1(-failures.run / failures.mtbf * of_failure);
}

double chance_to_lose_copies(const NodeFailures& failures) {
  const double of_failure = chance_of_more(failures, 2, 1);
  return -std::expm1(-failures.run / failures.mtbf * of_failure);
}

double seconds_of_local(const NodeFailures& failures) { return failures.bytes / failures.local; }

double seconds_of_copies(const NodeFailures& failures) {
  return failures.bytes / failures.network + failures.bytes / failures.local;
}

double seconds_of_parity(const NodeFailures& failures, int group, int lost) {
  const double share = static_cast<double>(lost) / (group - lost);
  return lost * failures.bytes / failures.network + failures.bytes / failures.encoding +
         share * failures.bytes / failures.local;
}

}  // namespace goban
