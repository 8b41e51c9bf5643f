#include "goban/backend/reference/padded_field.hpp"

#include <cstring>

#include "goban/base/error.hpp"
#include "goban/grid/each_cell.hpp"

namespace goban::reference {
namespace {

using ConditionKind = BoundaryCondition::Kind;

}  // namespace

double rounded(ElementType type, double value) {
  return visit_element(type, [&]<class T>(T) {
    using Number = ArithmeticOf<T>;
    if constexpr (std::is_integral_v<Number>) {
      return static_cast<double>(static_cast<Number>(static_cast<std::int64_t>(value)));
    } else {
      return static_cast<double>(static_cast<Number>(T(static_cast<Number>(value))));
    }
  });
}

double rounded_number(ElementType type, double value) {
  return rounded(type == ElementType::half ? ElementType::float32 : type, value);
}

PaddedField::PaddedField(std::shared_ptr<GridState> grid, std::shared_ptr<FieldRecord> record,
                         const Extents& layers)
    : grid_(std::move(grid)), record_(std::move(record)), domain_(grid_->box(record_->location)) {
  Extents made = grid_->active ? Extents{}
                               : layers;  // deeper ones would mirror what lies beyond the other end
  for (std::size_t a = 0; a < 3; ++a) {
    made.low[a] = std::min(made.low[a], grid_->cells[a]);
    made.high[a] = std::min(made.high[a], grid_->cells[a]);
  }
  box_ = extended(domain_, made);
  const auto count = static_cast<std::size_t>(box_.volume() * record_->components);
  values_.resize(count);
  stamps_.assign(count, -1);
}

std::size_t PaddedField::at(int component, const Index3& cell) const {
  const Index3 i = cell - box_.lower, n = box_.extents();
  return static_cast<std::size_t>(i[0] + n[0] * (i[1] + n[1] * (i[2] + n[2] * component)));
}

double PaddedField::as_stored(double value) const { return rounded(record_->type, value); }

void PaddedField::set(int component, const Index3& cell, double value) {
  values_[at(component, cell)] = as_stored(value);
  change_ = ghosts_of_ + 1;
}

double PaddedField::read(const std::string& stage, int component, const Index3& cell) const {
  const auto is_between = [&](std::size_t a) {
    return cell[a] > domain_.lower[a] && cell[a] < domain_.upper[a] - 1;
  };
  if (is_between(0) && is_between(1) && is_between(2)) return values_[at(component, cell)];
  if (box_.contains(cell)) {
    const std::size_t i = at(component, cell);
    if (stamps_[i] == change_ || axis_of_ghost(component, cell) < 0) return values_[i];
  }
  throw Error(ExitCode::usage,
              "stage '" + stage + "' reads an old ghost cell of '" + record_->name + "'",
              to_string(Box{cell, cell + Index3{1, 1, 1}}) + " was not made for the field's values",
              "this is a bug in goban");
}

/// The last axis along which the cell lies beyond the domain, or on a face that has the wall's
/// value; -1: it is a value of its own.
int PaddedField::axis_of_ghost(int component, const Index3& cell) const {
  for (int axis = 2; axis >= 0; --axis) {
    const Index last = domain_.upper[axis] - 1, i = cell[axis];
    if (i < 0 || i > last) return axis;
    if (!is_staggered(record_->location, axis)) continue;
    const auto is_set = [&](Side side) {
      return record_->condition(component, axis, side).kind == ConditionKind::wall_value;
    };
    if ((i == 0 && is_set(Side::low)) || (i == last && is_set(Side::high))) return axis;
  }
  return -1;
}

double PaddedField::ghost(int component, const Index3& cell, int axis, double time) const {
  const auto a = static_cast<std::size_t>(axis);
  const Index cells = grid_->cells[a];
  const auto value_at = [&](Index along) {
    Index3 source = cell;
    source[a] = along;
    return values_[at(component, source)];
  };
  if (grid_->is_periodic(axis)) return value_at((cell[a] % cells + cells) % cells);
  const bool is_face = is_staggered(record_->location, axis);
  const Side side = cell[a] <= 0 ? Side::low : Side::high;
  const BoundaryCondition& condition = record_->condition(component, axis, side);
  const Index edge = side == Side::low ? 0 : is_face ? cells : cells - 1;
  const int depth = static_cast<int>(std::abs(cell[a] - edge));
  const double number = condition.value_at(time);
  const bool is_wall = is_face && depth == 0;
  if (is_wall) return number;
  const Index image = mirrored(cell[a], cells, is_face);
  const double between = grid_->spacing[a] * (is_face ? 2 * depth : 2 * depth - 1);
  switch (condition.kind) {
    case ConditionKind::mirror: return value_at(image);
    case ConditionKind::wall_value: {
      const double twice = rounded_number(record_->type, 2 * number);
      return rounded_number(record_->type, twice - value_at(image));
    }
    case ConditionKind::gradient: {
      const double rise = rounded_number(record_->type, number * between);
      return rounded_number(record_->type, value_at(image) + rise);
    }
    case ConditionKind::constant: return number;
    case ConditionKind::custom: break;
    case ConditionKind::periodic:
    case ConditionKind::bounce_back: require(false, "boxes have no such ghosts");
  }
  GhostCell seen;
  seen.depth = depth;
  seen.component = component;
  seen.time = time;
  seen.available = static_cast<int>(std::min<Index>(cells, GhostCell::most));
  const Position origin = grid_->position({0, 0, 0}, record_->location);
  seen.position = {origin.x, origin.y, origin.z};
  for (std::size_t b = 0; b < 3; ++b) {
    const Index all = grid_->cells[b];
    seen.index[b] = grid_->is_periodic(static_cast<int>(b)) ? (cell[b] % all + all) % all : cell[b];
    seen.position[b] += static_cast<double>(seen.index[b]) * grid_->spacing[b];
  }
  const Index first = edge + (is_face ? (side == Side::low ? 1 : -1) : 0);
  for (int n = 0; n < seen.available; ++n) {
    seen.values[static_cast<std::size_t>(n)] = value_at(side == Side::low ? first + n : first - n);
  }
  return (*condition.rule)(seen);
}

/// What lies beyond several axes is made of ghosts beyond the earlier ones; what mirrors a wall
/// face comes after it.
void PaddedField::make_ghosts(double time) {
  ghosts_of_ = ++change_;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const Index last = domain_.upper[a] - 1;
    std::array<Box, 4> slabs;
    slabs.fill(box_);
    slabs[0].lower[a] = 0, slabs[0].upper[a] = 1;
    slabs[1].lower[a] = last, slabs[1].upper[a] = last + 1;
    slabs[2].upper[a] = 0;
    slabs[3].lower[a] = last + 1;
    for (const Box& slab : slabs) {
      for (int c = 0; c < record_->components; ++c) {
        each_cell(slab, [&](const Index3& cell) {
          if (axis_of_ghost(c, cell) != axis) return;
          values_[at(c, cell)] = rounded(record_->type, ghost(c, cell, axis, time));
          stamps_[at(c, cell)] = change_;
        });
      }
    }
  }
}

void PaddedField::take() {
  const std::size_t size = record_->element_size();
  std::vector<std::byte> all(size * static_cast<std::size_t>(domain_.volume()) *
                             static_cast<std::size_t>(record_->components));
  copy_out(*grid_, *record_, domain_, all.data());
  const std::byte* from = all.data();
  for (int c = 0; c < record_->components; ++c) {
    each_cell(domain_, [&](const Index3& cell) {
      visit_element(record_->type, [&]<class T>(T element) {
        std::memcpy(&element, from, size);
        set(c, cell, static_cast<double>(static_cast<ArithmeticOf<T>>(element)));
      });
      from += size;
    });
  }
}

std::vector<std::byte> PaddedField::elements(const Box& box) const {
  std::vector<std::byte> all;
  for (int c = 0; c < record_->components; ++c) {
    each_cell(box, [&](const Index3& cell) {
      visit_element(record_->type, [&]<class T>(T) {
        const T element(static_cast<ArithmeticOf<T>>(values_[at(c, cell)]));
        const auto* bytes = reinterpret_cast<const std::byte*>(&element);
        all.insert(all.end(), bytes, bytes + sizeof(T));
      });
    });
  }
  return all;
}

void PaddedField::put() const { copy_in(*grid_, *record_, domain_, elements(domain_).data()); }

void PaddedField::swap_values(PaddedField& other) {
  std::swap(values_, other.values_);
  std::swap(stamps_, other.stamps_);
  std::swap(box_, other.box_);
  std::swap(change_, other.change_);
  std::swap(ghosts_of_, other.ghosts_of_);
}

}  // namespace goban::reference
