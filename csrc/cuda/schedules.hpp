// schedules.hpp -- every GPU schedule by name, for the table of _cuda and for that of _emulated.
//
//     TL_SCHEDULE(name, types...)    name<M, types...> is the schedule, name_gpu<types...> its
//                                    kernel; "name<types...>" as written here is what Python asks
//
// Arguments of a schedule are i64, double or pointers: 8 bytes each, so that a call is a list of
// words and one launcher serves all. CuPy compiles the same names, and others, at run time.
#include "push_mix.cuh"

#define TL_PUSH_MIX(T, kVec)           \
  TL_SCHEDULE(push_mix_tiles, T, kVec) \
  TL_SCHEDULE(push_mix_gather, T, kVec)

#define TL_SCHEDULES                \
  TL_SCHEDULE(push_weights, float)  \
  TL_SCHEDULE(push_weights, double) \
  TL_PUSH_MIX(float, 1)             \
  TL_PUSH_MIX(float, 2)             \
  TL_PUSH_MIX(float, 4)             \
  TL_PUSH_MIX(double, 1)            \
  TL_PUSH_MIX(double, 2)
