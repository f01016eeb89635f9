// Operator cases as text: nodes, inputs, and the expected outputs or error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/tensor/compare.hpp"

namespace ortool::test {

struct CaseTensor {
  std::string name;
  Tensor tensor;  ///< expected outputs: empty where the baseline ISA gives the value
};

struct ExpectedError {
  ErrorCode code;
  std::string message_part;
};

struct OpCase {
  std::string name;
  int line = 0;
  OpsetImports opsets;
  std::string nodes;  ///< in the textual syntax
  std::vector<CaseTensor> inputs;
  std::vector<CaseTensor> constants;
  std::vector<CaseTensor> outputs;
  Tolerance tolerance = {.rtol = 1e-6, .atol = 1e-7};
  std::optional<ExpectedError> error;
};

/// Parses the text of a case file; docs/contributing/testing.md describes the format. Throws
/// ErrorCode::invalid with the line.
std::vector<OpCase> parse_case_file(std::string_view text);

}  // namespace ortool::test
