#include "goban/domain/watch/judge.hpp"

#include <algorithm>
#include <utility>

namespace goban {
namespace {

constexpr double time_to_fail = 1.5, time_to_speak = 1;  // seconds

}  // namespace

Judge::Judge(std::vector<RankCard> ranks, const WatchOptions& options)
    : ranks_(std::move(ranks)), options_(options), states_(ranks_.size()) {}

void Judge::hear(const WatchNote& note, std::string_view text, double now) {
  using Kind = WatchNote::Kind;
  switch (note.kind) {
    case Kind::state: states_[note.rank] = note.state; break;
    case Kind::lost:
      if (!lost_) lost_ = {note.rank, static_cast<Loss>(note.code)};
      break;
    case Kind::exiting: ++exiting_; break;
    case Kind::abandon: abandoned_ = note.code; break;
    case Kind::failure:
      if (std::ranges::count(reports_, note.rank, &FailureReport::rank) > 0) break;
      if (reports_.empty()) first_report_ = now;
      reports_.push_back({note.rank, note.code, std::string(text)});
      break;
    case Kind::spoken: has_spoken_ = true; break;
    default: break;
  }
}

void Judge::forgive() { states_.assign(states_.size(), {}); }

Judge::Order Judge::end(const FailureReport& report) const {
  return {.kind = WatchNote::Kind::end,
          .code = report.code,
          .line = "rank " + std::to_string(report.rank) + " (" + ranks_[report.rank].host.data() +
                  "): " + report.text};
}

/// A rank that has said what is wrong with it may die of it.
std::optional<Judge::Order> Judge::decide_on_losses() {
  if (abandoned_) return Order{.kind = WatchNote::Kind::end, .code = *abandoned_, .is_ended = true};
  if (!lost_) return {};
  const auto [rank, loss] = *lost_;
  const auto report = std::ranges::find(reports_, rank, &FailureReport::rank);
  if (report != reports_.end()) return end(*report);
  return Order{.kind = WatchNote::Kind::end,
               .code = lost_code,
               .line = describe(loss, name_of(ranks_[rank]), options_.silence)};
}

std::optional<Judge::Order> Judge::decide_on_failures(double now) {
  if (speaker_) {
    if (has_spoken_) return Order{.kind = WatchNote::Kind::end, .code = speaker_->code};
    if (now - told_to_speak_ > time_to_speak) return end(*speaker_);
    return {};
  }
  const bool are_others_done = reports_.size() + exiting_ >= ranks_.size();
  const auto verdict = judge(reports_, static_cast<int>(ranks_.size()), now - first_report_,
                             are_others_done ? 0 : time_to_fail);
  if (verdict == FailureVerdict::wait) return {};
  if (verdict == FailureVerdict::alike)
    return Order{.kind = WatchNote::Kind::alike, .code = reports_[0].code};
  speaker_ = cause(reports_);
  told_to_speak_ = now;
  return Order{.kind = WatchNote::Kind::speak, .rank = speaker_->rank, .code = speaker_->code};
}

std::optional<Judge::Order> Judge::decide(double now) {
  if (is_over_) return {};
  auto order = decide_on_losses();
  if (!order) order = decide_on_failures(now);
  if (!order && reports_.empty()) {
    if (const auto stuck = find_stuck(states_, options_.patience))
      order = Order{.kind = WatchNote::Kind::end,
                    .code = lost_code,
                    .line = describe(*stuck, name_of(ranks_[stuck->rank]), states_)};
  }
  if (!order && exiting_ == ranks_.size()) {
    exiting_ = 0;
    return Order{.kind = WatchNote::Kind::exit};
  }
  is_over_ = order && order->kind != WatchNote::Kind::speak;
  return order;
}

}  // namespace goban
