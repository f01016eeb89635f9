// The steps of pooling along rows of float32 in portable C++.
#define ORTOOL_ISA baseline
#include "kernels/cpu/pooling/pool_rows.inc"
