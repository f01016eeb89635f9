// A model brought into the form that is quantised: folded, fused, float32, of an opset that can.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/provider/provider.hpp"
#include "libcore/quantize/calibrate/input_evidence.hpp"

namespace ortool {

struct PrepareOptions {
  const Provider* provider = nullptr;  ///< computes what can be computed beforehand
  ThreadPool* pool = nullptr;          ///< null: the calling thread alone
  MemoryCap* cap = nullptr;
  const StopToken* stop = nullptr;
  bool is_optimized = true;
  std::int64_t least_opset = 13;  ///< earlier models are converted
  /// For models that cannot be written for least_opset; 0: there is none.
  std::int64_t fallback_opset = 0;
  /// Products of float16, bfloat16 and float64 become products of float32 (convert_to_float32);
  /// otherwise those of 16 bits have opset 19, whose scales may be such floats.
  bool in_float32 = true;
};

/// What the preparation did.
struct Preparation {
  std::int64_t nodes_before = 0;  ///< of all graphs
  std::int64_t nodes_after = 0;
  std::int64_t weights_before = 0;  ///< tensors of floats that nodes read
  std::int64_t weights_after = 0;
  std::int64_t rewrites = 0;
  std::int64_t settled_inputs = 0;  ///< inputs with a default that became constants
  std::int64_t opset_before = 0;
  std::int64_t opset_after = 0;
  std::vector<DataType> types_converted;  ///< what became float32
  InputClues clues;                       ///< read before the model was rewritten
};

/// Makes constants of inputs that have a default, inlines functions, raises the opset where there
/// is anything to quantise, computes what reads constants alone, and applies the optimiser's rules
/// up to `extended`; types are inferred afterwards. The result is a model that other runtimes load
/// too. Throws ErrorCode::unsupported for a model that cannot be written for the opset.
Preparation prepare_model(Model& model, const PrepareOptions& options);

}  // namespace ortool
