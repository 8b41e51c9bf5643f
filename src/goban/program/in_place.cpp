#include "goban/program/in_place.hpp"

#include <algorithm>

#include "goban/base/error.hpp"

namespace goban {
namespace {

bool takes_place(const FieldRecord* field) { return field && field->in_place_of >= 0; }

/// The swap of `next` and the field whose place it takes.
bool is_swap_of(const Stage& stage, const FieldRecord& next) {
  if (stage.kind != Stage::Kind::permute || stage.names.size() != 2) return false;
  const FieldRecord* const a = stage.names[0].get();
  const FieldRecord* const b = stage.names[1].get();
  return (a == &next && b->id == next.in_place_of) || (b == &next && a->id == next.in_place_of);
}

/// Where the components of an argument are read; (0, 0, 0) for those that are not.
std::vector<std::array<int, 3>> offsets_read(const Stage& stage, int argument) {
  const auto& field = stage.arguments[static_cast<std::size_t>(argument)].field;
  std::vector<std::array<int, 3>> offsets(static_cast<std::size_t>(field->components));
  for (const Read& read : stage.footprint.reads) {
    if (read.parameter == argument) {
      offsets[static_cast<std::size_t>(read.component)] = read.offset;
    }
  }
  return offsets;
}

void check_offsets(const Stage& stage, const InPlacePair& pair) {
  const auto& field = stage.arguments[static_cast<std::size_t>(pair.from)].field;
  const std::string refusal =
      "stage '" + stage.name + "' cannot work on field '" + field->name + "' in place";
  const auto offsets = offsets_read(stage, pair.from);
  for (const Read& read : stage.footprint.reads) {
    if (read.parameter != pair.from) continue;
    const std::string which = "component " + std::to_string(read.component);
    require(read.offset == offsets[static_cast<std::size_t>(read.component)], refusal,
            which + " is read at several offsets", "store it without InPlace");
    require(std::all_of(read.offset.begin(), read.offset.end(), [](int o) { return abs(o) <= 1; }),
            refusal, which + " is read more than a cell away", "store it without InPlace");
  }
}

/// Stage i writes the argument, a field that takes the place of another.
void check_output(const std::vector<std::shared_ptr<Stage>>& stages, std::size_t i,
                  const StageArgument& argument) {
  const Stage& stage = *stages[i];
  const FieldRecord& next = *argument.field;
  const std::string refusal = "stage '" + stage.name + "' cannot use field '" + next.name + "'";
  const FieldRecord& field =
      *argument.grid->root->fields[static_cast<std::size_t>(next.in_place_of)];
  require(stage.kind == Stage::Kind::apply && argument.access == Access::out, refusal,
          "it has no values but those of '" + field.name + "' after a step",
          "read '" + field.name + "'");
  require(next.location == Location::cell, refusal, "it lies in place on faces or nodes",
          "store it without InPlace");
  require(stage.covers_everything(), refusal,
          "it takes the place of '" + field.name + "', which is not whole after part of a step",
          "leave the region or the mask away");
  const auto uses =
      std::count_if(stage.arguments.begin(), stage.arguments.end(), [&](const StageArgument& a) {
        return a.field && (a.field.get() == &field || takes_place(a.field.get()));
      });
  const InPlacePair pair = in_place_pair(stage);
  require(pair.from >= 0 && uses == 2, refusal,
          "it takes the place of '" + field.name + "' as the same stage reads it",
          "pass in(" + field.name + ") and out(" + next.name + "), once each");
  check_offsets(stage, pair);
  require(i + 1 < stages.size() && is_swap_of(*stages[i + 1], next), refusal,
          "'" + field.name + "' is gone after it", "swap both right after the stage");
}

void check_permutation(const std::vector<std::shared_ptr<Stage>>& stages, std::size_t i) {
  for (const auto& name : stages[i]->names) {
    if (!name->in_place) continue;
    bool is_streamed = false;
    if (i > 0 && stages[i - 1]->kind == Stage::Kind::apply) {
      const InPlacePair pair = in_place_pair(*stages[i - 1]);
      is_streamed = pair.to >= 0 &&
                    is_swap_of(*stages[i],
                               *stages[i - 1]->arguments[static_cast<std::size_t>(pair.to)].field);
    }
    require(is_streamed, "swap of field '" + name->name + "' is refused", "it is stored in place",
            "swap it with the output of the stage just before, or store it without InPlace");
  }
}

}  // namespace

InPlacePair in_place_pair(const Stage& stage) {
  InPlacePair pair;
  const auto count = static_cast<int>(stage.arguments.size());
  for (int to = 0; to < count; ++to) {
    const StageArgument& written = stage.arguments[static_cast<std::size_t>(to)];
    if (written.access == Access::in || !takes_place(written.field.get())) continue;
    pair.to = to;
    for (int from = 0; from < count; ++from) {
      const StageArgument& read = stage.arguments[static_cast<std::size_t>(from)];
      if (read.access == Access::in && read.field && read.grid == written.grid &&
          read.field->id == written.field->in_place_of) {
        pair.from = from;
      }
    }
  }
  return pair;
}

std::vector<std::array<int, 3>> moves_in_place(const Stage& stage, const InPlacePair& pair) {
  const auto& field = stage.arguments[static_cast<std::size_t>(pair.from)].field;
  auto moves = offsets_read(stage, pair.from);
  for (auto& move : moves) move[static_cast<std::size_t>(field->order[0])] = 0;
  return moves;
}

void check_in_place(const std::vector<std::shared_ptr<Stage>>& stages) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Stage& stage = *stages[i];
    for (const StageArgument& argument : stage.arguments) {
      if (takes_place(argument.field.get())) check_output(stages, i, argument);
    }
    check_permutation(stages, i);
    for (const auto* fields : {&stage.reads, &stage.writes}) {
      for (const auto& field : *fields) {
        require(!takes_place(field.get()), "a call cannot use field '" + field->name + "'",
                "it has no values of its own");
      }
    }
  }
}

}  // namespace goban
