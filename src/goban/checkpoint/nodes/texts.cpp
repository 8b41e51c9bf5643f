#include "goban/checkpoint/nodes/texts.hpp"

#include "goban/base/agreement.hpp"

namespace goban {

std::string text_of_all(Communicator& communicator, const std::string& own) {
  std::vector<Parcel> parcels;
  const auto bytes = std::as_bytes(std::span(own));
  if (!own.empty()) parcels.push_back({0, {bytes.begin(), bytes.end()}});
  const std::vector<Parcel> came = communicator.exchange(std::move(parcels));
  return text_of_first(communicator, [&] {
    std::string text;
    for (const Parcel& parcel : came) {
      text.append(reinterpret_cast<const char*>(parcel.bytes.data()), parcel.bytes.size());
    }
    return text;
  });
}

}  // namespace goban
