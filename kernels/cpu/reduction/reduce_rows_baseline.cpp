// The loops of reductions over floats for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/reduction/reduce_rows.inc"
