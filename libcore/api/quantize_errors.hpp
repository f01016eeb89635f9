// Errors of a quantized model over a data set, in one call.
#pragma once

#include <optional>

#include "libcore/api/quantize.hpp"
#include "libcore/dataset/parts/part_file.hpp"
#include "libcore/quantize/parts/error_record.hpp"

namespace ortool {

struct ErrorReport {
  Preparation preparation;  ///< what was done to the float model before values were compared
  ErrorRecord record;
  std::map<std::string, FileUse> data_files;  ///< of the data sets that are folders or patterns
  std::optional<Part> part;                   ///< with a shard in the data: without a payload
};

/// Prepares the float `model` in place, as quantize() does, and runs both models on all validation
/// data, or on a shard of them. Throws what quantize() does, and ErrorCode::invalid for a model
/// whose inputs or outputs are others.
ErrorReport quantization_errors(Model& model, const Model& quantized,
                                const QuantizeOptions& options);

}  // namespace ortool
