#include "goban/grid/settings.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/error_text.hpp"

namespace goban {
namespace {

using test::error_of;

TEST(Settings, LinksHaveADelayAndABandwidth) {
  EXPECT_DOUBLE_EQ(link_named("50us,1GB/s").latency, 50e-6);
  EXPECT_DOUBLE_EQ(link_named("50us,1GB/s").bytes_per_second, 1e9);
  EXPECT_DOUBLE_EQ(link_named("1.5ms,200MB/s").latency, 1.5e-3);
  EXPECT_DOUBLE_EQ(link_named("0s,12.5kB/s").bytes_per_second, 12500);
  EXPECT_TRUE(std::isinf(link_named("20ns").bytes_per_second));
  EXPECT_TRUE(link_named("0s,1GB/s").is_slow());
  EXPECT_TRUE(link_named("20ns").is_slow());
  EXPECT_FALSE(link_named("off").is_slow());
}

TEST(Settings, OtherLinksAreRefused) {
  for (const char* text :
       {"", "50", "50us,", "50us,1", "50us,1GB", ",1GB/s", "us,1GB/s", "-1us,1GB/s", "nan us",
        "1us,-1GB/s", "60s", "1us,0GB/s", "1us 1GB/s", "1us,1GB/s,2"}) {
    EXPECT_EQ(error_of([&] { link_named(text); }),
              std::string("link '") + text +
                  "' is refused (a delay of up to 10 s and the bytes per second are expected) "
                  "write 50us,1GB/s");
  }
}

TEST(Settings, NamesAreReadAsTheyAreWritten) {
  for (const Transport t : {Transport::automatic, Transport::peer, Transport::host}) {
    EXPECT_EQ(transport_named(name_of(t)), t);
  }
  for (const HaloPrecision p : {HaloPrecision::full, HaloPrecision::single, HaloPrecision::half}) {
    EXPECT_EQ(halo_precision_named(name_of(p)), p);
  }
  EXPECT_EQ(error_of([] { transport_named("mpi"); }),
            "there is no transport 'mpi' write auto, peer or host");
  EXPECT_EQ(error_of([] { halo_precision_named("float32"); }),
            "there is no precision of halos 'float32' write full, single or half");
}

}  // namespace
}  // namespace goban
