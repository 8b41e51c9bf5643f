#pragma once
// What the thread of a run and those that serve its page tell each other.

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "goban/base/types.hpp"
#include "goban/simulation/live/live_series.hpp"

namespace goban {

/// A plane that a viewer looks at: of the field that the page lists under this number.
struct SliceWish {
  int field = 0;
  int component = 0;  ///< -1: the length of the vector
  int axis = 2;       ///< its normal
  Index layer = 0;    ///< layer of cells

  friend bool operator==(const SliceWish&, const SliceWish&) = default;
};

/// Values of a plane, row 0 at the bottom; NaN where there is nothing.
struct LiveSlice {
  Index step = 0;
  std::vector<float> values = {};  ///< row by row
  std::string facts = {};          ///< JSON: width, height, step, title, axes and range
};

/// What a viewer may ask a run for; a run says which of these it does.
enum class LiveOrder : std::uint8_t { pause, resume, checkpoint, picture, stop };
inline constexpr std::array<const char*, 5> live_order_names = {"pause", "resume", "checkpoint",
                                                                "picture", "stop"};

/// The side of the run never waits for a viewer: it leaves what there is to tell and takes what is
/// wanted. What is kept has bounds: the last thousand lines, some thousand rows of every series,
/// thinned, and the newest planes. All functions may be called by any thread.
class LiveBoard {
 public:
  /// `facts`: JSON, what the page shows from the beginning on.
  explicit LiveBoard(std::string facts) : facts_(std::move(facts)) {}

  // What a run tells.
  void set_facts(std::string json);
  void set_state(std::string json);
  void add_line(const std::string& line);
  /// A series whose rows follow; the number by which it is known here.
  std::size_t add_series(LiveSeries series);
  void add_row(std::size_t series, std::span<const double> row);
  /// All that is known of a series is this now.
  void replace_series(std::size_t number, LiveSeries series);
  /// There will be nothing more.
  void close();

  // What is wanted of it.
  bool has_viewers() const { return viewers_.load(std::memory_order_relaxed) > 0; }
  bool wants_slice() const { return slices_wanted_.load(std::memory_order_relaxed) > 0; }
  /// The plane that has been waited for longest.
  std::optional<SliceWish> wanted_slice() const;
  void put_slice(const SliceWish& wish, LiveSlice slice);
  bool is_paused() const { return paused_.load(std::memory_order_relaxed); }
  bool wants_stop() const { return stop_.load(std::memory_order_relaxed); }
  bool wants_checkpoint() const { return checkpoint_.load(std::memory_order_relaxed); }
  bool take_checkpoint() { return checkpoint_.exchange(false, std::memory_order_relaxed); }
  bool wants_picture() const { return picture_.load(std::memory_order_relaxed); }
  std::optional<SliceWish> take_picture();

  // What viewers do.
  /// Where a viewer is in what there is to tell.
  struct Place {
    std::uint64_t facts = 0, state = 0, lines = 0;
    bool has_end = false;
    std::vector<LiveSeries::Place> series = {};
  };
  void enter() { viewers_.fetch_add(1); }
  void leave() { viewers_.fetch_sub(1); }
  /// Waits until there is something new, for at most `patience`; server-sent events, empty where
  /// there was nothing.
  std::string news(Place& place, std::chrono::milliseconds patience);
  /// The plane of a step after `after`; null where there is none in time, or never will be, or when
  /// the same viewer, if it has a name, has asked for another meanwhile.
  std::shared_ptr<const LiveSlice> slice(const SliceWish& wish, Index after,
                                         std::chrono::milliseconds patience,
                                         const std::string& viewer = {});
  void order(LiveOrder order, const SliceWish& wish);
  bool is_closed() const;

 private:
  struct Wanted {
    SliceWish wish;
    int viewers = 0;
  };
  bool has_news(const Place& place) const;
  std::shared_ptr<const LiveSlice> kept(const SliceWish& wish, Index after) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string facts_, state_;
  std::uint64_t facts_number_ = 1, state_number_ = 0;
  std::vector<std::string> lines_;  ///< JSON
  std::uint64_t lines_gone_ = 0;    ///< that were kept before these
  std::vector<LiveSeries> series_;
  std::list<Wanted> wanted_;
  std::list<std::pair<SliceWish, std::shared_ptr<const LiveSlice>>> slices_;  ///< newest first
  std::map<std::string, std::uint64_t> newest_;  ///< request of each viewer that waits
  std::uint64_t requests_ = 0;
  std::optional<SliceWish> picture_wish_;
  bool closed_ = false;
  std::atomic<int> viewers_ = 0, slices_wanted_ = 0;
  std::atomic<bool> paused_ = false, stop_ = false, checkpoint_ = false, picture_ = false;
};

}  // namespace goban
