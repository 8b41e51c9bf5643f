#include "goban/domain/data/near_fields.hpp"

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "goban/base/agreement.hpp"
#include "goban/base/error.hpp"

namespace goban {
namespace {

/// What a rank tells the rank of a neighbouring patch about a patch's memory. The handle of the
/// memory follows it in the message.
struct Note {
  int from, to;  ///< the patch whose device stores there, and the patch whose memory it is
  FieldLayout layout;
  Index skew;
};
static_assert(std::is_trivially_copyable_v<Note>);

}  // namespace

void NearFields::open(const Own& own, const std::array<bool, 3>& axes, const ExecutorOf& executor) {
  std::vector<Parcel> parcels;
  for (const auto& patch : patches_) {
    const std::size_t position = patches_.position(patch.patch);
    if (position >= own.memory.size() || !own.memory[position]) continue;  // of another grid
    std::set<int> neighbors;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const int neighbor : patch.neighbor[axis]) {
        if (axes[axis] && neighbor >= 0 && !patches_.is_local(neighbor)) neighbors.insert(neighbor);
      }
    }
    const auto handle = neighbors.empty()
                            ? std::vector<std::byte>{}
                            : executor(patch.patch).peers()->share(own.memory[position]);
    for (const int neighbor : neighbors) {
      const Note note{neighbor, patch.patch, own.layout[position], own.skew};
      Parcel parcel{patches_.rank_of(neighbor), std::vector<std::byte>(sizeof(note))};
      std::memcpy(parcel.bytes.data(), &note, sizeof(note));
      parcel.bytes.insert(parcel.bytes.end(), handle.begin(), handle.end());
      parcels.push_back(std::move(parcel));
    }
  }
  const auto received = communicator_->exchange(std::move(parcels));
  agree(*communicator_, [&] {
    for (const Parcel& parcel : received) {
      Note note;
      std::memcpy(&note, parcel.bytes.data(), sizeof(note));
      auto memory =
          executor(note.from).peers()->open_shared(std::span(parcel.bytes).subspan(sizeof(note)));
      if (!memory) {
        throw Error(
            ExitCode::resources,
            "memory of rank " + std::to_string(patches_.rank_of(note.to)) + " cannot be reached",
            "messages to it could", "use --transport nccl or host");
      }
      places_[{own.serial, note.from, note.to}] = {std::move(memory), note.layout, note.skew};
    }
  });
  open_.insert(own.serial);
}

FieldBinding NearFields::bind(int serial, int from, int to) const {
  const Place& place = places_.at({serial, from, to});
  const FieldLayout& layout = place.layout;
  FieldBinding binding;
  binding.write =
      place.memory.get() + place.skew + layout.origin * static_cast<Index>(size_of(layout.type));
  binding.read = binding.write;
  binding.stride = layout.stride;
  binding.component_stride = layout.component_stride;
  return binding;
}

void NearFields::close(int serial) {
  if (open_.erase(serial) == 0) return;
  communicator_->barrier();  // nobody stores there any more
  std::erase_if(places_, [&](const auto& one) { return std::get<0>(one.first) == serial; });
  communicator_->barrier();
}

void NearFields::close() {
  if (open_.empty()) return;
  communicator_->barrier();
  open_.clear();
  places_.clear();
  communicator_->barrier();
}

}  // namespace goban
