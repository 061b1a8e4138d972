// normals.hpp -- many normal draws of one (key, round, client, run) at once, with vectors.
//
//     out[m] = normal(word m) * scale,  m = 0 .. count-1         (core/rng.cuh, kernels/draws.cuh)
//
// The same operations in the same order as the scalar definition, so the same bits: Philox in the
// lanes of a vector, the central branch of the quantile for every draw, and for the 15 % in the
// tails the tail branch, again in vectors, of the draws collected. Beyond 6.7 sigma: scalar.
// Cost a draw: a quarter of the scalar one's time (AVX-512).
#pragma once
#include "../kernels/draws.cuh"
#include "simd.hpp"
#include "watch.hpp"

namespace tl {
inline namespace TL_ISA {

struct Wide {  // vectors of 64-bit lanes
  typedef Simd<double>::Vec Real;
  typedef u64 Bits __attribute__((vector_size(kVectorBytes)));
  static constexpr int kLanes = kVectorBytes / 8;

  static TL_HD Bits all(u64 x) { return Bits{} + x; }
  static TL_HD Real all(double x) { return Real{} + x; }
  static TL_HD Bits bits(Real x) { return (Bits)x; }
  static TL_HD Real real(Bits x) { return (Real)x; }

  // The product of the low halves of the lanes.
  static TL_HD Bits product(Bits a, Bits b) {
#if defined(__AVX512F__)
    return (Bits)_mm512_maskz_mul_epu32(0xFF, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (Bits)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
    return (Bits)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu);
#endif
  }

  static TL_HD Real root(Real x) {  // correctly rounded everywhere
#if defined(__AVX512F__)
    return (Real)_mm512_maskz_sqrt_pd(0xFF, (__m512d)x);
#elif defined(__AVX2__)
    return (Real)_mm256_sqrt_pd((__m256d)x);
#elif defined(__x86_64__)
    return (Real)_mm_sqrt_pd((__m128d)x);
#else
    Real made = x;
    for (int l = 0; l < kLanes; ++l) made[l] = __builtin_sqrt(x[l]);
    return made;
#endif
  }

  // One bit a lane: whether |q| > .425.
  static TL_HD unsigned outside(Real q) {
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask(_mm512_abs_pd((__m512d)q), _mm512_set1_pd(0.425), _CMP_GT_OQ);
#else
    unsigned bits = 0;
    for (int l = 0; l < kLanes; ++l) bits |= unsigned(!(q[l] >= -0.425 && q[l] <= 0.425)) << l;
    return bits;
#endif
  }
};

// natural_log of core/rng.cuh, lane by lane. A small integer becomes a double by the bits of
// 2^52 + k, exactly, as the conversion would.
TL_HD Wide::Real natural_log(Wide::Real x) {
  typedef Wide W;
  const W::Bits moved = W::bits(x) + (0x3FF0000000000000ull - 0x3FE6A09E667F3BCDull);
  const W::Real e = W::real((moved >> 52) | 0x4330000000000000ull) - (0x1p52 + 1023.0);
  const W::Real f = W::real((moved & 0x000FFFFFFFFFFFFFull) + 0x3FE6A09E667F3BCDull) - 1.0;
  return logarithm<W::Real>(e, f, f / (2.0 + f));
}

// The branch of normal_quantile for |q| > .425 and r <= 5; returns r too, for who must go further.
TL_HD Wide::Real tail_quantile(Wide::Real p, Wide::Real* root) {
  typedef Wide W;
  const W::Real q = p - 0.5;
  const auto below = q < 0;
  const W::Real rest = 1.0 - p;
  const W::Real side = W::real((W::bits(p) & (W::Bits)below) | (W::bits(rest) & ~(W::Bits)below));
  *root = W::root(-natural_log(side));
  const Ratio<W::Real> tail = ratio<kTail>(*root - 1.6);
  const W::Real value = tail.above / tail.below;
  return W::real(W::bits(value) ^ ((W::Bits)below & 0x8000000000000000ull));
}

TL_HD Wide::Real central_quantile(Wide::Real q) {
  const Ratio<Wide::Real> body = ratio<kBody>(0.180625 - q * q);
  return q * body.above / body.below;
}

// Philox blocks lane by lane: counters block[l] of clients client[l], keys low[l], high[l]; both
// words of each block.
TL_HD void philox_words(Wide::Bits block, Wide::Bits low, Wide::Bits high, u32 round,
                        Wide::Bits client, u32 run, Wide::Bits* even, Wide::Bits* odd) {
  typedef Wide W;
  const W::Bits half = W::all(u64(0xFFFFFFFFu));
  W::Bits c0 = block, c1 = W::all(u64(round)), c2 = client, c3 = W::all(u64(run));
  for (int turn = 0; turn < 10; ++turn) {
    const W::Bits a = W::product(W::all(u64(0xD2511F53u)), c0);
    const W::Bits b = W::product(W::all(u64(0xCD9E8D57u)), c2);
    c0 = (b >> 32) ^ c1 ^ low;
    c2 = (a >> 32) ^ c3 ^ high;
    c1 = b & half;
    c3 = a & half;
    low = (low + u64(0x9E3779B9u)) & half;
    high = (high + u64(0xBB67AE85u)) & half;
  }
  *even = c0 | c1 << 32;
  *odd = c2 | c3 << 32;
}

// The tails that wait for a vector of their own.
struct Tails {
  static constexpr int kRoom = 256;
  double p[kRoom + 2 * Wide::kLanes];
  double* out[kRoom + 2 * Wide::kLanes];
  int waiting = 0;

  void finish(double scale) {
    typedef Wide W;
    for (int at = 0; at < waiting; at += W::kLanes) {
      for (int l = waiting - at; l < W::kLanes; ++l) p[at + l] = 0.01;  // unused lanes
      W::Real root;
      const W::Real value = tail_quantile(Simd<double>::load(p + at), &root);
      for (int l = 0; l < W::kLanes && at + l < waiting; ++l)
        *out[at + l] = (root[l] <= 5.0 ? value[l] : normal_quantile(p[at + l] - 0.5)) * scale;
    }
    waiting = 0;
  }
};

// The quantiles of a vector of words, and which of them lie in the tails.
struct Drawn {
  Wide::Real p, value;

  TL_HD Drawn(Wide::Bits word, double scale) {
    typedef Wide W;
    // (double(bits >> 12) + .5) 2^-52: 1 + v 2^-52 has the bits of v below a fixed exponent
    p = (W::real((word >> 12) | 0x3FF0000000000000ull) - 1.0) + 0x1p-53;
    value = central_quantile(p - 0.5) * scale;
  }
  TL_HD void put(int l, double* place, Tails* tails) const {
    const double q = p[l] - 0.5;
    *place = value[l];
    tails->p[tails->waiting] = p[l];
    tails->out[tails->waiting] = place;
    tails->waiting += !(q >= -0.425 && q <= 0.425);
  }
  // Both words of every block: this one's at the even places from `place`, the other's between.
  TL_HD void pair(const Drawn& other, double* place, Tails* tails) const {
    typedef Simd<double> S;
    S::store(place, S::interleave<0>(value, other.value));
    S::store(place + S::kLanes, S::interleave<S::kLanes / 2>(value, other.value));
    tail(place, tails);
    other.tail(place + 1, tails);
  }

 private:
  TL_HD void tail(double* place, Tails* tails) const {
    for (unsigned left = Wide::outside(p - 0.5); left; left &= left - 1) {
      const int l = __builtin_ctz(left);
      tails->p[tails->waiting] = p[l];
      tails->out[tails->waiting++] = place + 2 * l;
    }
  }
};

constexpr i64 kTailProducts = 256;  // cost of a tail and of the six draws that had none

// count draws under each of `streams` keys: out[s count + m] is draw m under keys[s].
inline void normals(const Key* keys, i64 streams, u32 round, u32 client, u32 run, i64 count,
                    double scale, double* out, Pace& pace) {
  typedef Wide W;
  constexpr int kLanes = W::kLanes;
  const i64 blocks = (count + 1) / 2, all = streams * blocks;
  Tails tails;
  i64 s = 0, j = 0;  // the next block: number j of stream s
  for (i64 first = 0; first < all; first += kLanes) {
    W::Bits block = {}, low = W::all(u64(keys[s].lo)), high = W::all(u64(keys[s].hi)), word[2];
    if (2 * (j + kLanes) <= count) {  // a whole vector of blocks in one stream
      for (int l = 0; l < kLanes; ++l) block[l] = u64(j + l);
      philox_words(block, low, high, round, W::all(u64(client)), run, &word[0], &word[1]);
      const Drawn even(word[0], scale), odd(word[1], scale);
      double* here = out + s * count + 2 * j;
      for (int l = 0; l < kLanes; ++l) {
        even.put(l, here + 2 * l, &tails);
        odd.put(l, here + 2 * l + 1, &tails);
      }
      j += kLanes;
    } else {
      double* place[2][kLanes];
      for (int l = 0; l < kLanes; ++l) {
        if (j == blocks && s + 1 < streams) j = 0, ++s;
        const bool inside = first + l < all;
        block[l] = u64(j);
        low[l] = keys[s].lo;
        high[l] = keys[s].hi;
        place[0][l] = inside ? out + s * count + 2 * j : nullptr;
        place[1][l] = inside && 2 * j + 1 < count ? out + s * count + 2 * j + 1 : nullptr;
        j += inside;
      }
      philox_words(block, low, high, round, W::all(u64(client)), run, &word[0], &word[1]);
      for (int half = 0; half < 2; ++half) {
        const Drawn drawn(word[half], scale);
        for (int l = 0; l < kLanes; ++l)
          if (place[half][l]) drawn.put(l, place[half][l], &tails);
      }
    }
    if (j == blocks && s + 1 < streams) j = 0, ++s;
    if (tails.waiting >= Tails::kRoom) {
      tails.finish(scale);
      if (!pace.on(kTailProducts * Tails::kRoom)) return;
    }
  }
  tails.finish(scale);
}

// count draws under one key of each of `clients` clients from `first`: out[c count + m] is draw m
// of client first + c. Every vector is full, and the tails of all wait together.
inline void normals_of_clients(Key key, u32 round, u32 first, i64 clients, u32 run, i64 count,
                               double scale, double* out, Tails* tails) {
  typedef Wide W;
  constexpr i64 kLanes = W::kLanes;
  const i64 blocks = (count + 1) / 2, all = clients * blocks, odd = count & 1;
  const W::Bits low = W::all(u64(key.lo)), high = W::all(u64(key.hi));
  W::Bits block{}, client{}, word[2];
  for (i64 l = 0; l < kLanes; ++l)
    block[l] = u64(l % blocks), client[l] = u64(first) + u64(l / blocks);
  const u64 turn = u64(kLanes % blocks), whole = u64(kLanes / blocks);
  for (i64 b = 0; b < all; b += kLanes) {
    philox_words(block, low, high, round, client, run, &word[0], &word[1]);
    const Drawn even(word[0], scale), other(word[1], scale);
    if (!odd && b + kLanes <= all) {
      even.pair(other, out + 2 * b, tails);
    } else {
      for (i64 l = 0; l < kLanes && b + l < all; ++l) {
        double* place = out + 2 * (b + l) - i64(client[l] - first) * odd;
        even.put(int(l), place, tails);
        if (!odd || i64(block[l]) + 1 < blocks) other.put(int(l), place + 1, tails);
      }
    }
    if (tails->waiting >= Tails::kRoom) tails->finish(scale);
    block += turn;
    client += whole;
    const W::Bits over = (W::Bits)(block >= u64(blocks));
    block -= over & u64(blocks);
    client -= over;  // minus one is what a true lane holds
  }
}

}  // namespace TL_ISA
}  // namespace tl
