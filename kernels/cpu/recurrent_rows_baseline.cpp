// The steps of recurrent cells for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/recurrent_rows.inc"
