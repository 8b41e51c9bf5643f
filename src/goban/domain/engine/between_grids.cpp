#include "goban/domain/engine/between_grids.hpp"

#include <algorithm>

namespace goban {
namespace {

using Stages = std::vector<std::shared_ptr<Stage>>;

/// Returns the field that holds the values on the image of its grid. It gets the boundary
/// conditions that the original field has now.
std::shared_ptr<FieldRecord> image_of(const FieldRecord& field, GridState& image) {
  auto& fields = image.root->fields;
  const auto known = std::find_if(fields.begin(), fields.end(), [&](const auto& other) {
    return other->image_of == field.id && other->grid == image.number;
  });
  if (known != fields.end()) {
    (*known)->boundary = field.boundary;
    return *known;
  }
  FieldRecord record = field;
  record.name += " (cut as the finer grid)";
  record.image_of = field.id;
  record.is_output = false;
  return declare_field(image, std::move(record));
}

std::shared_ptr<Stage> move(const StageArgument& from, const StageArgument& to) {
  auto stage = std::make_shared<Stage>();
  stage->kind = Stage::Kind::move;
  stage->name = "move";
  stage->arguments = {from, to};
  stage->arguments[0].access = Access::in;
  stage->arguments[1].access = Access::out;
  return stage;
}

class Distribution {
 public:
  Distribution(const Stage& stage, const Domain& domain)
      : stage_(stage), domain_(domain), its_(std::make_shared<Stage>(stage)) {}

  /// Returns nothing if the stage can run as it is.
  Stages stages() {
    StageArgument mask;
    if (stage_.mask) {
      mask.field = stage_.mask;
      mask.grid = grid_of(stage_);
      if (lies_elsewhere(mask)) its_->mask = fetched(mask, true).field;
    }
    for (StageArgument& argument : its_->arguments) {
      if (!argument.field || !lies_elsewhere(argument)) continue;
      const bool keeps = argument.access != Access::out || !stage_.covers_everything();
      const StageArgument there = fetched(argument, keeps);
      if (argument.access != Access::in) after_.push_back(move(there, argument));
      argument.field = there.field;
      argument.grid = there.grid;
    }
    if (before_.empty() && after_.empty()) return {};
    Stages all = std::move(before_);
    all.push_back(its_);
    all.insert(all.end(), after_.begin(), after_.end());
    return all;
  }

 private:
  /// Whether the coarser of the two grids is cut in another way than the finer one.
  bool lies_elsewhere(const StageArgument& argument) const {
    if (!domain_.image_of(*argument.grid)) return false;
    return std::any_of(stage_.arguments.begin(), stage_.arguments.end(), [&](const auto& other) {
      return other.grid && other.grid.get() == argument.grid->finer;
    });
  }
  StageArgument fetched(const StageArgument& argument, bool with_values) {
    StageArgument there = argument;
    there.grid = member_of(argument.grid, domain_.image_of(*argument.grid)->number);
    there.field = image_of(*argument.field, *there.grid);
    if (with_values) before_.push_back(move(argument, there));
    return there;
  }

  const Stage& stage_;
  const Domain& domain_;
  std::shared_ptr<Stage> its_;
  Stages before_, after_;
};

}  // namespace

Stages with_moves(const Stages& stages, const Domain& domain) {
  Stages all;
  for (const auto& stage : stages) {
    const Stages several = stage->is_sweep() && reads_other_grids(*stage)
                               ? Distribution(*stage, domain).stages()
                               : Stages{};
    if (several.empty()) {
      all.push_back(stage);
    } else {
      all.insert(all.end(), several.begin(), several.end());
    }
  }
  return all;
}

}  // namespace goban
