// simd.hpp -- vectors as wide as this build's instruction set, through GCC's vector extension.
#pragma once
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "../core/hd.cuh"

namespace tl {
inline namespace TL_ISA {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif
constexpr int kLineBytes = 64;

template <class T>
struct Simd {
  typedef T Vec __attribute__((vector_size(kVectorBytes)));
  typedef T Loose __attribute__((vector_size(kVectorBytes), aligned(sizeof(T)), may_alias));
  static constexpr int kLanes = kVectorBytes / sizeof(T);

  static TL_HD Vec load(const T* p) { return *reinterpret_cast<const Loose*>(p); }
  static TL_HD void store(T* p, Vec v) { *reinterpret_cast<Loose*>(p) = v; }

  // Past the caches, to an address aligned to a vector. Whole lines only: a line written in part
  // this way costs a read of memory. fence() before another thread may read.
  static TL_HD void stream(T* p, Vec v) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(p), (__m512i)v);
#elif defined(__AVX2__)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(p), (__m256i)v);
#elif defined(__x86_64__)
    _mm_stream_si128(reinterpret_cast<__m128i*>(p), (__m128i)v);
#else
    store(p, v);
#endif
  }

#ifdef __AVX512F__
  // Lanes skip, skip + 1, ... of the two vectors side by side; 0 <= skip <= kLanes.
  static TL_HD Vec join(Vec before, Vec after, int skip) {
    if constexpr (sizeof(T) == 4) {
      const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
      return (Vec)_mm512_permutex2var_ps(
          (__m512)before, _mm512_add_epi32(lane, _mm512_set1_epi32(skip)), (__m512)after);
    } else {
      const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
      return (Vec)_mm512_permutex2var_pd(
          (__m512d)before, _mm512_add_epi64(lane, _mm512_set1_epi64(skip)), (__m512d)after);
    }
  }
  // Lanes [first, last), each to its place in p[0 .. kLanes); no other byte is touched.
  static TL_HD void store_lanes(T* p, Vec v, int first, int last) {
    const unsigned mask = (1u << last) - (1u << first);
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_ps(p, __mmask16(mask), (__m512)v);
    else
      _mm512_mask_storeu_pd(p, __mmask8(mask), (__m512d)v);
  }
#endif
};

TL_HD void fence() {
#ifdef __x86_64__
  _mm_sfence();
#endif
}

}  // namespace TL_ISA
}  // namespace tl
