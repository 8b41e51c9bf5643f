#include "goban/backend/cuda/launch/stage_kernels.hpp"

#include <algorithm>

namespace goban::cuda {
namespace {

using Kind = KernelForm::Kind;

KernelSource source_of(std::string text) { return {std::move(text), "goban_kernel", {}}; }

}  // namespace

KernelForm sweep_form(const LaunchChoice& choice, bool sends_ends) {
  return {Kind::sweep, {choice.block.rows, choice.block.planes, choice.pack, sends_ends ? 1 : 0}};
}
KernelForm march_form(Kind kind, const MarchTiles& tiles, bool sends) {
  return {kind, {tiles.steps, tiles.rows, tiles.warps, tiles.ahead, tiles.blocks, sends ? 1 : 0}};
}

const KernelSubject& StageKernels::with_packs(int cells) {
  if (cells == 0) return subject_;
  const auto [at, is_new] = narrower_.try_emplace(cells, subject_);
  if (is_new) at->second.shape.width = cells;
  return at->second;
}

std::string StageKernels::text_of(const KernelForm& form) {
  const auto& n = form.numbers;
  const MarchTiles tiles{n[0], n[1], n[2], n[3], n[4]};
  switch (form.kind) {
    case Kind::sweep: return sweep_text(with_packs(n[2]), {n[0], n[1]}, n[3] != 0);
    case Kind::in_place: return in_place_text(subject_);
    case Kind::columns: return column_text(subject_, n[0] != 0);
    case Kind::ring: return march_text(subject_, tiles, "ring.cuh");
    case Kind::steps: break;
  }
  return march_text(subject_, tiles, "steps.cuh", n[5] != 0);
}

const Kernel& StageKernels::kernel(int device, const KernelForm& form) {
  for (const Made& one : made_) {
    if (one.device == device && one.form == form) return *one.kernel;
  }
  const auto ahead = ahead_.extract(form);
  const Kernel& found = cuda::kernel(device, ahead ? ahead.mapped() : source_of(text_of(form)));
  made_.push_back({form, device, &found});
  return found;
}

void StageKernels::add_source(const KernelForm& form, std::vector<KernelSource>& sources) {
  const bool is_made =
      std::any_of(made_.begin(), made_.end(), [&](const Made& one) { return one.form == form; });
  if (is_made || ahead_.count(form) > 0) return;
  sources.push_back(ahead_.emplace(form, source_of(text_of(form))).first->second);
}

StageKernels& StageKernelStore::of(const std::shared_ptr<const Stage>& stage) {
  return kernels_.try_emplace({stage, stage.get()}, *stage).first->second;
}

bool StageKernelStore::Key::operator<(const Key& other) const {
  if (stage.owner_before(other.stage)) return true;
  if (other.stage.owner_before(stage)) return false;
  return address < other.address;
}

}  // namespace goban::cuda
