#include "tests/fuzz/field_pool.hpp"

#include <algorithm>
#include <cmath>

namespace goban::fuzz {
namespace {

constexpr const char* name_of(Location location) {
  constexpr const char* names[] = {"cell",   "face_x", "face_y", "face_z",
                                   "edge_x", "edge_y", "edge_z", "node"};
  return names[static_cast<int>(location)];
}

/// Sees the wall, the mirror image, where and when it is.
BoundaryCondition draw_custom(Random& random) {
  const double a = random.number(-0.5, 0.5), b = random.number(-0.5, 0.5);
  const double c = random.number(0, 1);
  return custom([=](const GhostCell& ghost) {
    const double wave = std::sin(static_cast<double>(ghost.index[0] + 3 * ghost.index[1]) +
                                 5 * ghost.position[2] + ghost.time);
    return a * ghost.inside(1) + b * ghost.inside(ghost.depth) + c * (wave - ghost.component);
  });
}

/// A number that follows time.
BoundaryCondition draw_varying(Random& random, double value) {
  const auto number = [value](double time) { return value * std::cos(3 * time); };
  switch (random.between(0, 2)) {
    case 0: return constant(number);
    case 1: return wall_value(number);
    default: return gradient(number);
  }
}

}  // namespace

const InPlacePair& FieldPool::in_place(Random& random) {
  if (!in_place_) {
    in_place_ = std::make_unique<InPlacePair>(grid_);
    for (int c = 0; c < InPlacePair::components; ++c) {
      const BoundarySet boundary = draw_boundary(random);
      in_place_->field.boundary(boundary, c);
      in_place_->next.boundary(boundary, c);
    }
  }
  return *in_place_;
}

std::vector<std::shared_ptr<FieldRecord>> FieldPool::records() const {
  std::vector<std::shared_ptr<FieldRecord>> all;
  for (const auto& field : fields_) all.push_back(field->record());
  if (in_place_) all.push_back(in_place_->field.record());
  return all;
}

std::string FieldPool::next_name() const {
  const auto grid = static_cast<std::size_t>(grid_.state()->number);
  std::string name = std::to_string(1000 * grid + fields_.size());
  name.insert(name.begin(), 'f');
  return name;
}

Location FieldPool::draw_location(Random& random) {
  return static_cast<Location>(random.between(0, 7));
}

void FieldPool::begin_stage(Random& random) {
  used_.clear();
  written_.clear();
  place_ = random.chance(0.75) ? Location::cell : draw_location(random);
  is_anywhere_ = random.chance(0.15);
}

Location FieldPool::place(Random& random) const {
  return is_anywhere_ ? draw_location(random) : place_;
}

BoundaryCondition FieldPool::draw_condition(Random& random) const {
  const double value = random.number(-2, 2);
  switch (random.between(0, allows_custom_ ? 5 : 3)) {
    case 0: return mirror;
    case 1: return constant(value);
    case 2: return wall_value(value);
    case 3: return gradient(value);
    case 4: return draw_varying(random, value);
    default: return draw_custom(random);
  }
}

BoundarySet FieldPool::draw_boundary(Random& random) const {
  BoundarySet boundary;
  for (Axis axis : all_axes) {
    if (grid_.state()->is_periodic(index_of(axis))) continue;
    for (Side side : both_sides) boundary.at(axis, side) = draw_condition(random);
  }
  return boundary;
}

std::vector<BoundarySet> FieldPool::boundary_at(Random& random, Location location,
                                                int components) const {
  std::vector<const FieldRecord*> known;
  for (const auto& field : fields_) {
    if (field->record()->location == location) known.push_back(field->record().get());
  }
  const auto count = static_cast<std::size_t>(components);
  if (!known.empty() && random.chance(0.8)) {
    const auto& boundary = random.one_of(known)->boundary;
    return boundary.size() == count ? boundary : std::vector(count, boundary.front());
  }
  std::vector<BoundarySet> boundary(count, draw_boundary(random));
  if (components > 1 && random.chance(0.5)) {
    for (auto& of_component : boundary) of_component = draw_boundary(random);
  }
  return boundary;
}

std::vector<const PooledField*> FieldPool::like(const FieldRecord& field) const {
  std::vector<const PooledField*> found;
  for (const auto& one : fields_) {
    const FieldRecord& other = *one->record();
    if (&other != &field && other.type == field.type && other.components == field.components &&
        other.order == field.order && other.location == field.location &&
        other.boundary == field.boundary) {
      found.push_back(one.get());
    }
  }
  return found;
}

const PooledField& FieldPool::of(const FieldRecord& field) const {
  for (const auto& one : fields_) {
    if (one->record().get() == &field) return *one;
  }
  throw std::logic_error("the field is in another pool");
}

std::string to_text(const BoundaryCondition& condition) {
  using Kind = BoundaryCondition::Kind;
  switch (condition.kind) {
    case Kind::periodic: return "periodic";
    case Kind::mirror: return "mirror";
    case Kind::constant: return "constant(" + to_text(condition.value) + ")";
    case Kind::wall_value: return "wall_value(" + to_text(condition.value) + ")";
    case Kind::gradient: return "gradient(" + to_text(condition.value) + ")";
    default: return "custom";
  }
}

std::string to_text(const FieldRecord& field) {
  std::string text = field.name + ": " + goban::name_of(field.type);
  if (field.components > 1) text += " x " + std::to_string(field.components);
  if (field.order != ijk::order) text += " kij";
  text += std::string(" ") + name_of(field.location);
  const bool is_same = std::count(field.boundary.begin(), field.boundary.end(),
                                  field.boundary.front()) == field.components;
  for (int c = 0; c < (is_same ? 1 : field.components); ++c) {
    if (!is_same) text += " [" + std::to_string(c) + "]";
    for (int axis = 0; axis < 3; ++axis) {
      const auto& low = field.condition(c, axis, Side::low);
      if (low.kind == periodic_kind) continue;
      text += std::string(" ") + "xyz"[axis] + " " + to_text(low) + " " +
              to_text(field.condition(c, axis, Side::high));
    }
  }
  return text;
}

}  // namespace goban::fuzz
