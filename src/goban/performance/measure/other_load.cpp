#include "goban/performance/measure/other_load.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace goban {

OtherLoad::OtherLoad(std::filesystem::path root)
    : stat_(std::move(root) / "proc/stat"), before_(busy_seconds()) {}

double OtherLoad::processors() const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  return std::max(0.0, busy_seconds() - before_) / std::max(elapsed.count(), 1e-3);
}

/// "cpu  user nice system idle iowait irq softirq steal ...", in ticks of the clock.
double OtherLoad::busy_seconds() const {
  std::ifstream file(stat_);
  std::string word;
  double user = 0, nice = 0, system = 0, idle = 0, waits = 0, irq = 0, softirq = 0, steal = 0;
  if (!(file >> word >> user >> nice >> system >> idle >> waits >> irq >> softirq >> steal))
    return 0;
  struct rusage own {};
  ::getrusage(RUSAGE_SELF, &own);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  const double all = user + nice + system + irq + softirq + steal;
  return all / static_cast<double>(::sysconf(_SC_CLK_TCK)) - seconds(own.ru_utime) -
         seconds(own.ru_stime);
}

}  // namespace goban
