// The concrete shape, and the value where known, of every value of a graph for one set of inputs.
#pragma once

#include <deque>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/runtime/kernel.hpp"

namespace ortool {

/// Grows node by node as a plan is built. Constants of the graph are known from the start.
class OperandTable {
 public:
  explicit OperandTable(const Graph& graph);

  const Operand& at(const Value* value) const;
  /// Operands by position, left-out ones as such.
  std::vector<Operand> gather(const std::vector<Value*>& values) const;

  /// Sets what a graph input has in this run; `value` is null unless its content is known too.
  void set(const Value& value, DataType type, Shape shape, const Tensor* known);
  /// Takes over a tensor that is the value's content, whatever the rest of the run brings.
  void set_known(const Value& value, Tensor tensor);

  /// Runs the shape rule of `node`, whose inputs must be in the table, and enters its outputs.
  /// `wanted` becomes the values whose content the rule asked for in vain. Returns false when an
  /// output's shape could not be told, true otherwise.
  bool infer(const Node& node, std::vector<const Value*>& wanted);

 private:
  std::vector<Operand> operands_;
  std::deque<Tensor> known_;
};

}  // namespace ortool
