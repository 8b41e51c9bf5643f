#pragma once
// The functors of a fuse, what they use, and what follows from it, without their types.

#include <string>
#include <vector>

#include "goban/program/fuse_uses.hpp"
#include "goban/program/stage.hpp"

namespace goban::detail {

struct FuseList {
  FuseUses<std::vector<FuseArgumentKind>, std::vector<FuseUse>> uses;
  std::vector<StageArgument> arguments;
  std::vector<bool> is_walled;        ///< per argument: its constants beyond the ends are evaluated
  std::vector<std::string> names;     ///< names of the functors
  std::vector<Footprint> footprints;  ///< footprints of the functors

  /// Error (ExitCode::usage): see GOBAN_FUSE_RULES.
  void check_uses() const;
  /// Errors: see goban::check of footprints.
  void check_footprints() const;

  std::string name() const;
  /// The arguments of the fused functor: all that are not intermediate.
  std::vector<StageArgument> stored() const;
  std::vector<Handover> handovers() const;
  /// As in a sweep of the functor alone: where the last field lies that it writes.
  Real3 site_offset(int stage) const;

  /// What stands for the parameters of a functor.
  std::vector<FuseUse> uses_of(int stage) const;
  const FieldRecord& field(const FuseUse& use) const {
    return *arguments[static_cast<std::size_t>(use.argument)].field;
  }

 private:
  /// `read`: what a stage reads as its parameter `position`.
  Handover handover(const FuseUse& read, int position) const;
};

}  // namespace goban::detail
