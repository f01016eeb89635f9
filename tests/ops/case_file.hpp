// Operator cases as text: nodes, inputs, and the outputs or the error that is expected.
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
  Tensor tensor;  ///< of an expected output: empty where the baseline variant gives the value
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

/// Reads the cases of a file's text; the format stands in docs/contributing/testing.md. Throws
/// ErrorCode::invalid naming the line.
std::vector<OpCase> parse_case_file(std::string_view text);

}  // namespace ortool::test
