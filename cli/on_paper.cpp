#include "cli/on_paper.hpp"

#include "goban/simulation/application/common_keys.hpp"

namespace goban::cli {

CaseOnPaper on_paper(const Application& application, const Case& values) {
  Settings settings = run_settings(values);
  settings.backend = Backend::cpu;
  settings.devices.clear();
  settings.threads = 1;
  settings.on_paper = true;
  settings.machine.clear();  // may be one of GPUs
  CaseOnPaper one;
  one.runtime = std::make_unique<Runtime>(settings);
  one.setup = application.setup(values, *one.runtime);
  one.simulation = dynamic_cast<Simulation*>(&one.setup->run());
  return one;
}

}  // namespace goban::cli
