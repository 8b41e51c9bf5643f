// Predicts how long a step takes in the way in which the engine runs it.

#include <algorithm>
#include <map>

#include "goban/base/quantity_text.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/decomposition/coarsen.hpp"
#include "goban/domain/engine/engine_block.hpp"
#include "goban/domain/engine/plan_report.hpp"
#include "goban/performance/model/step_prediction.hpp"

namespace goban {

namespace {

StepPlan plan_of(StepPlan plan, const GridState& grid) {
  plan.recompute = grid.context->settings().recompute;
  return plan;
}

PaperRank rank_of(const Domain& domain, Communicator& ranks) {
  const Bindings bindings = domain.bindings_of_patches();
  return {domain.patches(),
          bindings.computers,
          bindings.is_asynchronous,
          bindings.channels,
          ranks.nodes(),
          ranks.rank(),
          domain.is_mixed(),
          domain.channels().are_peers(),
          bindings.patches_with_peers};
}

/// Returns a rank with one patch that has all cells of every grid.
PaperRank only_rank(const GridState& root, bool has_queues) {
  PaperRank rank{Patches(cut_evenly(root.cells, {1, 1, 1}), root, 0),
                 {{0, false, has_queues}},
                 has_queues,
                 {},
                 {0}};
  add_coarser(rank, root);
  return rank;
}

}  // namespace

/// Predicts the time of a step on the slowest rank for each plan; all ranks get the same numbers.
/// Times are 0, unknown, for emulated devices and for CPUs that compute beside devices.
PlanOffer Engine::forecasts(const Segment& segment, const std::vector<StepPlan>& plans,
                            bool tries_overlap) const {
  constexpr double picosecond = 1e-12;
  PlanOffer offer{{}, tries_overlap};
  for (const StepPlan& plan : plans) offer.plans.push_back({plan, 0, 0});
  Domain& domain = domain_of(*segment.grid);
  const Backend backend = segment.grid->context->settings().backend;
  const bool is_known = (backend == Backend::cpu || backend == Backend::cuda) && !domain.is_mixed();
  if (!is_known || (plans.size() == 1 && !tries_overlap)) return offer;
  const PaperRank rank = rank_of(domain, domain.communicator());
  const MachineRates& machine = segment.grid->context->machine();
  const StraightRun run{segment.grid,  segment.stages,  segment.slots,
                        segment.alive, segment.repeats, 1};
  std::vector<std::int64_t> longest;
  const auto predict = [&](StepPlan plan, Overlap overlap) {
    plan.overlap = overlap;
    const double seconds = predict_step(run, plan_of(plan, *segment.grid), rank, machine).seconds;
    longest.push_back(static_cast<std::int64_t>(seconds / picosecond));
  };
  for (const StepPlan& plan : plans) {
    predict(plan, plan.overlap);
    if (tries_overlap) predict(plan, Overlap::one_kernel);
  }
  domain.communicator().maximum(longest);
  auto next = longest.begin();
  for (PlanForecast& one : offer.plans) {
    one.seconds = picosecond * static_cast<double>(*next++);
    if (tries_overlap) one.overlapping = picosecond * static_cast<double>(*next++);
  }
  return offer;
}

std::vector<PlanReport> Engine::plans() const {
  const Segment* const segment = leading_segment();
  if (!segment) return {};
  const auto& [tried, tries_overlap, expected, dropped] = segment->near;
  if (tried.size() + dropped.size() < 2 && !tries_overlap) return {};
  const auto is_alike = [](const StepPlan& a, const StepPlan& b) {
    return a.steps_per_exchange == b.steps_per_exchange && a.steps_per_pass == b.steps_per_pass;
  };
  const bool may_overlap = segment->offer.tries_overlap;
  std::vector<PlanReport> all;
  const auto add = [&](const StepPlan& plan, double measured, bool is_dropped) {
    PlanReport& report = all.emplace_back();
    report = {plan_of(plan, *segment->grid), 0, measured, is_dropped};
    for (const PlanForecast& one : segment->offer.plans) {
      if (one.plan == plan) report.predicted = one.seconds;
      const bool overlaps = may_overlap && is_alike(one.plan, plan) && one.plan != plan;
      if (overlaps) report.predicted = one.overlapping;
    }
  };
  const std::vector<PlanTime>& compared = segment->choice.compared();
  for (const PlanTime& one : compared) add(one.plan, one.seconds, false);
  for (const StepPlan& plan : tried) {
    const bool is_compared = std::any_of(compared.begin(), compared.end(),
                                         [&](const auto& one) { return is_alike(one.plan, plan); });
    if (!is_compared) add(plan, 0, false);
  }
  for (const PlanTime& one : dropped) add(one.plan, 0, true);
  return all;
}

std::string text_of(const std::vector<PlanReport>& plans) {
  std::string measured, open, dropped;
  for (const PlanReport& one : plans) {
    std::string& text = one.is_dropped ? dropped : one.measured > 0 ? measured : open;
    text += (text.empty() ? "" : "; ") + text_of(one.plan);
    if (one.predicted > 0) text += " " + quantity_text(one.predicted, "s", 3) + " predicted";
    if (one.measured > 0) {
      text += (one.predicted > 0 ? ", " : " ") + quantity_text(one.measured, "s", 3) + " measured";
    }
  }
  std::string all = measured;
  for (const auto& [what, text] : {std::pair{"not measured: ", open}, {"not tried: ", dropped}}) {
    if (!text.empty()) all += (all.empty() ? "" : "; ") + (what + text);
  }
  return all;
}

namespace {

/// Tells every run of stages the fields of the whole step, because all runs share the caches.
void add_step(std::vector<StraightRun>& runs) {
  std::map<const GridState*, Slots> all;  // by family
  for (const StraightRun& run : runs) {
    for (int s = 0; s < run.slots.size(); ++s) {
      all[run.grid->root].add(run.slots.record(s), run.slots.grid(s));
    }
  }
  for (StraightRun& run : runs) run.step = all.at(run.grid->root);
}

}  // namespace

/// Notes that a device repeats the steps by itself; it runs them one at a time if the clock must be
/// told the length of each.
void Engine::note_device_steps(std::vector<StraightRun>& runs) const {
  if (!steps_ || !refusal_of_stages(*steps_).empty()) return;
  for (StraightRun& run : runs) run.repeats_alone = !block_->straight;
  runs.front().tells_time = sets_time_step(segments_of_round(*steps_));
}

template <class RoundsOf>
void Engine::add_straight_runs(const Block& block, double times, bool is_solver,
                               const RoundsOf& rounds_of, std::vector<StraightRun>& all) {
  for (const Item& item : block.items) {
    if (const auto* segment = std::get_if<Segment>(&item.what)) {
      if (!segment->grid) continue;
      // Where steps are one run with results, a device does as many steps as it is told to.
      const bool keeps_results =
          block.straight &&
          std::any_of(segment->stages.begin(), segment->stages.end(),
                      [](const auto& stage) { return stage->kind == Stage::Kind::reduce; });
      all.push_back({segment->grid, segment->stages, segment->slots, segment->alive,
                     segment->repeats, times, block.straight ? 0 : times, 0, false, is_solver});
      all.back().keeps_results = keeps_results;
    } else if (const auto* loop = std::get_if<Loop>(&item.what)) {
      const Stage& stage = *loop->stage;
      const bool is_until = stage.kind == Stage::Kind::until;
      const double rounds = is_until ? rounds_of(*loop) : 1;
      const std::size_t first = all.size();
      add_straight_runs(*loop->body, times * rounds * static_cast<double>(stage.count),
                        is_solver || is_until, rounds_of, all);
      // The condition is looked at before the first round, too.
      if (loop->check) add_straight_runs(*loop->check, times * (rounds + 1), true, rounds_of, all);
      if (segments_of_round(*loop).empty()) continue;
      for (std::size_t n = first; n < all.size(); ++n) {
        all[n].begins = n == first ? times : 0;
        all[n].rounds = n == first ? times * rounds : 0;
        all[n].is_looped = all[n].is_looped || is_until;
      }
    }
  }
}

std::vector<StraightRun> Engine::straight_runs(double rounds) const {
  std::vector<StraightRun> all;
  add_straight_runs(
      *block_, 1, false, [&](const Loop&) { return rounds; }, all);
  add_step(all);
  note_device_steps(all);
  return all;
}

SweepWork Engine::work_per_update() const {
  SweepWork all;
  visit_segments(*block_, [&](const Segment& segment) {
    const GridState& root = *segment.grid->root;
    const bool has_queues = domain_of(*segment.grid).some_executor().is_asynchronous();
    const StraightRun run{segment.grid, segment.stages, segment.slots, segment.alive};
    const SweepWork work = sweep_work(run, only_rank(root, has_queues));
    const auto cells = static_cast<double>(product(root.cells));
    all.bytes += work.bytes / cells;
    all.flops += work.flops / cells;
  });
  return all;
}

StepPrediction Engine::predicted_step(const MachineRates& machine) {
  StepPrediction all;
  if (reference_) return all;
  std::vector<StraightRun> runs;
  add_straight_runs(
      *block_, 1, false, [](const Loop& loop) { return loop.mean_rounds(); }, runs);
  add_step(runs);
  note_device_steps(runs);
  std::size_t next = 0;
  visit_segments(*block_, [&](Segment& segment) {
    const StraightRun& run = runs[next++];
    Domain& domain = domain_of(*segment.grid);
    const StepPrediction one = predict_step(run, plan_of(segment.plan, *segment.grid),
                                            rank_of(domain, domain.communicator()), machine);
    all.add(one, run, machine);
  });
  return all;
}

}  // namespace goban
