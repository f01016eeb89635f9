// The steps of recurrent cells for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/recurrent/recurrent_rows.inc"
