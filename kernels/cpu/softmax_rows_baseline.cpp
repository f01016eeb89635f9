// The loops of softmax for baseline.
#define ORTOOL_ISA baseline
#include "kernels/cpu/softmax_rows.inc"
