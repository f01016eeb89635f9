// Compiled graph of the xnnpack module: a runtime with buffers for its inputs and outputs.
#pragma once

#include <cstdint>
#include <mutex>
#include <pthreadpool.h>
#include <vector>
#include <xnnpack.h>

#include "providers/xnnpack/graph_builder.hpp"

namespace ortool::xnnpack {

/// Runs wait for each other: XNNPACK's runtime has one set of intermediate values.
class CompiledGraph {
 public:
  /// `threads` outlives it; may be null. Throws ModuleFailure.
  CompiledGraph(const ortool_provider_graph& graph, pthreadpool_t threads);
  ~CompiledGraph();
  CompiledGraph(const CompiledGraph&) = delete;
  CompiledGraph& operator=(const CompiledGraph&) = delete;

  void run(ortool_provider_call& call, const ortool_provider_tensor* const* inputs);

 private:
  /// A value at the border, with channels innermost where it is an image.
  struct Border {
    std::vector<std::int64_t> shape;  ///< ONNX's
    std::vector<float> buffer;
    bool is_image = false;

    explicit Border(const ortool_provider_value& value);
    std::size_t count() const;
  };

  /// Copies `batch` matrices of rows x columns, transposed.
  void transpose(const float* from, float* to, std::size_t batch, std::size_t rows,
                 std::size_t columns) const;
  void copy_in(const float* from, Border& input) const;
  void copy_out(const Border& output, float* to) const;

  pthreadpool_t threads_;
  xnn_runtime_t runtime_ = nullptr;
  Constants constants_;
  std::vector<Border> inputs_;
  std::vector<Border> outputs_;
  std::mutex mutex_;
};

}  // namespace ortool::xnnpack
