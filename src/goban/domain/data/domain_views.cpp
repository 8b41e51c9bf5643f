// Lets other libraries work on fields where these lie in memory.

#include <utility>

#include "goban/base/error.hpp"
#include "goban/domain/data/domain.hpp"

namespace goban {

/// Notes that memory is lent, because others may work on it in another queue than the one in which
/// goban reads it next.
std::vector<MemoryView> Domain::views(const FieldRecord& field, ViewAccess access) {
  synchronize();
  are_lent_ = true;
  return views_of(field, access);
}

std::vector<MemoryView> Domain::views_of(const FieldRecord& field, ViewAccess access) {
  const std::string problem = "field '" + field.name + "' cannot be viewed";
  require(!field.in_place, problem, "it is stored in place, every component in a ring of its own",
          "copy its values");
  require(!grid_of(field).active, problem, "its grid has active cells, which lie in a list",
          "copy its values");
  Buffer& buffer = values_of(field);
  std::vector<MemoryView> all;
  for (const auto& patch : patches_.of_grid(field.grid)) {
    all.push_back(view_of(field, buffer, patch));
  }
  if (access == ViewAccess::write) modified(buffer);
  return all;
}

MemoryView Domain::view_of(const FieldRecord& field, const Buffer& buffer,
                           const PatchGeometry& patch) {
  const auto p = patches_.position(patch.patch);
  const FieldLayout& layout = buffer.layout[p];
  const Box local = patch.owned_local(field.location);
  MemoryView view;
  view.data =
      buffer.cells(p, 0) + layout.offset(local.lower) * static_cast<Index>(field.element_size());
  view.type = field.type;
  view.components = field.components;
  view.stride = layout.stride;
  view.component_stride = layout.component_stride;
  view.box = shifted(local, patch.owned.lower);
  view.memory = buffer.memory[p];
  if (GuestWork* const device = executors_[p]->guests()) {
    view.gpu = device->device_number();
    view.stream = device->stream();
  }
  return view;
}

void Domain::lend(const MemoryView& view, void* stream) {
  for (Executor* executor : executors()) {
    GuestWork* const device = executor->guests();
    if (!device || device->device_number() != view.gpu || stream == device->stream()) continue;
    if (stream) device->let_wait(stream);
    are_lent_ = true;
  }
}

/// Waits for whole devices, as others may have put work on any stream.
void Domain::await_guests() {
  for (Executor* executor : executors()) {
    if (GuestWork* const device = executor->guests()) device->await_guests();
  }
}

void Domain::end_views() {
  ++views_number_;
  if (std::exchange(are_lent_, has_given_)) await_guests();
  for (const auto& buffer : buffers_) {
    if (has_given_ && buffer && buffer->is_given) modified(*buffer);  // others may have written
  }
}

void Domain::call_on_device(const std::vector<ViewedField>& fields,
                            const DeviceFunction& function) {
  const auto all = executors();
  GuestWork* const alone =
      all.size() == 1 && communicator_->size() == 1 ? all.front()->guests() : nullptr;
  const auto wait = [&](void (GuestWork::*in_queue)()) {
    alone ? (alone->*in_queue)() : synchronize();
  };
  wait(&GuestWork::begin_guest_work);
  std::vector<std::vector<MemoryView>> views;
  for (const ViewedField& one : fields) views.push_back(views_of(*one.record, one.access));
  try {
    for (std::size_t n = 0; n < views.front().size(); ++n) {
      std::vector<MemoryView> of_patch;
      for (const auto& of_field : views) of_patch.push_back(of_field[n]);
      const int grid = fields.front().record->grid;
      GuestWork* const guests = executor(patches_.of_grid(grid)[n].patch).guests();
      guests ? guests->run_guest([&] { function(of_patch); }) : function(of_patch);
    }
  } catch (...) {
    synchronize();
    throw;
  }
  wait(&GuestWork::end_guest_work);
  end_views();
}

}  // namespace goban
