#include "goban/backend/cuda/launch/launch_choice.hpp"

#include <algorithm>
#include <bit>
#include <sstream>

#include "goban/base/error.hpp"

namespace goban::cuda {
namespace {

using Order = LaunchShape::Order;

constexpr const char* order_names[] = {"", "planes", "slabs"};
constexpr int most_threads = 256;
constexpr int widest_pack = 16;

/// The number of threads that keep a device busy: 15 warps on each of 132 multiprocessors.
constexpr Index least_of_device = Index{1} << 16;
/// The least number of cells for which marching is tried. With fewer, a block would march through
/// many planes one after the other while most multiprocessors had no block.
constexpr Index least_of_march = Index{1} << 20;
/// Packs of fewer cells are not tried if there are more threads than this.
constexpr Index most_of_wide_packs = Index{1} << 18;

/// Reads a text like "2x4x1" as `Count` positive numbers.
template <std::size_t Count>
bool read(const std::string& text, std::array<int, Count>& numbers) {
  std::istringstream stream(text);
  for (std::size_t i = 0; i < Count; ++i) {
    char times = 'x';
    if (i > 0) stream >> times;
    if (times != 'x' || !(stream >> numbers[i]) || numbers[i] < 1) return false;
  }
  return stream.eof();
}
template <std::size_t Count>
std::string joined(const std::array<int, Count>& numbers) {
  std::string text;
  for (const int n : numbers) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

}  // namespace

std::string text_of(const LaunchChoice& choice) {
  if (choice.march) return "march";
  const auto& [rows, planes] = choice.block;
  std::string text = choice.pack == 0 ? joined(std::array{rows, planes})
                                      : joined(std::array{choice.pack, rows, planes});
  if (choice.shape.threads[0] == 0) return text;
  text += " " + joined(choice.shape.threads);
  if (choice.shape.order == Order::by_size) return text;
  return text + " " + order_names[static_cast<int>(choice.shape.order)];
}

std::optional<LaunchChoice> launch_choice(const std::string& text) {
  LaunchChoice choice;
  if (text == "march") {
    choice.march = true;
    return choice;
  }
  std::istringstream words(text);
  std::string block, threads, order, more;
  words >> block >> threads >> order >> more;
  if (!more.empty()) return {};
  if (std::array<int, 3> with_pack{}; read(block, with_pack)) {
    choice.pack = with_pack[0];
    if (!std::has_single_bit(static_cast<unsigned int>(choice.pack)) || choice.pack > widest_pack) {
      return {};
    }
    choice.block = {with_pack[1], with_pack[2]};
  } else if (std::array<int, 2> cells{}; read(block, cells)) {
    choice.block = {cells[0], cells[1]};
  } else {
    return {};
  }
  if (threads.empty()) return choice;
  if (!read(threads, choice.shape.threads)) return {};
  const auto& [x, y, z] = choice.shape.threads;
  if (x > most_threads || y > most_threads || z > most_threads || x * y * z > most_threads) {
    return {};
  }
  for (const Order o : {Order::by_size, Order::planes, Order::slabs}) {
    choice.shape.order = o;
    if (order == order_names[static_cast<int>(o)]) return choice;
  }
  return {};
}

void check_launches(const std::string& text) {
  const bool is_word = text == "tuned" || text == "anew" || text == "preset";
  require(is_word || launch_choice(text).has_value(), "launches \"" + text + "\" are refused",
          "that is no way to launch a sweep",
          "use tuned, anew, preset, march or rows x planes a thread with threads, as "
          "\"2x4 32x8x1 slabs\"");
}

std::vector<LaunchChoice> launch_choices(const DeviceShape& shape, bool may_march,
                                         const std::array<Index, 3>& cells) {
  std::vector<LaunchChoice> choices;
  // Thin boxes are soon left again.
  constexpr Index least_rows = 8, least_planes = 16;
  const bool can_march =
      may_march && shape.marches(1) && cells[1] >= least_rows && cells[2] >= least_planes;
  const bool fills_device = cells[0] * cells[1] * cells[2] >= least_of_march;
  if (can_march && fills_device) choices.push_back({.march = true});
  const auto threads_of = [&](int pack, const ThreadBlock& block) {
    return (cells[0] + pack - 1) / pack * (cells[1] / block.rows) * (cells[2] / block.planes);
  };
  int widest = shape.width;
  while (widest > 1 && 2 * cells[0] <= widest) widest /= 2;
  struct Cells {
    int pack;
    ThreadBlock block;
  };
  std::vector<Cells> all;
  const auto blocks = shape.blocks();
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    if (cells[1] >= block->rows && cells[2] >= block->planes) all.push_back({widest, *block});
  }
  for (int pack = widest; pack > 1 && threads_of(pack, {}) < most_of_wide_packs; pack /= 2) {
    all.push_back({pack / 2, {}});
  }
  const auto has_enough = [&](const Cells& c) {
    return threads_of(c.pack, c.block) >= least_of_device;
  };
  const auto first = std::find_if(all.begin(), all.end(), has_enough);
  const Cells& preset = first == all.end() ? all.back() : *first;
  const auto add = [&](const Cells& c, const LaunchShape& launch) {
    choices.push_back({.block = c.block, .shape = launch, .pack = c.pack % shape.width});
  };
  add(preset, {});
  constexpr std::array<int, 3> shapes[] = {{32, 8, 1}, {32, 4, 1},  {32, 2, 1},  {64, 2, 1},
                                           {64, 4, 1}, {128, 1, 1}, {128, 2, 1}, {256, 1, 1}};
  for (const Cells& c : all) {
    for (const auto& threads : shapes) {
      // Threads beyond the end of a row do nothing.
      if (threads[0] > 32 && (threads[0] / 2) * c.pack >= cells[0]) continue;
      for (const Order order : {Order::planes, Order::slabs}) add(c, {threads, order});
    }
  }
  if (can_march && !fills_device) choices.push_back({.march = true});
  return choices;
}

std::array<int, 3> threads_of_block(const DeviceShape& shape, const std::array<int, 3>& needed,
                                    int multiprocessors) {
  constexpr int warp = 32, blocks_each = 4;
  const auto rounded_up = [](int a, int b) { return (a + b - 1) / b; };
  // Blocks along an axis are alike.
  const auto shared_out = [&](int count, int most) {
    return rounded_up(count, rounded_up(count, std::max(1, most)));
  };
  const auto [most_x, most_y, most_z] = shape.threads();
  std::array<int, 3> threads{};
  for (int most = most_x * most_y * most_z; most >= warp; most /= 2) {
    auto& [x, y, z] = threads;
    x = std::min(most_x, most);
    while (x > warp && x / 2 >= needed[0]) x /= 2;
    x = std::min(x, needed[0]);
    y = shared_out(needed[1], most / x);
    z = shared_out(needed[2], most / (x * y));
    const Index blocks =
        Index{1} * rounded_up(needed[0], x) * rounded_up(needed[1], y) * rounded_up(needed[2], z);
    if (blocks >= blocks_each * multiprocessors) break;
  }
  return threads;
}

}  // namespace goban::cuda
