// Node attributes: a name and a value of one of ONNX's attribute kinds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libcore/graph/graph_fwd.hpp"
#include "libcore/graph/notes.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Attribute kinds with ONNX's numbers (AttributeProto.AttributeType).
enum class AttributeKind : std::int32_t {
  undefined = 0,
  float_number = 1,
  integer = 2,
  string = 3,
  tensor = 4,
  graph = 5,
  floats = 6,
  integers = 7,
  strings = 8,
  tensors = 9,
  graphs = 10,
  sparse_tensor = 11,
  sparse_tensors = 12,
  type = 13,
  types = 14,
};

/// "int", "floats", "tensor" … as in ONNX's documentation.
std::string_view name_of(AttributeKind kind);

/// Values and their positions in a dense shape.
struct SparseTensor {
  Tensor values;
  Tensor indices;
  Shape dimensions;
  SourceFormat spelling = SourceFormat::not_from_file;
  std::shared_ptr<const Residue> residue;  ///< null: none
};

/// Move-only, since it may own graphs.
struct Attribute {
  using Graphs = std::vector<std::unique_ptr<Graph>>;
  using Value = std::variant<std::monostate, float, std::int64_t, std::string, Tensor,
                             std::unique_ptr<Graph>, std::vector<float>, std::vector<std::int64_t>,
                             std::vector<std::string>, std::vector<Tensor>, Graphs, SparseTensor,
                             std::vector<SparseTensor>, ValueType, std::vector<ValueType>>;

  std::string name;
  Value value;
  std::string
      reference;  ///< in a function: the function attribute that this one takes its value from
  AttributeKind reference_kind = AttributeKind::undefined;
  SourceFormat spelling = SourceFormat::not_from_file;
  std::unique_ptr<Notes> notes;  ///< null: none

  /// The kind of the alternative that `value` holds; for a reference, the declared kind.
  AttributeKind kind() const;
};

}  // namespace ortool
