// The loops of reductions over floats for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/reduce_rows.inc"
