// The operator catalog: the schema, shape rule and traits of every known operator.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"
#include "libcore/ops/op_traits.hpp"

namespace ortool {

/// One operator: its schema, type-erased access to its struct, and its traits.
struct OpEntry {
  const OpSchema* schema;
  /// Reads the node's attributes as `Op::read` does and throws on invalid ones.
  void (*check)(const Node& node, const OpVersion& version);
  void (*infer)(const Node& node, const OpVersion& version, InferContext& context);
  OpTraits traits = {};
};

/// The newest opset of ONNX's own domain that the catalog supports. Later opsets may change any
/// operator.
inline constexpr std::int64_t newest_opset = 28;

/// All operators, sorted by domain, then by name.
std::span<const OpEntry> catalog();

/// Registers a custom operator. Its schema must outlive every use of the catalog. Entries found
/// before stay valid, and models loaded before do not change. Throws ErrorCode::invalid when the
/// catalog already has an operator of that name.
void register_op(const OpEntry& entry);

/// The operator, or null when it is not in the catalog.
const OpEntry* find_op(std::string_view domain, std::string_view op_type);

/// The traits of the node's operator; no traits for operators that are not in the catalog.
const OpTraits& traits_of(const Node& node);
bool has_trait(const Node& node, OpTrait trait);

/// The version of `entry` for the opset that the node's graph imports, or its early form; null when
/// the operator was introduced after that opset.
const OpVersion* version_of(const OpEntry& entry, const Node& node);

/// The node's attributes decoded into the operator's struct. The node must have passed check_node.
template <typename Op>
Op read_op(const Node& node, const OpVersion& version) {
  AttributeReader reader(node, version);
  Op op;
  op.read(reader, static_cast<int>(version.since));
  return op;
}
template <typename Op>
Op read_op(const Node& node) {
  const OpVersion* version = Op::schema.accepted_at(node.opset());
  ORTOOL_CHECK(version != nullptr);
  return read_op<Op>(node, *version);
}

/// The catalog entry for an operator struct.
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
