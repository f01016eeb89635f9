// Compiled graph of the xnnpack module: transposes at the borders, and runs.
#include "providers/xnnpack/compiled_graph.hpp"

#include <algorithm>
#include <cstring>

#include "providers/modules/module_failure.hpp"

namespace ortool::xnnpack {
namespace {

using modules::ModuleFailure;

/// Rows and columns of a block that stays in the first cache.
constexpr std::size_t block_size = 32;

}  // namespace

CompiledGraph::Border::Border(const ortool_provider_value& value)
    : shape(value.shape, value.shape + value.rank), is_image(value.rank == image_rank) {
  // XNNPACK may read past the end.
  buffer.resize(count() + XNN_EXTRA_BYTES / sizeof(float));
}

std::size_t CompiledGraph::Border::count() const {
  std::size_t result = 1;
  for (const std::int64_t dimension : shape) result *= static_cast<std::size_t>(dimension);
  return result;
}

CompiledGraph::CompiledGraph(const ortool_provider_graph& graph, pthreadpool_t threads)
    : threads_(threads) {
  const GraphBuilder builder(graph, constants_);
  if (xnn_create_runtime_v2(builder.subgraph(), threads_, 0, &runtime_) != xnn_status_success)
    throw ModuleFailure(ORTOOL_PROVIDER_UNSUPPORTED, "XNNPACK does not compile the subgraph");
  try {
    for (std::size_t i = 0; i < graph.input_count; ++i) inputs_.emplace_back(*graph.inputs[i]);
    for (std::size_t i = 0; i < graph.output_count; ++i) outputs_.emplace_back(*graph.outputs[i]);
    std::vector<xnn_external_value> externals;
    std::uint32_t id = 0;
    for (std::vector<Border>* borders : {&inputs_, &outputs_}) {
      for (Border& border : *borders) externals.push_back({id++, border.buffer.data()});
    }
    if (xnn_setup_runtime(runtime_, externals.size(), externals.data()) != xnn_status_success)
      throw ModuleFailure(ORTOOL_PROVIDER_UNSUPPORTED, "XNNPACK does not take the buffers");
  } catch (...) {
    xnn_delete_runtime(runtime_);
    throw;
  }
}

CompiledGraph::~CompiledGraph() {
  xnn_delete_runtime(runtime_);
}

void CompiledGraph::transpose(const float* from, float* to, std::size_t batch, std::size_t rows,
                              std::size_t columns) const {
  const std::size_t row_blocks = (rows + block_size - 1) / block_size;
  const auto move_rows = [=](std::size_t task) {
    const std::size_t matrix = task / row_blocks * rows * columns;
    const std::size_t first = task % row_blocks * block_size;
    const std::size_t last = std::min(rows, first + block_size);
    for (std::size_t begin = 0; begin < columns; begin += block_size) {
      const std::size_t end = std::min(columns, begin + block_size);
      for (std::size_t row = first; row < last; ++row) {
        for (std::size_t column = begin; column < end; ++column)
          to[matrix + column * rows + row] = from[matrix + row * columns + column];
      }
    }
  };
  pthreadpool_parallelize_1d(threads_, move_rows, batch * row_blocks);
}

void CompiledGraph::copy_in(const float* from, Border& input) const {
  if (!input.is_image) {
    std::memcpy(input.buffer.data(), from, input.count() * sizeof(float));
    return;
  }
  const auto size = [&](std::size_t axis) { return static_cast<std::size_t>(input.shape[axis]); };
  transpose(from, input.buffer.data(), size(0), size(1), size(2) * size(3));
}

void CompiledGraph::copy_out(const Border& output, float* to) const {
  if (!output.is_image) {
    std::memcpy(to, output.buffer.data(), output.count() * sizeof(float));
    return;
  }
  const auto size = [&](std::size_t axis) { return static_cast<std::size_t>(output.shape[axis]); };
  transpose(output.buffer.data(), to, size(0), size(2) * size(3), size(1));
}

void CompiledGraph::run(ortool_provider_call& call, const ortool_provider_tensor* const* inputs) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    copy_in(static_cast<const float*>(inputs[i]->data), inputs_[i]);
  if (xnn_invoke_runtime(runtime_) != xnn_status_success)
    throw ModuleFailure(ORTOOL_PROVIDER_UNSUPPORTED, "XNNPACK's run failed");
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    void* to =
        call.api->output(&call, i, float32, static_cast<std::int32_t>(outputs_[i].shape.size()),
                         outputs_[i].shape.data());
    if (to == nullptr) throw ModuleFailure(ORTOOL_PROVIDER_MEMORY, "no memory for an output");
    copy_out(outputs_[i], static_cast<float*>(to));
  }
}

}  // namespace ortool::xnnpack
