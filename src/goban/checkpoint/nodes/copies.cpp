#include "goban/checkpoint/nodes/copies.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "goban/base/agreement.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

constexpr Index copied_bytes = Index{1} << 20;  ///< at a time, of each file

}  // namespace

void copy_files(Communicator& communicator, const std::vector<FileCopy>& copies) {
  const int rank = communicator.rank();
  std::map<std::uint64_t, InputFile> sources;
  std::map<std::uint64_t, std::unique_ptr<AtomicFile>> targets;
  Index longest = 0;
  agree(communicator, [&] {
    for (std::uint64_t n = 0; n < copies.size(); ++n) {
      longest = std::max(longest, copies[n].bytes);
      if (copies[n].from == rank) sources.try_emplace(n, copies[n].source);
      if (copies[n].to == rank) targets[n] = std::make_unique<AtomicFile>(copies[n].target);
    }
  });
  for (Index begin = 0; begin < longest; begin += copied_bytes) {
    std::vector<Parcel> parcels;
    agree(communicator, [&] {
      for (const auto& [n, source] : sources) {
        const Index count = std::min(copied_bytes, copies[n].bytes - begin);
        if (count <= 0) continue;
        Parcel parcel{copies[n].to,
                      std::vector<std::byte>(sizeof(n) + static_cast<std::size_t>(count))};
        std::memcpy(parcel.bytes.data(), &n, sizeof(n));
        source.read(begin, parcel.bytes.data() + sizeof(n), count);
        parcels.push_back(std::move(parcel));
      }
    });
    const std::vector<Parcel> came = communicator.exchange(std::move(parcels));
    agree(communicator, [&] {
      for (const Parcel& parcel : came) {
        std::uint64_t n = 0;
        std::memcpy(&n, parcel.bytes.data(), sizeof(n));
        targets.at(n)->write(parcel.bytes.data() + sizeof(n), parcel.bytes.size() - sizeof(n));
      }
    });
  }
  agree(communicator, [&] {
    for (const auto& [n, target] : targets) target->commit();
  });
}

}  // namespace goban
