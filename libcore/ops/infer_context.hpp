// InferContext: the interface between an operator's shape rule and shape inference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/value_type.hpp"
#include "libcore/ops/known_value.hpp"

namespace ortool {

class Graph;

/// A type, and the elements as far as they are known before the run.
struct InferredValue {
  ValueType type;
  std::optional<KnownElements> elements;
};

/// Types, shapes and (where known) values of a node's inputs. The same shape rule serves models
/// with symbolic dimensions and runs with concrete ones. Rules throw ErrorCode::invalid for
/// incompatible inputs; the caller adds the name of the node.
class InferContext {
 public:
  virtual ~InferContext() = default;

  virtual std::int64_t input_count() const = 0;
  virtual std::int64_t output_count() const = 0;
  /// The type of an input; null when the input is omitted.
  virtual const ValueType* input_type(std::int64_t index) const = 0;
  /// The value of a constant input, or null. For data that determines shapes or is validated.
  virtual const Tensor* input_value(std::int64_t index) const = 0;
  /// The value of an integer input of rank 0 or 1; each element is a number, a formula or unknown.
  /// Nothing when the number of elements is unknown.
  virtual std::optional<Dimensions> input_dimensions(std::int64_t index) const = 0;
  virtual bool has_output(std::int64_t index) const = 0;

  virtual void set_output_type(std::int64_t index, ValueType type) = 0;
  /// Sets the output's value as dimensions, for integer outputs of rank 0 or 1 (Shape and the
  /// operators that process its result).
  virtual void set_output_dimensions(std::int64_t index, Dimensions values) = 0;

  /// The elements, as far as they are known, of a small input of any rank whose type
  /// has_known_elements accepts; nothing when no element is known. Only for computing output
  /// elements; shapes do not depend on them.
  virtual std::optional<KnownElements> input_elements(std::int64_t index) const;
  /// Sets the known elements of an output; there must be as many as its shape holds.
  virtual void set_output_elements(std::int64_t index, KnownElements elements);
  /// Sets the output's value when it is a constant tensor (Constant).
  virtual void set_output_value(std::int64_t, const Tensor&) {}
  /// Declares that the output's value equals the input's, where that is known; no shape depends on
  /// it.
  virtual void forward_value(std::int64_t, std::int64_t) {}
  /// An unknown dimension whose cause is this node, for data-dependent sizes.
  virtual Dimension unknown_dimension() const { return {}; }
  /// Infers the subgraph in one of the node's attributes, given what is known of the subgraph's
  /// inputs (one entry each), and returns what is known of its outputs. Errors inside are rethrown.
  virtual std::vector<InferredValue> infer_body(const Graph& body,
                                                std::vector<InferredValue> inputs);

  // Convenience functions on top of the interface above.
  bool has_input(std::int64_t index) const { return input_type(index) != nullptr; }
  /// DataType::undefined when the input is omitted or not a tensor.
  DataType element(std::int64_t index) const;
  /// Nothing when the rank is unknown or the input is omitted.
  PartialShape shape(std::int64_t index) const;
  /// The rank, or -1 when unknown.
  std::int64_t rank(std::int64_t index) const;
  void set_output(std::int64_t index, DataType element, PartialShape shape);
  /// Type and known elements of an input; of unknown kind when it is omitted.
  InferredValue input(std::int64_t index) const;
  void set_output(std::int64_t index, InferredValue value);
  /// The input's value as integers when all of its elements are known.
  std::optional<std::vector<std::int64_t>> integers(std::int64_t index) const;
};

}  // namespace ortool
