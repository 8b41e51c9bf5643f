#pragma once
// What rank 0 makes of all it hears. Time is what it is told: seconds from any beginning.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "goban/domain/watch/links.hpp"
#include "goban/domain/watch/verdict.hpp"
#include "goban/domain/watch/watch.hpp"

namespace goban {

constexpr int lost_code = static_cast<int>(ExitCode::peer_lost);

class Judge {
 public:
  struct Order {
    WatchNote::Kind kind;  ///< alike, speak, exit or end
    int rank = 0;          ///< that is to speak
    int code = 0;
    std::string line = {};  ///< to be printed first, unless it is empty
    bool is_ended = false;  ///< a rank ends the processes already
  };

  Judge(std::vector<RankCard> ranks, const WatchOptions& options);

  void hear(const WatchNote& note, std::string_view text, double now);
  /// What is to be done now; nothing after all are told to end.
  std::optional<Order> decide(double now);
  /// Time has passed in which this process could not hear.
  void forgive();

 private:
  std::optional<Order> decide_on_losses();
  std::optional<Order> decide_on_failures(double now);
  Order end(const FailureReport& report) const;

  std::vector<RankCard> ranks_;
  WatchOptions options_;
  std::vector<RankState> states_;
  std::optional<std::pair<int, Loss>> lost_;  ///< the first
  std::optional<int> abandoned_;              ///< with this code
  std::size_t exiting_ = 0;                   ///< as many ranks are in exit()
  std::vector<FailureReport> reports_;
  double first_report_ = 0;
  std::optional<FailureReport> speaker_;
  double told_to_speak_ = 0;
  bool has_spoken_ = false, is_over_ = false;
};

}  // namespace goban
