// Runs quantize --errors-of: the errors of a model that was quantized before.
#pragma once

#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/dataset/parts/part_file.hpp"

namespace ortool {

/// Fills the report; with --shard it is that of the shard, which is written to --part-out.
void run_quantization_errors(Invocation& invocation);

/// The errors over all shards.
struct JoinedErrors {
  Json document;  ///< of the command `quantize`, without what describes how it ended
  std::string text;
};

/// Joins checked parts of kind errors, which are in the order of their shards.
JoinedErrors join_errors(const std::vector<Part>& parts, MemoryCap& memory);

}  // namespace ortool
