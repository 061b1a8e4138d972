// isa.cpp -- every host schedule, compiled once per instruction set (setup.py gives TL_ISA).
#include "draws.hpp"
#include "glm_hvp.hpp"
#include "intervals.hpp"
#include "lag_sums.hpp"
#include "local_steps.hpp"
#include "matrix_norms.hpp"
#include "mix_drawn.hpp"
#include "network.hpp"
#include "push_mix.hpp"
#include "table.hpp"
#include "traffic.hpp"

#define TL_JOIN(a, b) a##b
#define TL_TABLE(isa) TL_JOIN(table_, isa)
#define TL_TEXT(isa) #isa
#define TL_NAME(isa) TL_TEXT(isa)

namespace tl {
extern const Table TL_TABLE(TL_ISA);
const Table TL_TABLE(TL_ISA) = {TL_NAME(TL_ISA), draws,        networks, mix_drawn,
                                push_mix,        local_steps,  hvp,      repeated,
                                lag_sums,        matrix_norms, traffic,  arithmetic};
}  // namespace tl
