// The texts of kernels of CPUs: one functor has one text, and it includes nothing that the library
// does not hold.

#include "goban/backend/cpu/generator/row_text.hpp"

#include <gtest/gtest.h>

#include "goban/backend/compiled/kernel_text.hpp"
#include "goban/backend/cpu/compiled/kernel_texts.hpp"
#include "goban/program/program.hpp"
#include "goban/stencil/graph/branches.hpp"
#include "tests/domain/decomposition/no_store.hpp"

namespace goban::row_text_test {
namespace {

struct Wave {
  float r = 0.1f;
  GOBAN_FUNCTION void operator()(auto site, auto u, auto next) const {
    const auto x = site.template position<float>(Axis::x);
    next = u() + r * (u(1, 0, 0) - sin(u(0, -1, 0)) * exp(-x)) + site.template random<float>();
  }
};
struct Limit {
  GOBAN_FUNCTION void operator()(auto u, auto w) const {
    if (u(0, 0, 1) > 1) w = 1;
  }
};

class RowText : public testing::Test, public test::NoStore {
 protected:
  RowText() : NoStore(Settings{}) {}

  std::string text_of(const Stage& stage, const std::vector<cpu::RowVariant>& variants) const {
    const auto& isa = target_instructions();
    const cpu::KernelShape shape(stage, isa);
    const Graph plain = without_branches(*stage.graph, stage.footprint);
    KernelSubject subject(stage);
    subject.graph = &plain;
    subject.shape.width = shape.width;
    subject.shape.reads_otherwise = false;
    subject.constants = plain.argument_constants();
    return row_text(subject, shape, variants, isa);
  }
  std::string text_of_wave(float r) {
    Program program("wave");
    program.apply(Wave{r}, site, in(u_), out(next_));
    return text_of(*program.stages().front(), variants_);
  }

  Grid grid_{*this, {.cells = {40, 30, 20}}};
  Field<float> u_{grid_, "u"}, next_{grid_, "next"};
  const std::vector<cpu::RowVariant> variants_ = {
      {.name = "goban_rows", .fetches = true, .streams = true},
      {.name = "goban_in_cache", .planes = 2}};
};

TEST_F(RowText, IsTheSameForTheSameFunctor) {
  const std::string text = text_of_wave(0.1f);
  EXPECT_EQ(text_of_wave(0.1f), text);
  EXPECT_EQ(text_of_wave(0.3f), text) << "numbers are arguments";
}

TEST_F(RowText, HasAFunctionForEveryVariant) {
  const std::string text = text_of_wave(0.1f);
  for (const auto& variant : variants_) {
    EXPECT_NE(text.find("extern \"C\" void " + variant.name + "("), std::string::npos)
        << variant.name;
  }
}

TEST_F(RowText, IncludesWhatTheLibraryHolds) {
  Program limit("limit");
  limit.apply(Limit{}, in(u_), inout(next_));
  const std::string of_limit = text_of(*limit.stages().front(), variants_);
  for (const std::string& text : {text_of_wave(0.1f), of_limit}) {
    const std::string whole = with_includes(text, cpu::kernel_texts());
    EXPECT_EQ(whole.find("#include"), std::string::npos);
    EXPECT_GT(whole.size(), text.size());
  }
}

}  // namespace
}  // namespace goban::row_text_test
