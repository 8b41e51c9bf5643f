#include "cli/on_paper.hpp"

#include "goban/runtime/on_paper.hpp"
#include "goban/simulation/application/common_keys.hpp"

namespace goban::cli {

CaseOnPaper on_paper(const Application& application, const Case& values) {
  CaseOnPaper one;
  one.runtime = std::make_unique<Runtime>(settings_on_paper(run_settings(values)));
  one.setup = application.setup(values, *one.runtime);
  one.simulation = dynamic_cast<Simulation*>(&one.setup->run());
  return one;
}

}  // namespace goban::cli
