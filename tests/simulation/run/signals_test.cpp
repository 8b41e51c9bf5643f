#include "goban/simulation/run/signals.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "goban/base/error.hpp"

namespace goban::signals_test {
namespace {

TEST(SignalWatch, HearsACheckpointRequestOnce) {
  SignalWatch watch;
  EXPECT_FALSE(watch.take_checkpoint_request());
  std::raise(SIGUSR1);
  std::raise(SIGUSR1);
  EXPECT_TRUE(watch.take_checkpoint_request());
  EXPECT_FALSE(watch.take_checkpoint_request());
  EXPECT_EQ(watch.stop_signal(), 0);
}

TEST(SignalWatch, RemembersTheFirstSignalThatAskedToStop) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGXCPU}) {
    SignalWatch watch;
    EXPECT_EQ(watch.stop_signal(), 0);
    std::raise(signal);
    std::raise(SIGTERM);
    EXPECT_NE(watch.stop_signal(), 0);
    EXPECT_EQ(watch.stop_signal(), signal);
    EXPECT_FALSE(watch.take_checkpoint_request());
  }
}

TEST(SignalWatch, HearsSignalsThatReachOtherThreads) {
  SignalWatch watch;
  std::thread([] { std::raise(SIGTERM); }).join();
  EXPECT_EQ(watch.stop_signal(), SIGTERM);
}

TEST(SignalWatch, StartsWithNothingRequested) {
  {
    SignalWatch watch;
    std::raise(SIGUSR1);
    std::raise(SIGINT);
  }
  SignalWatch watch;
  EXPECT_FALSE(watch.take_checkpoint_request());
  EXPECT_EQ(watch.stop_signal(), 0);
}

volatile std::sig_atomic_t heard_elsewhere = 0;

TEST(SignalWatch, GivesSignalsBackToThoseWhoHadThem) {
  struct sigaction mine {
  }, before{};
  mine.sa_handler = [](int) { heard_elsewhere = heard_elsewhere + 1; };
  sigaction(SIGTERM, &mine, &before);
  {
    SignalWatch watch;
    std::raise(SIGTERM);
    EXPECT_EQ(heard_elsewhere, 0);
  }
  std::raise(SIGTERM);
  EXPECT_EQ(heard_elsewhere, 1);
  sigaction(SIGTERM, &before, nullptr);
}

TEST(SignalWatch, LeavesRunsAloneThatNobodyListensTo) {
  SignalWatch watch;
  std::raise(SIGPIPE);
  EXPECT_EQ(watch.stop_signal(), 0);
}

TEST(SignalWatch, LeavesHangupsToNohup) {
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignore, &before);
  {
    SignalWatch watch;
    std::raise(SIGHUP);
    EXPECT_EQ(watch.stop_signal(), 0);
  }
  sigaction(SIGHUP, &before, nullptr);
}

TEST(SignalWatch, IsOneAtATime) {
  SignalWatch watch;
  EXPECT_THROW(SignalWatch(), Error);
  std::raise(SIGTERM);
  EXPECT_NE(watch.stop_signal(), 0);
}

TEST(SignalWatchDeathTest, QuitsAtTheSecondInterrupt) {
  EXPECT_EXIT(
      {
        SignalWatch watch;
        std::raise(SIGTERM);
        std::raise(SIGINT);
        if (watch.stop_signal() == 0) std::exit(1);
        std::raise(SIGINT);
        for (;;) pause();
      },
      testing::ExitedWithCode(130), "");
}

TEST(SignalWatchDeathTest, SaysLastWordsBeforeItQuits) {
  EXPECT_EXIT(
      {
        SignalWatch watch;
        watch.set_last_words([] { std::fputs("the end", stderr); });
        std::raise(SIGINT);
        std::raise(SIGINT);
        watch.let_quit();
        for (;;) pause();
      },
      testing::ExitedWithCode(130), "the end");
}

TEST(SignalWatchDeathTest, AThirdInterruptDoesNotWaitForLastWords) {
  EXPECT_EXIT(
      {
        SignalWatch watch;
        watch.set_last_words([] {
          std::raise(SIGINT);
          for (;;) pause();
        });
        std::raise(SIGINT);
        std::raise(SIGINT);
        for (;;) pause();
      },
      testing::ExitedWithCode(130), "");
}

TEST(SignalWatchDeathTest, OfAProcessHearsSignalsBeforeARunAndSurvivesThoseAfterIt) {
  EXPECT_EXIT(
      {
        SignalWatch::begin_for_process();
        std::raise(SIGTERM);
        std::raise(SIGUSR1);
        {
          SignalWatch watch;
          if (SignalWatch::stop_signal() != SIGTERM || !watch.take_checkpoint_request()) {
            std::exit(1);
          }
        }
        for (const int signal : {SIGTERM, SIGUSR1, SIGHUP, SIGINT}) std::raise(signal);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace goban::signals_test
