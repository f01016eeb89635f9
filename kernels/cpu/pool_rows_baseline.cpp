// The steps of pooling along rows of float32 in portable C++.
#define ORTOOL_ISA baseline
#include "kernels/cpu/pool_rows.inc"
