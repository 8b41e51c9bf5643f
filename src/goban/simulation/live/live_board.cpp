#include "goban/simulation/live/live_board.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace goban {
namespace {

constexpr std::size_t most_lines = 1000, most_slices = 8;

std::string event(const char* name, const std::string& json) {
  return std::string("event: ") + name + "\ndata: " + json + "\n\n";
}

}  // namespace

void LiveBoard::set_facts(std::string json) {
  {
    const std::lock_guard lock(mutex_);
    facts_ = std::move(json);
    ++facts_number_;
  }
  changed_.notify_all();
}

void LiveBoard::set_state(std::string json) {
  {
    const std::lock_guard lock(mutex_);
    state_ = std::move(json);
    ++state_number_;
  }
  changed_.notify_all();
}

void LiveBoard::add_line(const std::string& line) {
  {
    const std::lock_guard lock(mutex_);
    lines_.push_back(
        nlohmann::json(line).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    if (lines_.size() > 2 * most_lines) {
      lines_gone_ += lines_.size() - most_lines;
      lines_.erase(lines_.begin(), lines_.end() - most_lines);
    }
  }
  changed_.notify_all();
}

std::size_t LiveBoard::add_series(LiveSeries series) {
  const std::lock_guard lock(mutex_);
  series_.push_back(std::move(series));
  return series_.size() - 1;
}

void LiveBoard::add_row(std::size_t series, std::span<const double> row) {
  {
    const std::lock_guard lock(mutex_);
    series_[series].add(row);
  }
  if (has_viewers()) changed_.notify_all();
}

void LiveBoard::replace_series(std::size_t number, LiveSeries series) {
  {
    const std::lock_guard lock(mutex_);
    series.follow(series_[number]);
    series_[number] = std::move(series);
  }
  changed_.notify_all();
}

void LiveBoard::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

bool LiveBoard::is_closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

std::optional<SliceWish> LiveBoard::wanted_slice() const {
  const std::lock_guard lock(mutex_);
  if (wanted_.empty()) return {};
  return wanted_.front().wish;
}

void LiveBoard::put_slice(const SliceWish& wish, LiveSlice slice) {
  {
    const std::lock_guard lock(mutex_);
    slices_.remove_if([&](const auto& one) { return one.first == wish; });
    slices_.emplace_front(wish, std::make_shared<const LiveSlice>(std::move(slice)));
    if (slices_.size() > most_slices) slices_.pop_back();
    // Those who wait for another plane are next.
    const auto served = std::find_if(wanted_.begin(), wanted_.end(),
                                     [&](const Wanted& one) { return one.wish == wish; });
    if (served != wanted_.end()) wanted_.splice(wanted_.end(), wanted_, served);
  }
  changed_.notify_all();
}

std::optional<SliceWish> LiveBoard::take_picture() {
  const std::lock_guard lock(mutex_);
  picture_ = false;
  return std::exchange(picture_wish_, std::nullopt);
}

bool LiveBoard::has_news(const Place& place) const {
  if (place.facts != facts_number_ || (closed_ && !place.has_end)) return true;
  if (place.state != state_number_ || place.lines < lines_gone_ + lines_.size()) return true;
  for (std::size_t s = 0; s < series_.size(); ++s) {
    if (s >= place.series.size() || series_[s].has_news(place.series[s])) return true;
  }
  return false;
}

std::string LiveBoard::news(Place& place, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return has_news(place); });
  std::string text;
  if (place.facts != facts_number_) {  // all that follows is told anew
    place = {.facts = facts_number_};
    text += event("facts", facts_);
  }
  place.lines = std::max(place.lines, lines_gone_);
  for (; place.lines < lines_gone_ + lines_.size(); ++place.lines) {
    text += event("line", lines_[place.lines - lines_gone_]);
  }
  place.series.resize(series_.size());
  for (std::size_t s = 0; s < series_.size(); ++s) {
    if (series_[s].has_news(place.series[s])) {
      text += event("series", series_[s].news(place.series[s]));
    }
  }
  if (std::exchange(place.state, state_number_) != state_number_) text += event("state", state_);
  if (closed_ && !std::exchange(place.has_end, true)) text += event("end", "null");
  return text;
}

std::shared_ptr<const LiveSlice> LiveBoard::kept(const SliceWish& wish, Index after) const {
  for (const auto& [of, slice] : slices_) {
    if (of == wish && slice->step > after) return slice;
  }
  return nullptr;
}

std::shared_ptr<const LiveSlice> LiveBoard::slice(const SliceWish& wish, Index after,
                                                  std::chrono::milliseconds patience,
                                                  const std::string& viewer) {
  std::unique_lock lock(mutex_);
  const std::uint64_t request = ++requests_;
  if (!viewer.empty()) {
    newest_[viewer] = request;
    changed_.notify_all();
  }
  const auto is_newest = [&] {
    const auto newest = newest_.find(viewer);
    return viewer.empty() || (newest != newest_.end() && newest->second == request);
  };
  const auto is_it = [&](const Wanted& one) { return one.wish == wish; };
  auto wanted = std::find_if(wanted_.begin(), wanted_.end(), is_it);
  if (wanted == wanted_.end()) wanted = wanted_.insert(wanted_.end(), {wish, 0});
  ++wanted->viewers;
  ++slices_wanted_;
  std::shared_ptr<const LiveSlice> found;
  changed_.wait_for(lock, patience,
                    [&] { return closed_ || !is_newest() || (found = kept(wish, after)); });
  if (is_newest()) newest_.erase(viewer);
  --slices_wanted_;
  if (--wanted->viewers == 0) wanted_.erase(wanted);
  return found;
}

void LiveBoard::order(LiveOrder order, const SliceWish& wish) {
  switch (order) {
    case LiveOrder::pause: paused_ = true; break;
    case LiveOrder::resume: paused_ = false; break;
    case LiveOrder::checkpoint: checkpoint_ = true; break;
    case LiveOrder::stop: stop_ = true; break;
    case LiveOrder::picture: {
      const std::lock_guard lock(mutex_);
      picture_wish_ = wish;
      picture_ = true;
    }
  }
}

}  // namespace goban
