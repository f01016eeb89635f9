// ortool.Reorder: converts a tensor to the memory layout of the output's type. Created by sessions;
// never stored in files.
#pragma once

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

struct Reorder {
  static const OpSchema schema;

  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const;
};

}  // namespace ortool
