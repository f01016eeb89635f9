// Calls of custom operators: operands as C structs, and the functions that operators may call.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/provider/kernel.hpp"
#include "providers/cpu/custom/custom_op.hpp"
#include "providers/cpu/custom/ortool/custom_ops.h"

namespace ortool::cpu {

/// One call of a library's function. Not thread-safe: each run has its own.
class CustomCall : public ortool_call {
 public:
  /// Both outlive the call.
  CustomCall(const Node& node, const CustomVersion& version);
  CustomCall(const CustomCall&) = delete;
  CustomCall& operator=(const CustomCall&) = delete;

  /// Operands of infer(), with symbols; outputs are set in `given`.
  void take(InferContext& given);
  /// Operands of prepare() and run(), by their shapes, which outlive the call.
  void take(std::span<const Operand> given_inputs, std::span<const Operand> given_outputs);
  /// Operands of a run on whole values; outputs are set in `given`.
  void take(DynamicContext& given);
  /// The memory of a run.
  void point_input(std::size_t index, const void* data);
  void point_output(std::size_t index, void* data);
  void set_workers(Workers& workers) { workers_ = &workers; }

  /// Calls `function` and throws what it failed with, naming the library.
  void invoke(int (*function)(ortool_call* call), std::string_view what);
  /// Passes the outputs of a run on whole values on.
  void hand_over_outputs();
  /// Refuses outputs that the call left unset.
  void check_outputs_set() const;

  // Behind ortool_operator_api.
  const Node& node() const { return node_; }
  int fail(std::string message);
  bool find_attribute(std::size_t index, ortool_attribute& found);
  const void* input_value(std::size_t input);
  int set_output(std::size_t output, std::int32_t type, std::int32_t rank,
                 const std::int64_t* shape, const char* const* symbols, void** data);
  const char* input_string(std::size_t input, std::int64_t index, std::size_t* length);
  int set_string(std::size_t output, std::int64_t index, const char* text, std::size_t length);
  int run_parallel(std::int64_t tasks, void (*body)(void* context, std::int64_t task),
                   void* body_context);

 private:
  struct Facts {
    ortool_operand operand = {};
    std::vector<std::int64_t> shape;
    std::vector<std::string> symbols;
    std::vector<const char*> symbol_texts;
    Dimensions dimensions;
    bool is_set = false;
  };

  void point_to_operands();
  static void fill(Facts& facts, DataType type, std::span<const std::int64_t> shape);
  Dimension dimension_of(const char* text) const;
  int set_inferred(std::size_t output, DataType type, std::int32_t rank, const std::int64_t* shape,
                   const char* const* symbols);
  int make_output(std::size_t output, DataType type, Shape shape, void** data);

  const Node& node_;
  const CustomVersion& version_;
  std::vector<Facts> input_facts_;
  std::vector<Facts> output_facts_;
  std::vector<const ortool_operand*> input_pointers_;
  std::vector<const ortool_operand*> output_pointers_;
  std::string message_;
  InferContext* infer_ = nullptr;
  DynamicContext* dynamic_ = nullptr;
  Workers* workers_ = nullptr;
  std::vector<Tensor> made_;  ///< outputs of a run on whole values
  std::deque<std::vector<const char*>> attribute_texts_;
};

}  // namespace ortool::cpu
