// intervals.hpp -- turns of a loop on intervals of doubles, from a tape of its operations.
//
// An interval encloses a number: low <= x <= high. Each operation encloses its exact result on all
// that its operands enclose: what IEEE rounds to the nearest is moved away by |x| 2^-52, which is
// one ulp or more, and a product or a quotient, which may be too small for a double, by the least
// normal one besides. A sum that small is exact. The processor's rounding stays what it is.
//
// What has no finite ends (a quotient by what may be 0, an overflow, a NaN) ends the play.
#pragma once
#include <cfloat>
#include <cmath>

#include "../core/sizes.hpp"
#include "table.hpp"
#include "watch.hpp"

namespace tl {
inline namespace TL_ISA {

// Of what is no NaN: the ends of slots are finite, and no divisor is 0.
inline double least_of(double p, double q) { return q < p ? q : p; }
inline double most_of(double p, double q) { return q > p ? q : p; }
inline double step(double x) { return std::fabs(x) * 0x1p-52; }
inline double below(double x) { return x - (step(x) + DBL_MIN); }
inline double above(double x) { return x + (step(x) + DBL_MIN); }
inline Interval around(double low, double high) { return {below(low), above(high)}; }
inline Interval whole_line() { return {-HUGE_VAL, HUGE_VAL}; }

inline Interval sum(Interval a, Interval b) {
  const double low = a.low + b.low, high = a.high + b.high;
  return {low - step(low), high + step(high)};
}
inline Interval difference(Interval a, Interval b) { return sum(a, {-b.high, -b.low}); }
inline Interval around(double p, double q, double r, double s) {
  return around(least_of(least_of(p, q), least_of(r, s)), most_of(most_of(p, q), most_of(r, s)));
}
inline Interval product(Interval a, Interval b) {
  return around(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
}
inline Interval quotient(Interval a, Interval b) {
  if (b.low <= 0 && b.high >= 0) return whole_line();
  return around(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
}
inline Interval size_of(Interval a) {
  if (a.low >= 0) return a;
  if (a.high <= 0) return {-a.high, -a.low};
  return {0, most_of(-a.low, a.high)};
}
inline Interval square(Interval a) {  // of one number: no less than 0
  const Interval s = size_of(a);
  return {most_of(0, below(s.low * s.low)), above(s.high * s.high)};
}
inline Interval root(Interval a) {
  if (a.low < 0) return whole_line();
  return {most_of(0, below(std::sqrt(a.low))), above(std::sqrt(a.high))};
}

// e^x of a double. x = k log 2 + r with |r| <= .36, log 2 in two parts: the first has 32 bits, so
// that its product with k is exact, and the second ends 2^-85 below. With u = 2^-53, r is wrong by
// at most .73 u. The series in Horner's form, with e^t, |t| <= .36, in the place of what follows
// its 14th term (below 2^-57), rounds by at most 4 u: p_n = 1 + (r p_n+1) / n errs by
// e_n <= |r| e_n+1 / n + 3 u |r| 1.44 / n + 1.44 u. Together they are below 6 u of a number above
// .69, thus below 9 u of e^x, and the ends are 16 u away.
inline Interval exponential_of(double x) {
  if (!(x >= -700)) return {0, 0x1p-1009};  // e^-700 is below 2^-1009.8
  if (!(x <= 700)) return whole_line();
  const double k = std::nearbyint(x * 1.44269504088896340736);
  const double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
  double p = 1;
  for (int n = 14; n > 0; --n) p = 1 + (r * p) / n;
  const double value = std::ldexp(p, int(k));
  return {value - value * 0x1p-49, value + value * 0x1p-49};
}
inline Interval exponential(Interval a) {
  return {exponential_of(a.low).low, exponential_of(a.high).high};
}

// tanh x = (1 - e^-2x) / (1 + e^-2x), which falls as e^-2x rises; no more than x, or than 1.
inline Interval hyperbolic_tangent_of(double x) {
  if (x < 0) {
    const Interval t = hyperbolic_tangent_of(-x);
    return {-t.high, -t.low};
  }
  const Interval e = exponential_of(-2 * x);
  const double most = least_of(1, e.high);
  const double low = below(below(1 - most) / above(1 + most));
  const double high = above(above(1 - e.low) / below(1 + e.low));
  return {most_of(0, low), least_of(least_of(1, x), high)};
}
inline Interval hyperbolic_tangent(Interval a) {
  return {hyperbolic_tangent_of(a.low).low, hyperbolic_tangent_of(a.high).high};
}

// log x = y + log(1 + d) with d = x e^-y - 1, for any y near it; d - d^2 <= log(1 + d) <= d where
// |d| <= 1/2.
inline Interval logarithm_of(double x) {
  const double y = std::log(x);
  const Interval d = difference(product({x, x}, exponential_of(-y)), {1, 1});
  const double most = size_of(d).high;
  if (!(x > 0 && most <= 0.5)) return whole_line();
  return sum({y, y}, {below(d.low - above(most * most)), d.high});
}
inline Interval logarithm(Interval a) {
  if (!(a.low > 0)) return whole_line();
  return {logarithm_of(a.low).low, logarithm_of(a.high).high};
}

// The names of the operations, in their order, are in theorylab/kernels/_intervals.py.
enum class Step {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kNeg,
  kAbs,
  kMax,
  kMin,
  kRoot,
  kExp,
  kLog,
  kTanh,
  kCount
};

inline Interval stepped(Step kind, Interval a, Interval b, bool same) {
  switch (kind) {
    case Step::kAdd:
      return sum(a, b);
    case Step::kSub:
      return difference(a, b);
    case Step::kMul:
      return same ? square(a) : product(a, b);
    case Step::kDiv:
      return quotient(a, b);
    case Step::kNeg:
      return {-a.high, -a.low};
    case Step::kAbs:
      return size_of(a);
    case Step::kMax:
      return {most_of(a.low, b.low), most_of(a.high, b.high)};
    case Step::kMin:
      return {least_of(a.low, b.low), least_of(a.high, b.high)};
    case Step::kRoot:
      return root(a);
    case Step::kExp:
      return exponential(a);
    case Step::kLog:
      return logarithm(a);
    case Step::kTanh:
      return hyperbolic_tangent(a);
    default:
      return whole_line();
  }
}

// Plays the tape `turns` times. Whether every interval had finite ends.
inline bool repeated(const TapeJob& job, Watch& watch) {
  Pace pace(watch);
  Interval* const first = job.slots + job.before;
  for (i64 turn = 0; turn < job.turns; ++turn) {
    if (!pace.on(plus(job.count, 1))) return true;
    for (i64 i = 0; i < job.count; ++i) {
      const TapeStep& s = job.steps[i];
      const Interval made =
          stepped(Step(s.kind), job.slots[s.left], job.slots[s.right], s.left == s.right);
      if (!(made.high - made.low < HUGE_VAL)) return false;
      first[i] = made;
    }
    for (i64 j = 0; j < job.state; ++j) job.after[j] = job.slots[job.next[j]];
    for (i64 j = 0; j < job.state; ++j) job.slots[j] = job.after[j];
  }
  return true;
}

}  // namespace TL_ISA
}  // namespace tl
