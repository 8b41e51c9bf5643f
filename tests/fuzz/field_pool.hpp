#pragma once
// The fields of a random program: declared when a stage first wants one, shared by later stages.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "goban/program/program.hpp"
#include "tests/fuzz/random.hpp"

namespace goban::fuzz {

/// A field whose type is forgotten.
class PooledField {
 public:
  virtual ~PooledField() = default;
  virtual const std::shared_ptr<FieldRecord>& record() const = 0;
  /// The others must be alike.
  virtual void swap(Program& program, const PooledField& other) const = 0;
  virtual void rotate(Program& program, const PooledField& second,
                      const PooledField& third) const = 0;
};

template <class FieldType>
class PooledFieldOf : public PooledField {
 public:
  PooledFieldOf(Grid& grid, const std::string& name, FieldOptions options)
      : field(grid, name, options) {}
  const std::shared_ptr<FieldRecord>& record() const override { return field.record(); }
  void swap(Program& program, const PooledField& other) const override {
    program.swap(field, of(other));
  }
  void rotate(Program& program, const PooledField& second,
              const PooledField& third) const override {
    program.rotate(field, of(second), of(third));
  }

  FieldType field;

 private:
  static const FieldType& of(const PooledField& other) {
    return dynamic_cast<const PooledFieldOf&>(other).field;
  }
};

/// A field stored in place, and its next values.
struct InPlacePair {
  static constexpr int components = 9;
  explicit InPlacePair(Grid& grid) : field(grid, "s"), next(field, "s'") {}
  Field<InPlace<float>, components> field, next;
};

class FieldPool {
 public:
  FieldPool(const Grid& grid, bool allows_custom) : grid_(grid), allows_custom_(allows_custom) {}

  const Grid& grid() const { return grid_; }

  /// Where the next stage's fields live: all at one place, or each somewhere.
  void begin_stage(Random& random);

  /// A field the stage may read, not one that it writes.
  template <class T, int Components = 1, class Layout = ijk>
  const auto& input(Random& random) {
    return field<T, Components, Layout>(random, place(random), written_, 0.75);
  }
  /// A field that nothing else in the stage uses.
  template <class T, int Components = 1, class Layout = ijk>
  const auto& output(Random& random) {
    const auto& found = field<T, Components, Layout>(random, place(random), used_, 0.5);
    written_.insert(found.record().get());
    return found;
  }
  /// At a location that the family asks for.
  template <class T, class Layout = ijk>
  const auto& input_at(Random& random, Location location) {
    return field<T, 1, Layout>(random, location, written_, 0.75);
  }
  template <class T, class Layout = ijk>
  const auto& output_at(Random& random, Location location) {
    const auto& found = field<T, 1, Layout>(random, location, used_, 0.75);
    written_.insert(found.record().get());
    return found;
  }

  /// The one pair of its kind, which nothing else uses.
  const InPlacePair& in_place(Random& random);

  const std::vector<std::unique_ptr<PooledField>>& fields() const { return fields_; }
  /// All that have values of their own.
  std::vector<std::shared_ptr<FieldRecord>> records() const;
  /// Fields that may be swapped with this one.
  std::vector<const PooledField*> like(const FieldRecord& field) const;
  const PooledField& of(const FieldRecord& field) const;
  /// Other values of the conditions along walls, the kinds as well.
  BoundarySet draw_boundary(Random& random) const;

 private:
  std::string next_name() const;
  static Location draw_location(Random& random);
  Location place(Random& random) const;
  BoundaryCondition draw_condition(Random& random) const;

  template <class T, int Components, class Layout>
  const Field<T, Components, Layout>& field(Random& random, Location location,
                                            const std::set<const FieldRecord*>& excluded,
                                            double reuse) {
    using FieldType = Field<T, Components, Layout>;
    std::vector<const PooledFieldOf<FieldType>*> found;
    for (const auto& one : fields_) {
      const auto* typed = dynamic_cast<const PooledFieldOf<FieldType>*>(one.get());
      if (typed && one->record()->location == location && !excluded.count(one->record().get())) {
        found.push_back(typed);
      }
    }
    if (found.empty() || !random.chance(reuse)) {
      auto made =
          std::make_unique<PooledFieldOf<FieldType>>(grid_, next_name(), FieldOptions{location});
      const auto boundary = boundary_at(random, location, Components);
      for (int c = 0; c < Components; ++c) {
        made->field.boundary(boundary[static_cast<std::size_t>(c)], c);
      }
      found = {made.get()};
      fields_.push_back(std::move(made));
    }
    const FieldType& chosen = random.one_of(found)->field;
    used_.insert(chosen.record().get());
    return chosen;
  }
  /// Draws the boundary of each component; often that of another field there, so that the two may
  /// be swapped.
  std::vector<BoundarySet> boundary_at(Random& random, Location location, int components) const;

  Grid grid_;
  bool allows_custom_;
  std::vector<std::unique_ptr<PooledField>> fields_;
  std::unique_ptr<InPlacePair> in_place_;
  std::set<const FieldRecord*> used_, written_;  ///< by the stage being drawn
  Location place_ = Location::cell;
  bool is_anywhere_ = false;
};

/// Kind and value of a condition, as the user writes it.
std::string to_text(const BoundaryCondition& condition);
/// Name, type and place of a field with its conditions.
std::string to_text(const FieldRecord& field);

}  // namespace goban::fuzz
