#include "goban/program/structure.hpp"

#include <gtest/gtest.h>

#include "goban/goban.hpp"

namespace goban::structure_test {
namespace {

struct Blend {
  double share;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = share * u(1, 0, 0) + (1 - share) * u();
  }
};
struct BlendFar {
  double share;
  GOBAN_FUNCTION void operator()(auto u, auto next) const {
    next = share * u(2, 0, 0) + (1 - share) * u();
  }
};

struct Asked {
  Index3 cells{8, 6, 4};
  double share = 0.5;
  bool reads_far = false, is_limited = false, repeats = false;
};

std::uint64_t structure(const Asked& asked) {
  Runtime runtime;
  Grid grid(runtime, {.cells = asked.cells});
  Field<double> u(grid, "u"), next(grid, "next");
  Program step("blend");
  const auto apply = [&](Program& program, auto functor) {
    auto stage = program.apply(functor, in(u), out(next));
    stage.name("blend");
    if (asked.is_limited) stage.over(Box{{0, 0, 0}, {4, 6, 4}});
  };
  Program body("body");
  Program& here = asked.repeats ? body : step;
  if (asked.reads_far) {
    apply(here, BlendFar{asked.share});
  } else {
    apply(here, Blend{asked.share});
  }
  here.swap(u, next);
  if (asked.repeats) step.repeat(3, body);
  return structure_of(step);
}

namespace names {
template <class Of, int>
struct Wrapped : Blend {};
}  // namespace names

TEST(StageNames, HaveNoNamespaces) {
  Runtime runtime;
  Grid grid(runtime, {.cells = {8, 6, 4}});
  Field<double> u(grid, "u"), next(grid, "next");
  Program step("blend");
  step.apply(names::Wrapped<names::Wrapped<Blend, 1>, 0>{}, in(u), out(next));
  EXPECT_EQ(step.stages().front()->name, "Wrapped<Wrapped<Blend, 1>, 0>");
}

TEST(Structure, ConstantsDoNotMatter) {
  EXPECT_EQ(structure({}), structure({}));
  EXPECT_EQ(structure({}), structure({.share = 0.25}));
}

TEST(Structure, WhatChangesTheWorkDoes) {
  const std::uint64_t plain = structure({});
  EXPECT_NE(plain, structure({.cells = {8, 6, 5}}));
  EXPECT_NE(plain, structure({.reads_far = true}));
  EXPECT_NE(plain, structure({.is_limited = true}));
  EXPECT_NE(plain, structure({.repeats = true}));
}

}  // namespace
}  // namespace goban::structure_test
