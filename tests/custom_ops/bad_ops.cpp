// Libraries of custom operators that are wrong, one kind for each value of ORTOOL_FAULT.
#include <stdexcept>

#if ORTOOL_FAULT == 8
#define ortool_get_operators get_operators_by_another_name
#endif
#include "providers/cpu/custom/ortool/custom_ops.h"

namespace {

int infer(ortool_call*) {
  return 0;
}

}  // namespace

const ortool_operators* ortool_get_operators() {
  static ortool_operator op = {};
  op.size = sizeof op;
  op.name = "Wrong";
  op.domain = "test.wrong";
  op.since_version = 1;
  op.max_inputs = op.min_outputs = op.max_outputs = 1;
  op.infer = op.run = infer;
  static const ortool_operator* list[] = {&op, &op};
  static ortool_operators operators = {ORTOOL_OPERATORS_VERSION, 1, list};
#if ORTOOL_FAULT == 1
  operators.version = 7;
#elif ORTOOL_FAULT == 2
  operators.count = 0;
#elif ORTOOL_FAULT == 3
  op.run = nullptr;
#elif ORTOOL_FAULT == 4
  op.domain = "ai.onnx";
#elif ORTOOL_FAULT == 5
  operators.count = 2;
#elif ORTOOL_FAULT == 6
  throw std::runtime_error("no");
#elif ORTOOL_FAULT == 7
  op.domain = "com.microsoft";
  op.name = "Gelu";
#elif ORTOOL_FAULT == 9
  op.size = 8;
#endif
  return &operators;
}
