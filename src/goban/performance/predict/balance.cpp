#include "goban/performance/predict/balance.hpp"

#include <algorithm>
#include <cmath>

namespace goban {

BalancePrediction predict_balance(const ScalingQuestion& question, const ScalingPoint& point,
                                  const DeviceRates& cpu) {
  ScalingQuestion on_cpu = question;
  on_cpu.machine.device = cpu;
  const ScalingPoint of_cpu = predict_strategies(on_cpu, 1).front();
  const Index devices = point.devices / point.nodes;
  const auto of_patch = [&](int axis) {
    return (point.cells[axis] + point.pieces[axis] - 1) / point.pieces[axis];
  };
  BalancePrediction balance;
  balance.planes_of_node = devices * of_patch(2);
  const auto planes = static_cast<double>(balance.planes_of_node);
  const auto cells = static_cast<double>(balance.planes_of_node * of_patch(0) * of_patch(1));
  const double of_gpus = point.step.seconds;
  const double of_threads =
      of_cpu.step.seconds * cells / static_cast<double>(product(of_cpu.cells));
  const LinkModel& link = question.machine.host_copy;
  const double plane = point.bytes_per_device * static_cast<double>(devices) / planes;
  const double exchange = link.is_slow() ? 2 * seconds_of(link, plane) : 0;
  balance.seconds = of_gpus;
  const double best = planes * of_gpus / (of_threads + of_gpus);
  for (const double own : {std::floor(best), std::ceil(best)}) {
    if (own < 1 || own >= planes) continue;
    const double seconds =
        std::max({exchange, of_threads * own / planes, of_gpus * (planes - own) / planes});
    if (seconds >= balance.seconds) continue;
    balance.seconds = seconds;
    balance.planes = static_cast<Index>(own);
  }
  return balance;
}

}  // namespace goban
