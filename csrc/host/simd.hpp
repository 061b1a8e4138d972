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
};

TL_HD void fence() {
#ifdef __x86_64__
  _mm_sfence();
#endif
}

}  // namespace TL_ISA
}  // namespace tl
