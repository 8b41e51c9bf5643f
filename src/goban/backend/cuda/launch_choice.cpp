#include "goban/backend/cuda/launch_choice.hpp"

#include <sstream>

#include "goban/base/error.hpp"

namespace goban::cuda {
namespace {

using Order = LaunchShape::Order;

constexpr const char* order_names[] = {"", "planes", "slabs"};
constexpr int most_threads = 256;

/// "2x4x1" as so many numbers above 0.
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
  std::string text = joined(std::array{choice.block.rows, choice.block.planes});
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
  std::array<int, 2> cells{};
  if (!read(block, cells) || !more.empty()) return {};
  choice.block = {cells[0], cells[1]};
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

std::vector<LaunchChoice> launch_choices(const DeviceShape& shape, bool has_mask,
                                         const std::array<Index, 3>& cells) {
  std::vector<LaunchChoice> choices;
  // Thin boxes are soon left again.
  constexpr Index least_rows = 8, least_planes = 16;
  if (shape.marches(1) && !has_mask && cells[1] >= least_rows && cells[2] >= least_planes) {
    choices.push_back({true, {}, {}});
  }
  constexpr std::array<int, 3> shapes[] = {{32, 8, 1}, {32, 4, 1},  {32, 2, 1},  {64, 2, 1},
                                           {64, 4, 1}, {128, 1, 1}, {128, 2, 1}, {256, 1, 1}};
  bool is_preset = true;
  const auto blocks = shape.blocks();
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    if (cells[1] < block->rows || cells[2] < block->planes) continue;
    if (is_preset) choices.push_back({false, *block, {}});
    is_preset = false;
    for (const auto& threads : shapes) {
      // Threads beyond the end of a row do nothing.
      if (threads[0] > 32 && (threads[0] / 2) * shape.width >= cells[0]) continue;
      for (const Order order : {Order::planes, Order::slabs}) {
        choices.push_back({false, *block, {threads, order}});
      }
    }
  }
  return choices;
}

}  // namespace goban::cuda
