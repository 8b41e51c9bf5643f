#include "goban/backend/cpu/stage_kernel.hpp"

#include "goban/backend/cpu/column_scratch.hpp"
#include "goban/backend/cpu/generator/row_text.hpp"
#include "goban/base/error.hpp"
#include "goban/stencil/graph/branches.hpp"

namespace goban::cpu {

StageKernel::StageKernel(const Stage& stage) : shape_(stage, target_instructions()) {
  if (!stage.columns) {
    whole_ = rows_of(stage, *stage.graph, stage.footprint);
    return;
  }
  for (const ParameterDescription& parameter : stage.footprint.parameters) {
    if (parameter.kind != ParameterDescription::Kind::scratch) continue;
    scratch_numbers_ += parameter.components;
    scratch_bytes_ = static_cast<int>(size_of(parameter.type));
  }
  const auto sweep = [&](const RecordedSweep& recorded) {
    return recorded.graph ? rows_of(stage, *recorded.graph, recorded.footprint) : nullptr;
  };
  forward_ = sweep(stage.columns->forward);
  backward_ = sweep(stage.columns->backward);
}

std::unique_ptr<StageKernel::Rows> StageKernel::rows_of(const Stage& stage, const Graph& graph,
                                                        const Footprint& footprint) {
  auto rows = std::make_unique<Rows>();
  auto plain = std::make_shared<const Graph>(without_branches(graph, footprint));
  std::vector<bool> reads_other_grid;
  for (std::size_t a = 0; a < stage.arguments.size(); ++a) {
    reads_other_grid.push_back(stage.arguments[a].field && !map_of(stage, a).is_identity());
  }
  rows->subject = {
      plain,
      footprint,
      {},
      std::make_shared<const RowProgram>(*plain, footprint, shape_.order[0], reads_other_grid)};
  KernelSubject subject(stage);
  subject.graph = plain.get();
  subject.footprint = &rows->subject.footprint;
  subject.shape.width = shape_.width;
  subject.shape.reads_otherwise = false;
  subject.constants = plain->argument_constants();
  for (const int n : subject.constants) {
    rows->subject.constants.push_back(static_cast<std::uint64_t>(plain->node(n).data[0]));
  }
  std::vector<RowVariant> variants;
  if (shape_.writes_in_place) {
    variants = {{.name = "goban_rows", .fetches = true, .is_in_place = true},
                {.name = "goban_one_row"}};
  } else {
    const bool streams = !shape_.is_reduction && !stage.columns;
    variants.push_back(
        {.name = "goban_rows", .planes = shape_.planes, .fetches = true, .streams = streams});
    if (shape_.planes > 1) {
      variants.push_back({.name = "goban_one_row", .fetches = true, .streams = streams});
    }
    if (shape_.planes_in_cache > 1) {
      rows->in_cache = variants.size();
      variants.push_back({.name = "goban_in_cache", .planes = shape_.planes_in_cache});
    }
  }
  if (kernel_mode() == KernelMode::evaluate) return rows;
  std::vector<std::string> names;
  for (const RowVariant& variant : variants) names.push_back(variant.name);
  rows->code = code_of(row_text(subject, shape_, variants, target_instructions()),
                       target_instructions(), names);
  if (kernel_mode() == KernelMode::wait) rows->code->wait();
  return rows;
}

bool StageKernel::Rows::is_ready() const {
  static const bool is_of_this_processor = can_run(target_instructions());
  return is_of_this_processor && code && code->state() == Code::State::ready;
}

RowKernels StageKernel::Rows::kernels() const {
  if (!is_ready()) return {};
  const auto function = [&](std::size_t n) {
    return reinterpret_cast<device::RowFunction>(code->functions()[n]);
  };
  RowKernels kernels;
  kernels.rows = kernels.one_row = function(0);
  if (in_cache != 1 && code->functions().size() > 1) kernels.one_row = function(1);
  if (in_cache > 0) kernels.in_cache = function(in_cache);
  return kernels;
}

bool StageKernel::wait() const {
  bool are_ready = true;
  for (const auto* rows : {&whole_, &forward_, &backward_}) {
    if (*rows && (*rows)->code) (*rows)->code->wait();
    are_ready = are_ready && (!*rows || (*rows)->is_ready());
  }
  return are_ready;
}

StageRun::StageRun(const StageKernel& kernel, const SweepCall& call, bool is_in_cache)
    : kernel_(kernel), is_in_cache_(is_in_cache) {
  if (!kernel.whole_) return;
  const StageKernel::Rows& rows = *kernel.whole_;
  walk_ = std::make_unique<RowWalk>(rows.subject, kernel.shape_, rows.kernels(), call);
}

void StageRun::operator()(const SweepCall& part) {
  if (part.box.empty()) return;
  if (walk_) return walk_->run(part, is_in_cache_);
  kernel_.sweep_columns(part);
}

/// Computes columns tile by tile and, within a tile, level by level; a level is a sweep over the
/// tile's cells. The scratch memory stays in cache.
void StageKernel::sweep_columns(const SweepCall& call) const {
  const int axis = call.column_axis;
  for_each_tile(call, shape_.order, scratch_numbers_ * scratch_bytes_, [&](const Box& tile) {
    const ColumnScratch scratch(tile, axis, shape_.order, scratch_numbers_, scratch_bytes_);
    const auto walk = [&](const Rows& rows, Index first, Index last, Index by) {
      const RowKernels kernels = rows.kernels();
      RowWalk level(rows.subject, shape_, kernels, call);
      const ScratchBinding here = scratch.coming_from(-by);
      Box box = tile;
      for (Index k = first; k != last; k += by) {
        box.lower[static_cast<std::size_t>(axis)] = k;
        box.upper[static_cast<std::size_t>(axis)] = k + 1;
        level.run_level(box, here);
      }
    };
    const Index low = tile.lower[static_cast<std::size_t>(axis)],
                high = tile.upper[static_cast<std::size_t>(axis)];
    if (forward_) walk(*forward_, low, high, 1);
    if (backward_) walk(*backward_, high - 1, low - 1, -1);
  });
}

StageKernels& StageKernels::get() {
  static StageKernels* const all = new StageKernels;
  return *all;
}

const StageKernel& StageKernels::of(const std::shared_ptr<const Stage>& stage) {
  const std::lock_guard lock(mutex_);
  auto& kernel = kernels_[{stage, stage.get()}];
  if (!kernel) kernel = std::make_unique<StageKernel>(*stage);
  return *kernel;
}

bool StageKernels::Key::operator<(const Key& other) const {
  if (stage.owner_before(other.stage)) return true;
  if (other.stage.owner_before(stage)) return false;
  return address < other.address;
}

}  // namespace goban::cpu
