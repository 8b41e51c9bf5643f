// What `goban doctor` makes of GPUs, measured ones made up.

#include "cli/doctor_gpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace goban::cli::doctor_gpus_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

GpuSurvey four_alike() {
  constexpr Index gib = Index{1} << 30;
  GpuSurvey survey;
  for (int n = 0; n < 4; ++n) {
    survey.gpus.push_back({n, "NVIDIA H200", 132, 140 * gib, 139 * gib});
    survey.speeds.push_back({4.2e12, 55e9, 54e9, 2e-6});
  }
  survey.links.assign(4, std::vector<GpuLink>(4, {true, 390e9, 8e-6}));
  return survey;
}

TEST(DoctorGpus, FourAlike_NeedNoAdvice) { EXPECT_THAT(advice_on_gpus(four_alike()), IsEmpty()); }

TEST(DoctorGpus, WithoutGpus_PrintsNothing) {
  std::ostringstream out;
  print_gpus(out, {});
  EXPECT_EQ(out.str(), "");
  EXPECT_THAT(advice_on_gpus({}), IsEmpty());
}

TEST(DoctorGpus, PrintsRatesAndTheMatrix) {
  GpuSurvey survey = four_alike();
  survey.links[2][1].bandwidth = 123e9;
  std::ostringstream out;
  print_gpus(out, survey);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("cuda:3"), HasSubstr("copy 4200 GB/s"),
                               HasSubstr("launch 2.0 us"), HasSubstr("390"), HasSubstr("123")));
}

TEST(DoctorGpus, CompilerIsNamed_OrWhatToInstall) {
  GpuSurvey survey = four_alike();
  survey.software = {"13.0", "", "NVRTC 13.0 (libnvrtc.so.13)", "", "somewhere"};
  std::ostringstream out;
  print_gpus(out, survey);
  EXPECT_THAT(out.str(), HasSubstr("driver of CUDA 13.0; NVRTC 13.0 (libnvrtc.so.13), kernels are "
                                   "kept in somewhere"));
  EXPECT_THAT(advice_on_gpus(survey), IsEmpty());
  survey.software = {"13.0", "", "", "no compiler for GPUs (why); install it", "somewhere"};
  for (GpuSpeed& speed : survey.speeds) speed.launch = 0;
  out.str("");
  print_gpus(out, survey);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("; no compiler, "), Not(HasSubstr("launch"))));
  EXPECT_THAT(advice_on_gpus(survey), ElementsAre(HasSubstr("no compiler for GPUs (why)")));
}

TEST(DoctorGpus, PairApart_IsNamedOnce) {
  GpuSurvey survey = four_alike();
  survey.links[0][3].is_direct = survey.links[3][0].is_direct = false;
  EXPECT_THAT(advice_on_gpus(survey), ElementsAre(HasSubstr(": cuda:0 and cuda:3;")));
}

TEST(DoctorGpus, SlowLink_IsNamed) {
  GpuSurvey survey = four_alike();
  survey.links[1][2].bandwidth = 100e9;
  EXPECT_THAT(advice_on_gpus(survey), ElementsAre(HasSubstr("link from cuda:1 to cuda:2")));
}

TEST(DoctorGpus, SlowCopy_IsComparedWithinAModel) {
  GpuSurvey survey = four_alike();
  survey.speeds[1].copy_bandwidth = 3.7e12;
  survey.gpus[2].name = "NVIDIA A100";
  survey.speeds[2].copy_bandwidth = 1.8e12;
  EXPECT_THAT(advice_on_gpus(survey), ElementsAre(HasSubstr("cuda:1 copies 3700 GB/s")));
}

TEST(DoctorGpus, MemoryOfOthers_IsNamed) {
  GpuSurvey survey = four_alike();
  survey.gpus[0].memory_free /= 2;
  EXPECT_THAT(advice_on_gpus(survey), ElementsAre(HasSubstr("of the memory of cuda:0 is in use")));
}

TEST(DoctorGpus, SlowHostLinkAndLaunch_AreNamed) {
  GpuSurvey survey = four_alike();
  survey.speeds[2].from_host = 20e9;
  survey.speeds[3].launch = 15e-6;
  EXPECT_THAT(advice_on_gpus(survey), ElementsAre(HasSubstr("cuda:2 exchanges 20.0 GB/s"),
                                                  HasSubstr("launch on cuda:3 takes 15.0 us")));
}

}  // namespace
}  // namespace goban::cli::doctor_gpus_test
