// Makes a failing case small: fewer items, fewer steps, plainer settings.

#include <functional>

#include "tests/fuzz/case.hpp"

namespace goban::fuzz {
namespace {

bool differs(const Case& drawn, const Execution& execution) {
  const Outcome expected = run(drawn, reference(drawn));
  return !difference(drawn, execution, expected, run(drawn, execution)).empty();
}

/// Less is plainer.
int complexity(const Execution& execution) {
  const Settings& s = execution.settings;
  const int backend = s.backend == Backend::cpu ? 0 : 1;
  const int steps = s.steps_per_exchange == 0 ? 9 : s.steps_per_exchange;
  const int pass = s.temporal_blocking < 0 ? 9 : s.temporal_blocking;
  int cuts = execution.later ? 1 : 0;
  for (std::size_t a = 0; a < 3; ++a) cuts += !s.cuts[a].empty() + (s.patches[a] > 0);
  return backend + steps + pass + cuts + s.threads + static_cast<int>(s.overlap) + s.recompute +
         !s.streaming_stores + (s.delay_microseconds > 0);
}

std::vector<std::function<void(Execution&)>> simplifications() {
  return {[](Execution& e) { e.later.reset(); },
          [](Execution& e) { e.ranks = 1; },
          [](Execution& e) { e.settings.cuts = {}, e.settings.patches = {}; },
          [](Execution& e) { e.settings.cuts[0] = ""; },
          [](Execution& e) { e.settings.cuts[1] = ""; },
          [](Execution& e) { e.settings.cuts[2] = ""; },
          [](Execution& e) { e.settings.threads = 1; },
          [](Execution& e) { e.settings.overlap = Overlap::none; },
          [](Execution& e) { e.settings.temporal_blocking = 0; },
          [](Execution& e) { e.settings.steps_per_exchange = 1; },
          [](Execution& e) { e.settings.steps_per_exchange = 2; },
          [](Execution& e) { e.settings.recompute = false; },
          [](Execution& e) { e.settings.streaming_stores = true; },
          [](Execution& e) { e.settings.backend = Backend::cpu; },
          [](Execution& e) { e.settings.launches = Settings{}.launches; },
          [](Execution& e) { e.settings.delay_microseconds = 0; }};
}

std::vector<std::function<void(Case&)>> reductions(const Case& drawn) {
  std::vector<std::function<void(Case&)>> all{[](Case& c) { c.changes_boundary = false; },
                                              [](Case& c) { c.dt_is_parameter = false; },
                                              [](Case& c) { c.steps[1] = 0; },
                                              [](Case& c) { c.steps[0] = 1; },
                                              [](Case& c) { c.steps[1] /= 2; },
                                              [](Case& c) { c.steps[0] -= c.steps[0] > 1; }};
  const int items = draw(drawn).items;
  for (int item = items - 1; item >= 0; --item) {
    all.push_back([item](Case& c) { c.dropped.push_back(item); });
  }
  return all;
}

}  // namespace

std::pair<Case, Execution> shrink(Case drawn, Execution execution) {
  for (bool is_smaller = true; is_smaller;) {
    is_smaller = false;
    for (const auto& change : reductions(drawn)) {
      Case smaller = drawn;
      change(smaller);
      if (draw(smaller).program == draw(drawn).program && smaller.steps == drawn.steps &&
          smaller.changes_boundary == drawn.changes_boundary &&
          smaller.dt_is_parameter == drawn.dt_is_parameter) {
        continue;
      }
      if (!differs(smaller, execution)) continue;
      drawn = smaller;
      is_smaller = true;
    }
    for (const auto& change : simplifications()) {
      Execution plainer = execution;
      change(plainer);
      if (complexity(plainer) >= complexity(execution) || !differs(drawn, plainer)) continue;
      execution = plainer;
      is_smaller = true;
    }
  }
  return {drawn, execution};
}

}  // namespace goban::fuzz
