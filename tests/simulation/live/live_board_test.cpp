#include "goban/simulation/live/live_board.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "goban/simulation/live/live_address.hpp"
#include "tests/error_text.hpp"

namespace goban::live_board_test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr milliseconds at_once(0), long_enough(10'000);

LiveSeries two_columns() { return {"heat", {{"time", "s"}, {"T", "K"}}}; }

TEST(LiveBoard, WhoComesLateIsToldAllAndThenWhatIsNew) {
  LiveBoard board("{}");
  board.add_line("first \"words\"\nof two lines");
  const std::size_t series = board.add_series(two_columns());
  board.add_row(series, std::vector<double>{0, 1});
  LiveBoard::Place place;
  const std::string all = board.news(place, at_once);
  EXPECT_THAT(all, HasSubstr("event: facts\ndata: {}\n\n"));
  EXPECT_THAT(all, HasSubstr("data: \"first \\\"words\\\"\\nof two lines\"\n\n"));
  EXPECT_THAT(all, HasSubstr("[[0.0,1.0]]"));
  EXPECT_THAT(board.news(place, at_once), IsEmpty());
  board.add_row(series, std::vector<double>{1, 2});
  EXPECT_THAT(board.news(place, at_once), HasSubstr("\"anew\":false,\"rows\":[[1.0,2.0]]"));
  board.close();
  EXPECT_EQ(board.news(place, at_once), "event: end\ndata: null\n\n");
}

TEST(LiveBoard, KeepsBoundsWhateverIsTold) {
  LiveBoard board("{}");
  for (int n = 0; n < 5000; ++n) board.add_line(std::to_string(n));
  LiveBoard::Place place;
  const std::string all = board.news(place, at_once);
  EXPECT_THAT(all, Not(HasSubstr("\"2\"\n")));
  EXPECT_THAT(all, HasSubstr("\"4500\"\n"));
  EXPECT_THAT(all, HasSubstr("\"4999\"\n"));
}

TEST(LiveSeries, RowsAreThinnedEvenlyAndReadersFollow) {
  LiveSeries series = two_columns();
  LiveSeries::Place place;
  std::vector<double> seen;
  for (int n = 0; n < 20'000; ++n) {
    series.add(std::vector<double>{1.0 * n, 0});
    if (n % 100 != 0 || !series.has_news(place)) continue;
    const auto news = nlohmann::json::parse(series.news(place));
    if (news["anew"].get<bool>()) seen.clear();
    for (const auto& row : news["rows"]) seen.push_back(row[0]);
  }
  ASSERT_LE(series.row_count(), LiveSeries::most_rows);
  ASSERT_GE(seen.size(), LiveSeries::most_rows / 2 - 100);
  for (std::size_t n = 0; n < seen.size(); ++n) ASSERT_EQ(seen[n], 8.0 * static_cast<double>(n));
}

TEST(LiveBoard, PlanesAreServedInTurnAndOnlyToThoseWhoWait) {
  LiveBoard board("{}");
  EXPECT_FALSE(board.wants_slice());
  EXPECT_EQ(board.slice({}, -1, at_once), nullptr);
  EXPECT_FALSE(board.wants_slice());
  const SliceWish low{.layer = 1}, high{.layer = 9};
  std::vector<std::thread> viewers;
  std::array<std::atomic<Index>, 2> steps{};
  const auto watch = [&](SliceWish wish, std::atomic<Index>& step) {
    const auto slice = board.slice(wish, 4, long_enough);
    step = slice ? slice->step : -1;
  };
  viewers.emplace_back(watch, low, std::ref(steps[0]));
  viewers.emplace_back(watch, high, std::ref(steps[1]));
  while (!board.wants_slice()) std::this_thread::yield();
  board.put_slice(*board.wanted_slice(), {.step = 4});  // which they have seen
  for (Index step = 5; steps[0] == 0 || steps[1] == 0; ++step) {
    if (const auto wish = board.wanted_slice()) board.put_slice(*wish, {.step = step});
  }
  for (std::thread& viewer : viewers) viewer.join();
  EXPECT_GE(steps[0], 5);
  EXPECT_GE(steps[1], 5);
}

TEST(LiveBoard, WhoAsksAnewWaitsForThatAlone) {
  LiveBoard board("{}");
  std::thread first([&] { EXPECT_EQ(board.slice({.layer = 1}, -1, long_enough, "she"), nullptr); });
  while (!board.wants_slice()) std::this_thread::yield();
  std::thread second(
      [&] { EXPECT_NE(board.slice({.layer = 2}, -1, long_enough, "she"), nullptr); });
  first.join();
  board.put_slice({.layer = 2}, {.step = 1});
  second.join();
  EXPECT_FALSE(board.wants_slice());
}

TEST(LiveBoard, WhoWaitsIsToldOfTheEnd) {
  LiveBoard board("{}");
  std::thread viewer([&] { EXPECT_EQ(board.slice({}, -1, long_enough), nullptr); });
  while (!board.wants_slice()) std::this_thread::yield();
  board.close();
  viewer.join();
}

TEST(LiveAddress, IsAPortOrAPath) {
  EXPECT_EQ(live_address("auto").port, 0);
  EXPECT_EQ(live_address("8765").port, 8765);
  EXPECT_EQ(live_address("./page.sock").socket, "./page.sock");
  for (const char* wrong : {"0", "65536", "-1", "80x", "", "page"}) {
    EXPECT_THAT(test::error_of([&] { live_address(wrong); }), HasSubstr("is refused")) << wrong;
  }
}

}  // namespace
}  // namespace goban::live_board_test
