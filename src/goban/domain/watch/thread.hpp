#pragma once
// The thread of a rank that tells others it lives and hears whether they do.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "goban/domain/watch/judge.hpp"
#include "goban/domain/watch/links.hpp"
#include "goban/domain/watch/own_state.hpp"
#include "goban/domain/watch/watch.hpp"

namespace goban {

struct Watch::Thread {
  Thread(WatchTree tree, const WatchOptions& options, Communicator& world);
  ~Thread();

  int rank() const { return rank_; }
  void forget_world();
  void wait_for_exit();
  void abandon(int exit_code);
  Answer fail(int exit_code, const std::string& text);
  void note_spoken();

 private:
  using Kind = WatchNote::Kind;
  enum class From { parent, child };

  void run();
  void wait_for_news();
  void take_orders();
  void receive_all();
  bool receive(Link& link, From from);
  template <class IsLost>
  void drop(IsLost&& is_lost);
  void handle(const WatchNote& note, std::string_view text);
  void up(const WatchNote& note, std::string_view text = {});
  void down(const WatchNote& note);
  void tick();
  bool is_lost(Link& link, From from);
  void lose(const Link& link, From from, Loss loss);
  void obey(const WatchNote& note);
  void execute(const Judge::Order& order);
  [[noreturn]] void end_processes(int exit_code, const std::string& line, bool calls_mpi);
  double seconds() const;

  WatchTree tree_;
  const int rank_ = tree_.mine.rank;
  const WatchOptions options_;
  const WatchClock::duration period_;
  const WatchClock::time_point start_ = WatchClock::now();
  WatchClock::time_point now_ = start_, next_tick_ = start_;
  std::optional<Judge> judge_;  ///< of rank 0
  OwnState own_;
  bool is_idle_told_ = false;
  bool is_over_ = false;                            ///< what becomes of others matters no more
  std::optional<WatchClock::time_point> leave_at_;  ///< rank 0 is out of reach
  std::optional<WatchClock::time_point> paused_;    ///< until then this process was stopped

  std::mutex mutex_;  ///< of what follows
  std::condition_variable answered_;
  Communicator* world_;
  struct Orders {
    bool goodbye = false, exit = false, spoken = false;
    std::optional<int> abandon;
    std::optional<FailureReport> failure;
  } orders_;
  bool has_abandoned_ = false, may_exit_ = false;
  std::optional<Answer> answer_;

  int wake_ = -1;  ///< an eventfd
  std::thread thread_;
};

}  // namespace goban
