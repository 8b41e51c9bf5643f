#include "goban/domain/data/shared_boxes.hpp"

#include <array>
#include <cstring>

#include "goban/domain/ranks/rank_reductions.hpp"

namespace goban {
namespace {

Box box_of(const Parcel& parcel) {
  Box box;
  std::memcpy(&box, parcel.bytes.data(), sizeof(Box));
  return box;
}

/// What all ranks want, summed up.
struct Wishes {
  std::uint64_t questions = 0;  ///< the number of parts that ranks want from others
  std::uint64_t boxes = 0;
  int rank = 0;  ///< the rank, and below its box, if only one rank wants a box
  Box box;
};

Wishes wishes_of_all(Communicator& communicator, const Box& box, std::size_t questions) {
  std::array<std::uint64_t, 9> sums{questions};
  if (!box.empty()) {
    sums[1] = 1;
    sums[2] = static_cast<std::uint64_t>(communicator.rank());
    for (std::size_t a = 0; a < 3; ++a) {
      sums[3 + a] = static_cast<std::uint64_t>(box.lower[a]);
      sums[6 + a] = static_cast<std::uint64_t>(box.upper[a]);
    }
  }
  communicator.sum(sums);
  Wishes wishes{sums[0], sums[1], static_cast<int>(sums[2]), {}};
  for (std::size_t a = 0; a < 3; ++a) {
    wishes.box.lower[a] = static_cast<Index>(sums[3 + a]);
    wishes.box.upper[a] = static_cast<Index>(sums[6 + a]);
  }
  return wishes;
}

std::byte* values_in(Parcel& parcel) { return parcel.bytes.data() + sizeof(Box); }
const std::byte* values_in(const Parcel& parcel) { return parcel.bytes.data() + sizeof(Box); }

}  // namespace

Parcel SharedBoxes::parcel_for(int rank, const Box& box, bool with_values) const {
  const std::size_t values =
      with_values ? static_cast<std::size_t>(box.volume() * components_) * element_size_ : 0;
  Parcel parcel{rank, std::vector<std::byte>(sizeof(Box) + values)};
  std::memcpy(parcel.bytes.data(), &box, sizeof(Box));
  return parcel;
}

std::vector<Parcel> SharedBoxes::parcels_for_others(const Box& box, const BoxSource& part) const {
  std::vector<Parcel> parcels;
  for (int rank = 0; rank < communicator_.size(); ++rank) {
    const Box theirs = intersection(box, box_of_(rank));
    if (rank == communicator_.rank() || theirs.empty()) continue;
    parcels.push_back(parcel_for(rank, theirs, part != nullptr));
    if (part) part(theirs, values_in(parcels.back()));
  }
  return parcels;
}

void SharedBoxes::take(const std::vector<Parcel>& parcels, const BoxSink& own) const {
  for (const Parcel& parcel : parcels) own(box_of(parcel), values_in(parcel));
}

void SharedBoxes::copy_out(const Box& box, void* elements, const BoxSource& own) const {
  own(box, elements);
  if (communicator_.size() == 1) return;
  std::vector<Parcel> questions = parcels_for_others(box, nullptr), answers;
  const Wishes wishes = wishes_of_all(communicator_, box, questions.size());
  if (wishes.questions == 0) return;
  const auto answer = [&](int rank, const Box& asked) {
    answers.push_back(parcel_for(rank, asked, true));
    own(asked, values_in(answers.back()));
  };
  if (wishes.boxes == 1) {
    const Box asked = intersection(wishes.box, box_of_(communicator_.rank()));
    if (wishes.rank != communicator_.rank() && !asked.empty()) answer(wishes.rank, asked);
  } else {
    for (const Parcel& question : communicator_.exchange(std::move(questions))) {
      answer(question.rank, box_of(question));
    }
  }
  take(communicator_.exchange(std::move(answers)), [&](const Box& part, const void* values) {
    copy_common(part, values, box, elements, components_, element_size_);
  });
}

void SharedBoxes::copy_in(const Box& box, const void* elements, const BoxSink& own) const {
  own(box, elements);
  if (all_have(communicator_, box)) return;
  const auto part_of_it = [&](const Box& part, void* values) {
    copy_common(box, elements, part, values, components_, element_size_);
  };
  take(communicator_.exchange(parcels_for_others(box, part_of_it)), own);
}

void SharedBoxes::move(const SharedBoxes& before, const BoxSource& from, const BoxSink& own) const {
  if (communicator_.size() == 1) return;
  take(communicator_.exchange(parcels_for_others(before.box_of_(communicator_.rank()), from)), own);
}

}  // namespace goban
