// The catalog of operators, and what can be asked of each: schema, shape rule, traits.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/op_traits.hpp"

namespace ortool {

/// One operator: its schema, what can be asked of its struct, and its traits.
struct OpEntry {
  const OpSchema* schema;
  /// Reads the node's attributes as `Op::read` does; throws what is wrong with them.
  void (*check)(const Node& node, const OpVersion& version);
  void (*infer)(const Node& node, const OpVersion& version, InferContext& context);
  OpTraits traits = {};
};

/// The newest version of ONNX's own operators that the catalog was written for. A later one may
/// have changed any operator.
inline constexpr std::int64_t newest_opset = 28;

/// Every operator, sorted by domain, then name.
std::span<const OpEntry> catalog();

/// Adds an operator of a program's own to the catalog. Its schema has to outlive the program's use
/// of the catalog. Entries found before stay valid; models loaded before do not change. Throws
/// ErrorCode::invalid when the catalog holds an operator of that name.
void register_op(const OpEntry& entry);

/// The operator, or null when the catalog does not hold it.
const OpEntry* find_op(std::string_view domain, std::string_view op_type);

/// The traits of the node's operator; none of an operator that the catalog does not hold.
const OpTraits& traits_of(const Node& node);
bool has_trait(const Node& node, OpTrait trait);

/// The version of `entry` that the node's graph imports, or its early form; null when the operator
/// came later than that opset.
const OpVersion* version_of(const OpEntry& entry, const Node& node);

/// The node's meaning as the operator's struct; the node must have passed check_node.
template <typename Op>
Op read_op(const Node& node, const OpVersion& version) {
  AttributeReader reader(node, version);
  Op op;
  op.read(reader, static_cast<int>(version.since));
  return op;
}
template <typename Op>
Op read_op(const Node& node) {
  const OpVersion* version = Op::schema.accepted_at(node.graph().opset(node.domain()));
  ORTOOL_CHECK(version != nullptr);
  return read_op<Op>(node, *version);
}

/// The catalog's row for an operator struct.
template <typename Op>
constexpr OpEntry op_entry(const OpTraits& traits = {}) {
  return {&Op::schema,
          [](const Node& node, const OpVersion& version) {
            static_cast<void>(read_op<Op>(node, version));
          },
          [](const Node& node, const OpVersion& version, InferContext& context) {
            read_op<Op>(node, version).infer(context);
          },
          traits};
}

}  // namespace ortool
