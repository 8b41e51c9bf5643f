#include "goban/simulation/report/reports.hpp"

#include <gmock/gmock.h>

namespace goban::banner_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Banner, NamesWhatIsSlowAndWhatHelps) {
  RunFacts facts;
  facts.stages = {{"Diffuse", true}, {"Threshold", false}};
  EXPECT_THAT(banner(facts), Not(HasSubstr("slow")));
  facts.threads = 8;
  facts.cores = 2;
  EXPECT_THAT(banner(facts), HasSubstr("slow        8 threads on 2 cores wait for each other: 2 "));
}

TEST(Banner, CutsLongListsOfNames) {
  RunFacts facts;
  for (int n = 0; n < 60; ++n) facts.fields.push_back("f" + std::to_string(n));
  EXPECT_THAT(banner(facts),
              HasSubstr("  fields      f0, f1, f2, f3, f4, f5, f6, f7 and 52 more\n"));
}

TEST(Banner, SaysWhatMeasuringTheCopyTakes) {
  RunFacts facts;
  facts.bytes_needed = 15 << 20;
  facts.bytes_available = Index{1} << 30;
  EXPECT_THAT(banner(facts), HasSubstr("15.0 MiB needed, 1.0 GiB available"));
  facts.bytes_to_measure = 512 << 20;
  EXPECT_THAT(banner(facts), HasSubstr("15.0 MiB needed and 512.0 MiB for a moment to measure the "
                                       "copy, 1.0 GiB available"));
}

}  // namespace
}  // namespace goban::banner_test
