#include "tests/fuzz/program_draft.hpp"

#include <cmath>
#include <utility>

#include "tests/fuzz/families.hpp"

namespace goban::fuzz {
namespace {

constexpr int most_tries = 40;  // until a family reads nothing beyond the grid

}  // namespace

const std::vector<Family>& all_families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> families;
    for (const auto& some :
         {neighbor_families(), far_families(), component_families(), several_field_families(),
          staggered_families(), integer_families(), decision_families(), site_families(),
          math_families(), column_families()}) {
      families.insert(families.end(), some.begin(), some.end());
    }
    return families;
  }();
  return all;
}

Index3 reach_of(const Stage& stage) {
  Index3 reach{};
  if (!stage.is_sweep()) return reach;
  for (Axis axis : all_axes) {
    for (Side side : both_sides) {
      auto& most = reach[static_cast<std::size_t>(index_of(axis))];
      most = std::max<Index>(most, stage.footprint.reach(axis, side));
    }
  }
  // A sweep over faces has one more face than cells at the last wall.
  for (const auto& argument : stage.arguments) {
    if (!argument.field || argument.access == Access::in) continue;
    for (int axis = 0; axis < 3; ++axis) {
      if (is_staggered(argument.field->location, axis) && !argument.grid->is_periodic(axis)) {
        ++reach[static_cast<std::size_t>(axis)];
      }
    }
  }
  return reach;
}

ProgramDraft::ProgramDraft(const std::vector<Grid>& grids, std::uint64_t seed,
                           const Ingredients& ingredients, std::vector<int> dropped)
    : seed_(seed), ingredients_(ingredients), dropped_(std::move(dropped)) {
  for (const Grid& grid : grids) pools_.emplace_back(grid, ingredients.custom_boundaries);
}

std::vector<std::shared_ptr<FieldRecord>> ProgramDraft::fields() const {
  std::vector<std::shared_ptr<FieldRecord>> all;
  for (const FieldPool& pool : pools_) {
    for (const auto& field : pool.fields()) all.push_back(field->record());
  }
  return all;
}

Program ProgramDraft::draw(int items) {
  Program program("random");
  draw_items(program, items, false);
  return program;
}

void ProgramDraft::draw_items(Program& program, int items, bool inside_loop) {
  for (int n = 0; n < items; ++n) {
    const int item = items_++;
    Random random(seed_, 100 + static_cast<std::uint64_t>(item));
    if (std::find(dropped_.begin(), dropped_.end(), item) != dropped_.end()) continue;
    Random* const outer_random = std::exchange(random_, &random);
    Program* const outer_program = std::exchange(program_, &program);
    draw_item(inside_loop);
    random_ = outer_random;
    program_ = outer_program;
  }
}

void ProgramDraft::draw_item(bool inside_loop) {
  const auto percent = random().between(0, 99);
  if (ingredients_.reductions && percent < 12) return draw_sweep(reduction_families());
  if (ingredients_.reductions && percent < 20) return draw_compute();
  if (ingredients_.loops && !inside_loop && percent < 45) {
    return percent < 38 ? draw_loop() : draw_until();
  }
  if (ingredients_.calls && percent < 55) return draw_call();
  if (percent < 60) return draw_swap(nullptr);
  draw_sweep(all_families());
}

void ProgramDraft::draw_sweep(const std::vector<Family>& families) {
  is_added_ = false;
  const bool has_several = pools_.size() > 1;
  if (has_several) grid_ = static_cast<std::size_t>(random().between(0, std::ssize(pools_) - 1));
  const bool is_reduction = families.front().name == reduction_families().front().name;
  const bool is_between = has_several && !is_reduction && random().chance(0.5);
  for (int n = 0; n < most_tries && !is_added_; ++n) {
    const Family family = random().one_of(is_between ? between_families() : families);
    family_ = family.name;
    coefficients_.clear();
    for (FieldPool& pool : pools_) pool.begin_stage(random());
    family.add(*this);
  }
  if (!is_added_ || !random().chance(0.7)) return;
  for (const auto& argument : program_->stages().back()->arguments) {
    if (argument.field && argument.access == Access::out) return draw_swap(argument.field.get());
  }
}

/// With a like field, by preference one that the sweep before has read.
void ProgramDraft::draw_swap(const FieldRecord* preferred) {
  const FieldPool& pool = pools_[grid_];
  if (pool.fields().empty()) return;
  std::vector<const PooledField*> all;
  for (const auto& field : pool.fields()) all.push_back(field.get());
  const PooledField& first = preferred ? pool.of(*preferred) : *random().one_of(all);
  auto like = pool.like(*first.record());
  if (like.empty()) return;
  if (preferred && random().chance(0.8)) {
    for (const auto& argument : program_->stages().back()->arguments) {
      if (!argument.field || argument.access != Access::in) continue;
      if (argument.grid != grid().state()) continue;
      const auto read = &pool.of(*argument.field);
      if (std::find(like.begin(), like.end(), read) != like.end()) {
        like = {read};
        break;
      }
    }
  }
  const PooledField* second = random().one_of(like);
  const auto others = pool.like(*first.record());
  if (others.size() > 1 && random().chance(0.4)) {
    const PooledField* third = second;
    while (third == second) third = random().one_of(others);
    first.rotate(*program_, *second, *third);
    text_ += "rotate(" + first.record()->name + ", " + second->record()->name + ", " +
             third->record()->name + "); ";
    return;
  }
  first.swap(*program_, *second);
  text_ += "swap(" + first.record()->name + ", " + second->record()->name + "); ";
}

Parameter<double> ProgramDraft::parameter() {
  if (parameters_.size() < 4 && (parameters_.empty() || random().chance(0.4))) {
    std::string name = std::to_string(parameters_.size());
    name.insert(name.begin(), 'p');
    parameters_.emplace_back(name, random().number(-1, 1));
  }
  return random().one_of(parameters_);
}

/// Keeps parameters bounded whatever reductions found.
void ProgramDraft::draw_compute() {
  const Parameter<double> from = parameter(), to = parameter();
  const double a = random().number(-0.5, 0.5), b = random().number(-0.5, 0.5);
  if (b > 0) {
    program_->compute([=](double s, double& d) { d = a * d + b / (1 + std::abs(s)); }, in(from),
                      inout(to));
  } else {  // as a device computes it by itself
    const Parameter<double> keep("keep", a), by("by", b);
    program_->compute([](auto s, auto x, auto y, auto& d) { d = x * d + y / (1 + abs(s)); },
                      in(from), in(keep), in(by), inout(to));
  }
  text_ += to.name() + " = " + fuzz::to_text(a) + " " + to.name() + " + " + fuzz::to_text(b) +
           " / (1 + |" + from.name() + "|); ";
}

/// Copies one line of cells of a field to another place of it.
void ProgramDraft::draw_call() {
  const FieldPool& pool = pools_[grid_];
  if (pool.fields().empty()) return;
  std::vector<std::shared_ptr<FieldRecord>> all;
  for (const auto& field : pool.fields()) all.push_back(field->record());
  const auto field = random().one_of(all);
  const Index3 cells = grid().cells();
  Index3 from, to;
  for (std::size_t a = 0; a < 3; ++a) {
    from[a] = random().between(0, cells[a] - 1);
    to[a] = random().between(0, cells[a] - 1);
  }
  from[0] = to[0] = 0;
  const Index3 line{cells[0], 1, 1};
  // call() takes typed fields; the pool has forgotten the types.
  program_->call(
      [state = grid().state(), field, from, to, line] {
        std::vector<std::byte> values(static_cast<std::size_t>(product(line)) *
                                      static_cast<std::size_t>(field->components) *
                                      field->element_size());
        state->storage().copy_out(*field, {from, from + line}, values.data());
        state->storage().copy_in(*field, {to, to + line}, values.data());
      },
      std::tie(), std::tie());
  Stage& stage = *program_->stages().back();
  stage.reads = stage.writes = {field};
  text_ += "call(copy line of " + field->name + "); ";
}

void ProgramDraft::draw_loop() {
  const Index times = random().between(0, 4);
  text_ += "repeat " + std::to_string(times) + " { ";
  Program body("body");
  draw_items(body, static_cast<int>(random().between(1, 3)), true);
  program_->repeat(times, body);
  text_ += "} ";
}

/// A count that grows faster or slower with what a reduction finds.
void ProgramDraft::draw_until() {
  text_ += "until count > 3 { ";
  Program body("body"), check("check");
  draw_items(body, static_cast<int>(random().between(1, 2)), true);
  const Parameter<double> found = parameter(), count("count");
  text_ += "} checked by { ";
  Program* const outer = std::exchange(program_, &check);
  draw_sweep(reduction_families());
  program_ = outer;
  check.compute(
      [](auto s, auto& n) {
        const auto part = abs(s) - floor(abs(s));
        n = select(n > 3, 1, n + select(part > 0.5, 1.0, 0.5));
      },
      in(found), inout(count));
  program_->until(count > 3, random().between(1, 3), 100, body, check);
  text_ += "} ";
}

Box ProgramDraft::draw_region() {
  Box region;
  for (std::size_t a = 0; a < 3; ++a) {
    const Index cells = grid().cells()[a];
    region.lower[a] = random().chance(0.4) ? 0 : random().between(0, cells - 1);
    region.upper[a] = random().chance(0.4) ? cells + random().between(0, 1)
                                           : random().between(region.lower[a] + 1, cells);
  }
  return region;
}

double ProgramDraft::number(double low, double high) {
  const double drawn = random().number(low, high);
  note(fuzz::to_text(drawn));
  return drawn;
}

Index ProgramDraft::whole(Index low, Index high) {
  const Index drawn = random().between(low, high);
  note(std::to_string(drawn));
  return drawn;
}

void ProgramDraft::note(const std::string& coefficient) {
  if (!coefficients_.empty()) coefficients_ += ' ';
  coefficients_ += coefficient;
}

bool ProgramDraft::fits(const Stage& stage) const {
  const Index3 reach = reach_of(stage);
  for (const auto& argument : stage.arguments) {
    for (std::size_t a = 0; argument.grid && a < 3; ++a) {
      const Index between = argument.grid == grid().state() ? 0 : 1;  // a pair may be cut
      if (reach[a] + between > argument.grid->cells[a]) return false;
    }
  }
  return true;
}

void ProgramDraft::write_down(const Stage& stage) {
  text_ += family_;
  ++families_[family_];
  if (!coefficients_.empty()) text_ += "{" + coefficients_ + "}";
  text_ += "(";
  const char* comma = "";
  for (const auto& argument : stage.arguments) {
    std::string word;
    if (argument.kind == StageArgument::Kind::site) word = "site";
    if (argument.parameter) word = argument.parameter->name;
    if (argument.field) {
      word = argument.access == Access::in    ? ""
             : argument.access == Access::out ? "out "
                                              : "inout ";
      word += argument.field->name;
    }
    if (word.empty()) continue;
    text_ += comma + word;
    comma = ", ";
  }
  text_ += ")";
  if (stage.kind == Stage::Kind::reduce) {
    constexpr const char* names[] = {"sum", "minimum", "maximum"};
    text_ +=
        std::string(" ") + names[static_cast<int>(stage.reduction)] + " into " + stage.target->name;
  }
  if (stage.columns) text_ += std::string(" along ") + "xyz"[index_of(stage.columns->axis)];
  if (stage.region) text_ += " over " + goban::to_string(*stage.region);
  if (stage.mask) text_ += " where " + stage.mask->name;
  text_ += "; ";
}

}  // namespace goban::fuzz
