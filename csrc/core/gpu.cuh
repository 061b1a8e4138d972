// gpu.cuh -- what a schedule may ask of the machine that runs it, and the GPU's answers.
//
// A schedule is written once, as a template over its machine M: on the GPU M is Gpu below, in tests
// and on computers without one it is Loops (csrc/emulated/loops.hpp), which runs the same code
// block by block and thread by thread. M answers:
//
//     thread() threads()          this thread of its block, and how many there are: whole warps
//     block() blocks()            this block of the grid, and how many there are
//     shared()                    the block's shared memory, aligned to 128 bytes
//     barrier() warp_barrier()    every thread of the block, or of the warp, is here
//     from_lane_xor(v, mask)      the value of v in lane (own lane XOR mask); all lanes take part
//     copy_async<B>(to, from)     B = 4, 8 or 16 bytes from global into shared memory, later
//     commit()                    closes this thread's group of copies
//     wait_all_but<N>()           until at most the last N groups of this thread are under way;
//                                 others see the bytes after the next barrier
//     once(p)                     *p, which nobody will read again: it need not stay in a cache
//     stream(p, v)                *p = v, likewise
//
// Threads of a block may leave together only: a barrier that some threads never reach is an error.
#pragma once
#include "hd.cuh"

namespace tl {
inline namespace TL_ISA {

constexpr int kWarp = 32;

// B bytes that travel together.
template <int B>
struct Packet;
template <>
struct Packet<4> {
  u32 word;
};
template <>
struct alignas(8) Packet<8> {
  u32 word[2];
};
template <>
struct alignas(16) Packet<16> {
  u32 word[4];
};

#ifdef __CUDACC__
struct Gpu {
  __device__ static int thread() { return int(threadIdx.x); }
  __device__ static int threads() { return int(blockDim.x); }
  __device__ static i64 block() { return blockIdx.x; }
  __device__ static i64 blocks() { return gridDim.x; }
  __device__ static unsigned char* shared() {
    extern __shared__ __align__(128) unsigned char memory[];
    return memory;
  }
  __device__ static void barrier() { __syncthreads(); }
  __device__ static void warp_barrier() { __syncwarp(); }
  template <class T>
  __device__ static T from_lane_xor(T v, int mask) {
    return __shfl_xor_sync(0xFFFFFFFFu, v, mask);
  }
  template <int B>
  __device__ static void copy_async(void* to, const void* from) {
    const u32 at = u32(__cvta_generic_to_shared(to));
    if (B == 16)  // past the first-level cache: nobody reads it there again
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(B)
                   : "memory");
  }
  __device__ static void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
  template <int N>
  __device__ static void wait_all_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
  }
  __device__ static float once(const float* p) { return __ldcs(p); }
  __device__ static double once(const double* p) { return __ldcs(p); }
  __device__ static void stream(Packet<4>* p, Packet<4> v) { __stcs(&p->word, v.word); }
  __device__ static void stream(Packet<8>* p, Packet<8> v) {
    __stcs(reinterpret_cast<uint2*>(p), make_uint2(v.word[0], v.word[1]));
  }
  __device__ static void stream(Packet<16>* p, Packet<16> v) {
    __stcs(reinterpret_cast<uint4*>(p), make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]));
  }
};
#endif

// kVec numbers of T as one packet, and back.
template <class T, int kVec>
union Lanes {
  Packet<int(sizeof(T)) * kVec> packet;
  T value[kVec];
};

}  // namespace TL_ISA
}  // namespace tl
