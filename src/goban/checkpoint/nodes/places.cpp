#include "goban/checkpoint/nodes/places.hpp"

#include <fmt/format.h>

#include <sstream>
#include <tuple>

#include "goban/checkpoint/nodes/texts.hpp"

namespace goban {
namespace {

namespace fs = std::filesystem;

Index room_at(fs::path path) {
  std::error_code error;
  while (!fs::exists(path, error) && path.has_relative_path()) path = path.parent_path();
  const fs::space_info space = fs::space(path, error);
  return error ? 0 : static_cast<Index>(space.available);
}

}  // namespace

int Places::index_of(const fs::path& folder, int rank) const {
  const auto machine = [&](int r) { return machine_of[static_cast<std::size_t>(r)]; };
  int found = -1;
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (all[n].folder != folder) continue;
    if (machine(all[n].rank) == machine(rank)) return static_cast<int>(n);
    if (found < 0) found = static_cast<int>(n);
  }
  return found;
}

Places gather_places(Communicator& communicator, const NodeLayout& layout, const fs::path& own,
                     const std::vector<fs::path>& others) {
  const int rank = communicator.rank();
  std::string text;
  const auto add = [&](const fs::path& folder) {
    text += fmt::format("{} {} {}\n", rank, room_at(folder), folder.string());
  };
  if (layout.leads(rank)) add(own);
  for (const fs::path& other : others) add(other);
  std::istringstream lines(text_of_all(communicator, text));
  Places places;
  places.machine_of = communicator.nodes();
  std::vector<int> of_node(static_cast<std::size_t>(layout.nodes()), -1);
  Place place;
  for (std::string folder; lines >> place.rank >> place.room && std::getline(lines, folder);) {
    place.folder = folder.substr(1);
    int& first = of_node[static_cast<std::size_t>(layout.node_of(place.rank))];
    if (first < 0 && layout.leads(place.rank)) first = static_cast<int>(places.all.size());
    places.all.push_back(place);
  }
  for (int r = 0; r < communicator.size(); ++r) {
    places.home_of.push_back(of_node[static_cast<std::size_t>(layout.node_of(r))]);
  }
  return places;
}

PlaceChoice::PlaceChoice(const Places& places)
    : places_(places.all), given_(places.all.size(), 0) {}

int PlaceChoice::choose(const std::vector<std::set<int>>& taken, int member, int home,
                        Index bytes) {
  const auto has = [&](std::size_t m, int place) { return taken[m].count(place) > 0; };
  const auto own = static_cast<std::size_t>(member);
  const auto is_crowded = [&](int place) {
    for (std::size_t m = 0; m < taken.size(); ++m) {
      if (m != own && has(m, place)) return true;
    }
    return false;
  };
  const auto rank_of = [&](int place) {
    const auto n = static_cast<std::size_t>(place);
    return std::tuple(places_[n].room < bytes, is_crowded(place), !has(own, place), place != home,
                      given_[n], place);
  };
  int best = 0;
  for (int place = 1; place < static_cast<int>(places_.size()); ++place) {
    if (rank_of(place) < rank_of(best)) best = place;
  }
  const auto n = static_cast<std::size_t>(best);
  places_[n].room -= bytes;
  ++given_[n];
  crowded_ += is_crowded(best) ? 1 : 0;
  return best;
}

}  // namespace goban
