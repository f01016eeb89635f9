// What an operator's shape rule sees of its inputs, and where it puts what it infers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/known_value.hpp"

namespace ortool {

/// A type, and the elements as far as they are known before a run.
struct InferredValue {
  ValueType type;
  std::optional<KnownElements> elements;
};

/// Types, shapes and, where known, values of a node's inputs. The same rule serves a model whose
/// dimensions are symbols and a run whose dimensions are numbers. Rules throw ErrorCode::invalid
/// for inputs that cannot go together; the caller names the node.
class InferContext {
 public:
  virtual ~InferContext() = default;

  virtual std::int64_t input_count() const = 0;
  virtual std::int64_t output_count() const = 0;
  /// The type of an input; null when it is left out.
  virtual const ValueType* input_type(std::int64_t index) const = 0;
  /// The value of a tensor known already, or null: for content that decides shapes or is checked.
  virtual const Tensor* input_value(std::int64_t index) const = 0;
  /// The value of an integer input of rank 0 or 1, each element a number, a formula or unknown;
  /// nothing when not even their count is known.
  virtual std::optional<Dimensions> input_dimensions(std::int64_t index) const = 0;
  virtual bool has_output(std::int64_t index) const = 0;

  virtual void set_output_type(std::int64_t index, ValueType type) = 0;
  /// The output's value as dimensions, for integer outputs of rank 0 or 1 (Shape and what follows
  /// it).
  virtual void set_output_dimensions(std::int64_t index, Dimensions values) = 0;

  /// The elements of an input of few elements and any rank, as far as they are known, for the types
  /// of has_known_elements; nothing when none is. For what outputs hold: shapes do not need them.
  virtual std::optional<KnownElements> input_elements(std::int64_t index) const;
  /// The same of an output, as many as its shape holds.
  virtual void set_output_elements(std::int64_t index, KnownElements elements);
  /// The output's value when it is a tensor known already (Constant).
  virtual void set_output_value(std::int64_t, const Tensor&) {}
  /// The output's value is that of the input, where it is known already; no shape depends on it.
  virtual void forward_value(std::int64_t, std::int64_t) {}
  /// Unknown, because of this node: for what data decides.
  virtual Dimension unknown_dimension() const { return {}; }
  /// Infers the body that an attribute of the node holds, given what is known of its inputs (as
  /// many as it has), and tells what is known of its outputs. Throws what is wrong inside.
  virtual std::vector<InferredValue> infer_body(const Graph& body,
                                                std::vector<InferredValue> inputs);

  // Short forms of the above.
  bool has_input(std::int64_t index) const { return input_type(index) != nullptr; }
  /// Undefined when the input is left out or no tensor.
  DataType element(std::int64_t index) const;
  /// Nothing when the rank is unknown or the input left out.
  PartialShape shape(std::int64_t index) const;
  /// The rank, or -1 when unknown.
  std::int64_t rank(std::int64_t index) const;
  void set_output(std::int64_t index, DataType element, PartialShape shape);
  /// What is known of an input; of unknown kind when it is left out.
  InferredValue input(std::int64_t index) const;
  void set_output(std::int64_t index, InferredValue value);
  /// The input's value as numbers when all of them are known.
  std::optional<std::vector<std::int64_t>> integers(std::int64_t index) const;
};

}  // namespace ortool
