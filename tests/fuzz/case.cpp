#include "tests/fuzz/case.hpp"
#include "tests/ranks.hpp"

#include <bit>
#include <cmath>
#include <regex>

#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"

namespace goban::fuzz {
namespace {

/// Streams of random numbers of one case.
enum Stream : std::uint64_t { of_case = 1, of_values = 2, of_boundaries = 3, of_grids = 4 };

/// Few cells or many along an axis, never many in all.
Index3 draw_cells(Random& random) {
  constexpr Index most = 9000;
  Index3 cells{};
  do {
    for (auto& n : cells) {
      switch (random.between(0, 4)) {
        case 0: n = random.between(1, 3); break;
        case 1: n = random.one_of({5, 7, 11, 13, 17, 19, 23}); break;
        default: n = random.between(4, 24); break;
      }
    }
    const auto along = static_cast<std::size_t>(random.between(0, 2));
    if (random.chance(0.4)) cells[along] = random.between(25, 80);
    if (random.chance(0.15)) cells[along] = random.one_of({97, 128, 131, 257, 300});
  } while (product(cells) > most);
  return cells;
}

/// What a field holds at first, of size 1: zeros of both signs among the numbers.
template <class T>
T initial(std::uint64_t bits) {
  const double fraction = static_cast<double>(bits >> 11) * 0x1p-52 - 1;
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    return bits % 3 == 0 ? static_cast<T>(bits >> 32) : static_cast<T>(bits % 2);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(std::lround(1000 * fraction));
  } else if (bits % 16 < 2) {
    return static_cast<T>(bits % 2 == 0 ? 0.0f : -0.0f);
  } else {
    return static_cast<T>(static_cast<float>(fraction));
  }
}

void fill(GridState& grid, const FieldRecord& field, std::uint64_t seed) {
  grid.storage().fill(
      field,
      [&](const CellRow& row, void* const* components) {
        visit_element(field.type, [&]<class T>(T) {
          for (int c = 0; c < field.components; ++c) {
            for (Index n = 0; n < row.count; ++n) {
              std::uint64_t bits = mix(seed ^ mix(static_cast<std::uint64_t>(field.id * 16 + c)));
              for (Index i : row.index(n)) bits = mix(bits ^ static_cast<std::uint64_t>(i));
              static_cast<T*>(components[c])[n] = initial<T>(bits);
            }
          }
        });
      },
      nullptr);
}

/// New conditions for all fields that share those of one of them, so that swaps remain swaps.
void change_boundary(const FieldPool& pool, std::uint64_t seed) {
  Random random(seed, of_boundaries);
  std::vector<std::shared_ptr<FieldRecord>> fields;
  for (const auto& field : pool.fields()) fields.push_back(field->record());
  const std::vector<BoundarySet> old = random.one_of(fields)->boundary;
  std::vector<BoundarySet> changed(old.size(), pool.draw_boundary(random));
  for (std::size_t c = 1; c < changed.size(); ++c) {
    if (random.chance(0.5)) changed[c] = pool.draw_boundary(random);
  }
  for (const auto& field : fields) {
    if (field->boundary != old) continue;
    field->boundary = changed;
    ++field->boundary_changes;
  }
}

void add_reach(const Program& program, Reach& reach) {
  for (const auto& stage : program.stages()) {
    if (stage->body) add_reach(*stage->body, reach);
    if (stage->check) add_reach(*stage->check, reach);
    if (stage->columns && grid_of(*stage)->number == 0) {
      reach.is_whole[static_cast<std::size_t>(index_of(stage->columns->axis))] = true;
    }
    const Index3 here = reach_of(*stage);
    reach.total = reach.total + here;
    for (std::size_t a = 0; a < 3; ++a) reach.most[a] = std::max(reach.most[a], here[a]);
  }
}

/// The program and all it needs, in the order of their lifetimes.
struct Setup {
  Runtime runtime;
  std::vector<Grid> grids;
  const Grid& grid;
  ProgramDraft draft;
  Program program;

  Setup(const Case& drawn, const Execution& execution)
      : runtime(execution.settings),
        grids(family(runtime, drawn)),
        grid(grids.front()),
        draft(grids, drawn.seed, drawn.ingredients, drawn.dropped),
        program(draft.draw(drawn.items)) {}

  static std::vector<Grid> family(Runtime& runtime, const Case& drawn) {
    std::vector<Grid> all{Grid(runtime, drawn.grid)};
    for (const auto& [ratio, options] : drawn.coarser) {
      all.push_back(all.back().coarsened(ratio, options));
    }
    return all;
  }

  Outcome outcome() const {
    Outcome outcome;
    outcome.program = draft.text();
    outcome.families = draft.families();
    outcome.items = draft.items_drawn();
    add_reach(program, outcome.reach);
    for (const auto& field : draft.fields()) outcome.program += "| " + to_text(*field) + " ";
    return outcome;
  }
};

void run(const Case& drawn, const Execution& execution, Setup& setup, Outcome& outcome) {
  for (const auto& field : setup.draft.fields()) {
    fill(*setup.grid.state(), *field, drawn.seed);
    field->is_output = mix(drawn.seed + static_cast<std::uint64_t>(field->id)) % 8 == 0;
  }
  Engine engine(setup.program);
  StepClock clock{.step = 0, .time = 0.5, .dt = drawn.dt, .dt_parameter = nullptr};
  const auto& parameters = setup.draft.parameters();
  if (drawn.dt_is_parameter && !parameters.empty()) {
    clock.dt_parameter = parameters.front().record();
  }
  engine.run(drawn.steps[0], clock);
  if (execution.later) domain_of(*setup.grid.state()).redistribute(*execution.later);
  const bool has_fields = !setup.draft.pool().fields().empty();
  if (drawn.changes_boundary && has_fields) change_boundary(setup.draft.pool(), drawn.seed);
  engine.run(drawn.steps[1], clock);

  for (const auto& field : engine.live_fields()) {
    outcome.results[field->name] = setup.grid.state()->storage().checksum(*field);
  }
  for (const auto& parameter : parameters) {
    outcome.results[parameter.name()] = std::bit_cast<std::uint64_t>(parameter.value());
  }
  outcome.results["step"] = static_cast<std::uint64_t>(clock.step);
  outcome.results["time"] = std::bit_cast<std::uint64_t>(clock.time);
}

/// Now and then one or two, as far as cells can be put together.
std::vector<Case::Coarser> draw_coarser(std::uint64_t seed, Index3 cells) {
  Random random(seed, of_grids);
  std::vector<Case::Coarser> all;
  const Index count = random.chance(0.3) ? random.between(1, 2) : 0;
  for (Index n = 0; n < count; ++n) {
    Case::Coarser one;
    for (std::size_t a = 0; a < 3; ++a) {
      if (cells[a] % 2 == 0 && random.chance(0.8)) one.ratio[a] = 2;
      cells[a] /= one.ratio[a];
      if (random.chance(0.2))
        one.options.patches[a] = random.between(1, std::min<Index>(3, cells[a]));
    }
    if (one.ratio == Index3{1, 1, 1}) break;
    all.push_back(one);
  }
  return all;
}

}  // namespace

Case draw_case(std::uint64_t seed) {
  Random random(seed, of_case);
  Case drawn;
  drawn.seed = seed;
  drawn.grid.cells = draw_cells(random);
  for (std::size_t a = 0; a < 3; ++a) {
    drawn.grid.spacing.value[a] = random.number(0.25, 2);
    drawn.grid.origin[a] = random.number(-4, 4);
    if (random.chance(0.5)) drawn.grid.boundary.sides[a] = {mirror, mirror};
  }
  // Half of the programs are such as can run several steps in one pass through cache.
  const bool is_plain = random.chance(0.5);
  drawn.items = static_cast<int>(is_plain ? random.one_of({1, 1, 2, 3}) : random.between(1, 6));
  if (!is_plain) {
    drawn.ingredients.regions_and_masks = random.chance(0.7);
    drawn.ingredients.reductions = random.chance(0.6);
    drawn.ingredients.loops = random.chance(0.3);
    drawn.ingredients.calls = random.chance(0.1);
    drawn.ingredients.custom_boundaries = random.chance(0.3);
  }
  drawn.steps = {random.between(1, 9), random.between(0, 5)};
  if (random.chance(0.04))
    drawn.steps = {random.between(20, 40), 17};  // recorded sixteen at a time
  drawn.changes_boundary = random.chance(0.1);
  drawn.dt = random.number(0.125, 1);
  drawn.dt_is_parameter = random.chance(0.2);
  drawn.random_seed = static_cast<std::uint64_t>(random.between(1, 1000));
  drawn.coarser = draw_coarser(seed, drawn.grid.cells);
  return drawn;
}

Outcome draw(const Case& drawn) { return Setup(drawn, reference(drawn)).outcome(); }

namespace {

Outcome run_on_rank(const Case& drawn, const Execution& execution) {
  static const std::regex does_not_fit(
      R"((halo|boundary) of field '(f\d+|s)( \(cut as the finer grid\))?' does not fit \(.+\); )"
      R"((use fewer patches|take \d+ cells).*|a grid that is cut into patches of one cell cannot be coarsened .*)");
  Setup setup(drawn, execution);
  Outcome outcome = setup.outcome();
  try {
    run(drawn, execution, setup, outcome);
  } catch (const Error& error) {
    const bool is_refusal =
        error.code() == ExitCode::usage && std::regex_match(error.what(), does_not_fit);
    (is_refusal ? outcome.refusal : outcome.failure) = error.what();
    outcome.results.clear();
  }
  return outcome;
}

}  // namespace

Outcome run(const Case& drawn, const Execution& execution) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(execution.ranks));
  test::run_ranks(execution.ranks, [&](const std::shared_ptr<Communicator>& communicator) {
    Execution mine = execution;
    mine.settings.communicator = communicator;
    outcomes[static_cast<std::size_t>(communicator->rank())] = run_on_rank(drawn, mine);
  });
  for (const Outcome& outcome : outcomes) {
    if (outcome.results != outcomes.front().results ||
        outcome.refusal != outcomes.front().refusal) {
      outcomes.front().failure = "ranks disagree";
    }
  }
  return outcomes.front();
}

std::string difference(const Case& drawn, const Execution& execution, const Outcome& expected,
                       const Outcome& found) {
  for (const Outcome* outcome : {&expected, &found}) {
    if (!outcome->failure.empty()) return outcome->failure;
  }
  if (!found.refusal.empty()) {
    return may_be_refused(drawn, found.reach, execution) ? "" : "refused: " + found.refusal;
  }
  if (!expected.refusal.empty()) return "";
  std::string text;
  for (const auto& [name, value] : expected.results) {
    const auto at = found.results.find(name);
    if (at == found.results.end() || at->second != value) text += name + " ";
  }
  if (found.results.size() != expected.results.size()) text += "(other fields are live) ";
  return text.empty() ? "" : "other bits in " + text;
}

std::string to_text(const Case& drawn, const Outcome& outcome, const Execution& execution) {
  const GridOptions& grid = drawn.grid;
  std::string text = "seed " + std::to_string(drawn.seed) + ": " + std::to_string(grid.cells[0]) +
                     " x " + std::to_string(grid.cells[1]) + " x " + std::to_string(grid.cells[2]) +
                     " cells, periodic ";
  for (std::size_t a = 0; a < 3; ++a) {
    if (grid.boundary.sides[a][0].kind == periodic_kind) text += "xyz"[a];
  }
  for (const auto& [ratio, options] : drawn.coarser) {
    text += ", coarsened by " + to_string(Box{{}, ratio}) + " in " +
            to_string(Box{{}, options.patches});
  }
  text += ", " + std::to_string(drawn.steps[0]) + " + " + std::to_string(drawn.steps[1]) + " steps";
  if (drawn.changes_boundary) text += " with other boundaries";
  return text + ", program { " + outcome.program + "}, settings " + to_text(execution);
}

}  // namespace goban::fuzz
