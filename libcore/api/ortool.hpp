// Everything that a program needs to load, run, optimize, quantize, verify and measure models.
#pragma once

#include "libcore/api/bench.hpp"
#include "libcore/api/compute_options.hpp"
#include "libcore/api/optimize.hpp"
#include "libcore/api/quantize.hpp"
#include "libcore/api/random_inputs.hpp"
#include "libcore/api/save_packed.hpp"
#include "libcore/api/verify.hpp"
#include "libcore/base/error.hpp"
#include "libcore/check/save_checked.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/runtime/session.hpp"
