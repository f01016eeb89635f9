// Errors of quantized models: of outputs and of nodes, as text and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/ortool/report/report.hpp"
#include "libcore/quantize/parts/error_record.hpp"

namespace ortool {

/// [{output, sqnr_db, cosine, top1_agreement}].
Json outputs_block(std::span<const OutputError> outputs);
/// A line for each output.
std::string outputs_text(std::span<const OutputError> outputs);

/// A node and its error.
struct ToldError {
  std::string node;
  std::string op_type;
  const ErrorSums* sums;
};

/// A table of the `most` nodes with the largest errors; empty for none.
std::string worst_errors_text(std::vector<ToldError> errors, std::size_t most);

/// What `quantize --errors-of` says.
struct ErrorsReport {
  std::string text;
  Json errors;  ///< of values between nodes
  Json outputs;
};

ErrorsReport describe_errors(const ErrorRecord& record);

}  // namespace ortool
