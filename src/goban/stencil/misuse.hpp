#pragma once
// One readable line for the usual slips with accessors: forgotten parentheses, arithmetic with the
// accessor itself, reading what is only written.

#include <type_traits>

#include "goban/base/macros.hpp"
#include "goban/stencil/mathematics/list.hpp"
#include "goban/stencil/promotion.hpp"

namespace goban {

namespace detail {
struct FieldAccessorBase;
}

/// What the kernels and the tracer hand to functors for a field.
template <class X>
concept FieldAccessor = std::is_base_of_v<detail::FieldAccessorBase, std::remove_cvref_t<X>>;

namespace detail {

// Base of all field accessors. Its operators are found beside accessors alone.
struct FieldAccessorBase {
#define GOBAN_MISUSED_OPERATOR(op)                                                             \
  template <class A, class B>                                                                  \
  requires(FieldAccessor<A> || FieldAccessor<B>) friend GOBAN_FUNCTION int operator op(A, B) { \
    static_assert(!sizeof(A),                                                                  \
                  "goban: an accessor inside an expression; write u() to read its value");     \
    return 0;                                                                                  \
  }

  GOBAN_MISUSED_OPERATOR(+)
  GOBAN_MISUSED_OPERATOR(-)
  GOBAN_MISUSED_OPERATOR(*)
  GOBAN_MISUSED_OPERATOR(/)
  GOBAN_MISUSED_OPERATOR(%)
  GOBAN_MISUSED_OPERATOR(==)
  GOBAN_MISUSED_OPERATOR(!=)
  GOBAN_MISUSED_OPERATOR(<)
  GOBAN_MISUSED_OPERATOR(<=)
  GOBAN_MISUSED_OPERATOR(>)
  GOBAN_MISUSED_OPERATOR(>=)
#undef GOBAN_MISUSED_OPERATOR

  template <FieldAccessor A>
  friend GOBAN_FUNCTION int operator-(const A&) {
    static_assert(!sizeof(A),
                  "goban: an accessor inside an expression; write u() to read its value");
    return 0;
  }

#define GOBAN_MISUSED_FUNCTION(name)                                                         \
  template <class A, class... More>                                                          \
  requires(FieldAccessor<A> || (FieldAccessor<More> || ...)) friend GOBAN_FUNCTION int name( \
      const A&, const More&...) {                                                            \
    static_assert(!sizeof(A),                                                                \
                  "goban: an accessor inside an expression; write u() to read its value");   \
    return 0;                                                                                \
  }

  GOBAN_MISUSED_FUNCTION(select)
  GOBAN_MISUSED_FUNCTION(min)
  GOBAN_MISUSED_FUNCTION(max)
  GOBAN_MISUSED_FUNCTION(fma)
  GOBAN_MISUSED_FUNCTION(abs)
  GOBAN_MISUSED_FUNCTION(sqrt)
  GOBAN_FUNCTIONS_OF_ONE(GOBAN_MISUSED_FUNCTION)
  GOBAN_FUNCTIONS_OF_TWO(GOBAN_MISUSED_FUNCTION)
#undef GOBAN_MISUSED_FUNCTION
};

}  // namespace detail

/// Marks the functions of accessors: callable where functors are, inlined at every level.
#define GOBAN_ACCESSOR_FUNCTION GOBAN_FUNCTION

// The checks that accessors of packs and of the tracer share.
#define GOBAN_CHECK_ASSIGNED(X, is_value)                                      \
  static_assert(!::goban::FieldAccessor<X>,                                    \
                "goban: assigning an accessor; write u() to read its value");  \
  static_assert(::goban::FieldAccessor<X> || ::goban::Scalar<X> || (is_value), \
                "goban: only values can be assigned; of a mask, select(mask, 1, 0)")
#define GOBAN_CHECK_ONE_COMPONENT_READ(C) \
  static_assert((C) == 1, "goban: this field has several components; write u[c]() to read one")
#define GOBAN_CHECK_ONE_COMPONENT_WRITTEN(C) \
  static_assert((C) == 1, "goban: this field has several components; write v[c] = x")
#define GOBAN_CHECK_OUT_NOT_CALLED(X, offsets)                                                     \
  static_assert(!sizeof(X) || (offsets) > 0,                                                       \
                "goban: reading an out; it is written next = x, pass the field as inout to read "  \
                "its old value");                                                                  \
  static_assert(!sizeof(X) || (offsets) == 0,                                                      \
                "goban: an out has no neighbours: a functor writes its own cell alone, next = x, " \
                "and reads the neighbours of an in")
#define GOBAN_CHECK_NOT_A_READ(X) \
  static_assert(                  \
      !sizeof(X),                 \
      "goban: writing to u(...), a value that was read; write next = x to an out or inout")
#define GOBAN_CHECK_NOT_WRITTEN(X) \
  static_assert(!sizeof(X), "goban: writing an in; pass the field as out or inout")
#define GOBAN_CHECK_NOT_UPDATED(X) \
  static_assert(!sizeof(X), "goban: += and the like on an out; pass the field as inout")
/// The operators +=, -= and *= of accessors, where they make no sense and where they do.
#define GOBAN_REFUSED_UPDATES(check) \
  GOBAN_REFUSED_UPDATE(+=, check)    \
  GOBAN_REFUSED_UPDATE(-=, check)    \
  GOBAN_REFUSED_UPDATE(*=, check)
#define GOBAN_REFUSED_UPDATE(op, check)             \
  template <class X>                                \
  GOBAN_FUNCTION void operator op(const X&) const { \
    check(X);                                       \
  }
#define GOBAN_UPDATES \
  GOBAN_UPDATE(+)     \
  GOBAN_UPDATE(-)     \
  GOBAN_UPDATE(*)
#define GOBAN_UPDATE(op)                                   \
  template <class X>                                       \
  GOBAN_ACCESSOR_FUNCTION void operator op##=(X x) const { \
    *this = (*this)() op x;                                \
  }
#define GOBAN_CHECK_OFFSET_ZERO(count) \
  static_assert(                       \
      (count) == 0,                    \
      "goban: an inout is read at offset 0 alone, written w(); pass the neighbours as in")

}  // namespace goban
