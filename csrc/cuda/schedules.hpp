// schedules.hpp -- every GPU schedule by name, for the table of _cuda and for that of _emulated.
//
//     TL_SCHEDULE(name, types...)    name<M, types...> is the schedule, name_gpu<types...> its
//                                    kernel; "name<types...>" as written here is what Python asks
//
// Arguments of a schedule are i64, double or pointers: 8 bytes each, so that a call is a list of
// words and one launcher serves all. CuPy compiles the same names, and others, at run time.
#include "draws.cuh"
#include "glm_hvp.cuh"
#include "glm_hvp_kept.cuh"
#include "hvp_passes.cuh"
#include "local_steps.cuh"
#include "local_steps_passes.cuh"
#include "mix_jvp.cuh"
#include "push_mix.cuh"
#include "push_mix_columns.cuh"
#include "push_mix_dense.cuh"
#include "push_mix_drawn.cuh"
#include "push_mix_groups.cuh"
#include "softmax_hvp.cuh"
#include "softmax_rows.cuh"

// Of a thread's columns: how many, and how far apart (kVec and kStep in push_mix_lanes.cuh).
#define TL_PUSH_MIX(name)         \
  TL_SCHEDULE(name, float, 1, 1)  \
  TL_SCHEDULE(name, float, 4, 1)  \
  TL_SCHEDULE(name, float, 4, 32) \
  TL_SCHEDULE(name, double, 1, 1) \
  TL_SCHEDULE(name, double, 2, 1) \
  TL_SCHEDULE(name, double, 2, 32)

#define TL_DRAWS(walk, even)                          \
  TL_SCHEDULE(draws_words, tl::ToUniform, walk, even) \
  TL_SCHEDULE(draws_words, tl::ToInteger, walk, even) \
  TL_SCHEDULE(draws_normal, walk, even)

#define TL_PUSH_MIX_DENSE                \
  TL_SCHEDULE(push_mix_dense, float, 1)  \
  TL_SCHEDULE(push_mix_dense, float, 4)  \
  TL_SCHEDULE(push_mix_dense, double, 1) \
  TL_SCHEDULE(push_mix_dense, double, 2)

#define TL_PUSH_MIX_GATHER                \
  TL_SCHEDULE(push_mix_gather, float, 1)  \
  TL_SCHEDULE(push_mix_gather, float, 4)  \
  TL_SCHEDULE(push_mix_gather, double, 1) \
  TL_SCHEDULE(push_mix_gather, double, 2)

// Packets alone: where memory is not aligned to them, push_mix_tiles serves.
#define TL_PUSH_MIX_GROUPS                   \
  TL_SCHEDULE(push_mix_groups, float, 4, 0)  \
  TL_SCHEDULE(push_mix_groups, float, 4, 1)  \
  TL_SCHEDULE(push_mix_groups, double, 2, 0) \
  TL_SCHEDULE(push_mix_groups, double, 2, 1)

#define TL_PUSH_MIX_COLUMNS                   \
  TL_SCHEDULE(push_mix_columns, float, 1, 0)  \
  TL_SCHEDULE(push_mix_columns, float, 1, 1)  \
  TL_SCHEDULE(push_mix_columns, float, 4, 0)  \
  TL_SCHEDULE(push_mix_columns, float, 4, 1)  \
  TL_SCHEDULE(push_mix_columns, double, 1, 0) \
  TL_SCHEDULE(push_mix_columns, double, 1, 1) \
  TL_SCHEDULE(push_mix_columns, double, 2, 0) \
  TL_SCHEDULE(push_mix_columns, double, 2, 1)

#define TL_HVP(T)                 \
  TL_SCHEDULE(glm_hvp_pulls, T)   \
  TL_SCHEDULE(glm_hvp_rows, T, 1) \
  TL_SCHEDULE(glm_hvp_rows, T, 2) \
  TL_SCHEDULE(hvp_finish, T)      \
  TL_SCHEDULE(hvp_outer, T)       \
  TL_SCHEDULE(mix_rows, T, 1)     \
  TL_SCHEDULE(mix_rows, T, 2)     \
  TL_SCHEDULE(softmax_curve, T)   \
  TL_SCHEDULE(softmax_logits, T)  \
  TL_SCHEDULE(softmax_rows, T, 1)

// Vectors together, groups of them, packets of a thread, rows of a lane.
#define TL_GLM_HVP_KEPT                         \
  TL_SCHEDULE(glm_hvp_kept, float, 1, 1, 1, 4)  \
  TL_SCHEDULE(glm_hvp_kept, float, 2, 1, 1, 4)  \
  TL_SCHEDULE(glm_hvp_kept, float, 2, 3, 1, 4)  \
  TL_SCHEDULE(glm_hvp_kept, float, 4, 1, 1, 2)  \
  TL_SCHEDULE(glm_hvp_kept, float, 4, 2, 1, 2)  \
  TL_SCHEDULE(glm_hvp_kept, double, 1, 1, 2, 1) \
  TL_SCHEDULE(glm_hvp_kept, double, 2, 1, 2, 1) \
  TL_SCHEDULE(glm_hvp_kept, double, 2, 2, 2, 1)

#define TL_LOCAL_STEPS_ROWS(T, V, family)          \
  TL_SCHEDULE(local_steps_blocks, T, V, family, 0) \
  TL_SCHEDULE(local_steps_blocks, T, V, family, 1)
#define TL_LOCAL_STEPS_APART(T, family)            \
  TL_SCHEDULE(local_steps_blocks, T, T, family, 0) \
  TL_SCHEDULE(local_steps_pairs, T, family)        \
  TL_SCHEDULE(local_steps_pass, T, family)
#define TL_LOCAL_STEPS(T)                          \
  TL_SCHEDULE(local_steps_squares, T)              \
  TL_LOCAL_STEPS_ROWS(T, T, tl::Family::kLogistic) \
  TL_LOCAL_STEPS_ROWS(T, T, tl::Family::kSoftmax)  \
  TL_LOCAL_STEPS_ROWS(T, T, tl::Family::kDense)    \
  TL_LOCAL_STEPS_APART(T, tl::Family::kDiagonal)   \
  TL_LOCAL_STEPS_APART(T, tl::Family::kLogCosh)    \
  TL_LOCAL_STEPS_APART(T, tl::Family::kClipped)

#define TL_SCHEDULES                                        \
  TL_LOCAL_STEPS(float)                                     \
  TL_LOCAL_STEPS(double)                                    \
  TL_LOCAL_STEPS_ROWS(double, float, tl::Family::kLogistic) \
  TL_DRAWS(tl::ShortWalk, 0)                                \
  TL_DRAWS(tl::ShortWalk, 1)                                \
  TL_DRAWS(tl::LongWalk, 0)                                 \
  TL_DRAWS(tl::LongWalk, 1)                                 \
  TL_PUSH_MIX_DENSE                                         \
  TL_PUSH_MIX(push_mix_tiles)                               \
  TL_PUSH_MIX(push_mix_drawn)                               \
  TL_PUSH_MIX_GATHER                                        \
  TL_PUSH_MIX_GROUPS                                        \
  TL_PUSH_MIX_COLUMNS                                       \
  TL_SCHEDULE(push_weights, float)                          \
  TL_SCHEDULE(push_weights, double)                         \
  TL_HVP(float)                                             \
  TL_HVP(double)                                            \
  TL_GLM_HVP_KEPT                                           \
  TL_SCHEDULE(glm_hvp_rows, float, 4)                       \
  TL_SCHEDULE(mix_rows, float, 4)                           \
  TL_SCHEDULE(softmax_rows, float, 4)                       \
  TL_SCHEDULE(softmax_rows, double, 2)
