// Model preparation before quantization: folding, fusion, float32 and opset conversion.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/base/task_context.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/provider/provider.hpp"
#include "libcore/quantize/calibrate/input_evidence.hpp"

namespace ortool {

struct PrepareOptions {
  const Provider* provider = nullptr;  ///< runs the nodes that are folded
  ThreadPool* pool = nullptr;          ///< null: the calling thread only
  MemoryCap* cap = nullptr;
  const StopToken* stop = nullptr;
  StepFunction on_step = {};  ///< called with "preparing"
  bool is_optimized = true;
  std::int64_t min_opset = 13;  ///< earlier models are converted
  /// For models that cannot be converted to min_opset; 0: none.
  std::int64_t fallback_opset = 0;
  /// Converts products of float16, bfloat16 and float64 to float32 (convert_to_float32); otherwise
  /// models with 16-bit products are raised to opset 19, whose scales may be of these types.
  bool in_float32 = true;
};

/// The effects of the preparation.
struct Preparation {
  std::int64_t nodes_before = 0;  ///< over all graphs
  std::int64_t nodes_after = 0;
  std::int64_t weights_before = 0;  ///< float tensors that nodes read
  std::int64_t weights_after = 0;
  std::int64_t rewrites = 0;
  std::int64_t constant_inputs = 0;  ///< inputs with a default that became constants
  std::int64_t opset_before = 0;
  std::int64_t opset_after = 0;
  std::vector<DataType> types_converted;  ///< types converted to float32
  ModelEvidence model_evidence;           ///< read before the model was rewritten
};

/// Turns inputs with defaults into constants, inlines functions, raises the opset where there is
/// anything to quantize, folds constants, and applies the optimizer's rules up to `extended`; types
/// are inferred afterward. Other runtimes can load the result too. Throws ErrorCode::unsupported
/// for a model that cannot be converted to the opset.
Preparation prepare_model(Model& model, const PrepareOptions& options);

}  // namespace ortool
