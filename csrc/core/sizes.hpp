// sizes.hpp -- sizes that never wrap.
//
// What does not fit 63 bits is kTooMany and stays it. No array has as many entries and no memory as
// many bytes, so whoever compares or allocates such a size refuses it. A negative size is too many.
#pragma once
#include "hd.cuh"

namespace tl {
inline namespace TL_ISA {

constexpr i64 kTooMany = 0x7fffffffffffffff;
constexpr i64 kMostBytes = i64(1) << 47;  // of any array: a process has no more addresses

TL_HD i64 times(i64 a, i64 b) {
  i64 product;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) return kTooMany;
  return product;
}
template <class... More>
TL_HD i64 times(i64 a, i64 b, More... more) {
  return times(times(a, b), more...);
}

TL_HD i64 plus(i64 a, i64 b) {
  i64 sum;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) return kTooMany;
  return sum;
}

// As many whole units as hold this size, in the size's own unit.
TL_HD i64 whole(i64 size, i64 unit) {
  const i64 more = plus(size, unit - 1);
  return more == kTooMany ? kTooMany : more / unit * unit;
}

}  // namespace TL_ISA
}  // namespace tl
