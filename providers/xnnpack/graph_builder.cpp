// Graph builder: values with ids, and constants in XNNPACK's layouts.
#include "providers/xnnpack/graph_builder.hpp"

#include "providers/modules/module_failure.hpp"
#include "providers/xnnpack/operator_list.hpp"

namespace ortool::xnnpack {
namespace {

using modules::ModuleFailure;

const char* name_of_status(xnn_status status) {
  switch (status) {
    case xnn_status_uninitialized:
      return "it is not initialized";
    case xnn_status_invalid_parameter:
      return "invalid parameter";
    case xnn_status_invalid_state:
      return "invalid state";
    case xnn_status_unsupported_parameter:
      return "unsupported parameter";
    case xnn_status_unsupported_hardware:
      return "unsupported processor";
    case xnn_status_out_of_memory:
      return "out of memory";
    default:
      return "unknown status";
  }
}

}  // namespace

std::vector<std::size_t> layout_shape(const ortool_provider_value& value) {
  std::vector<std::size_t> shape;
  for (std::int32_t i = 0; i < value.rank; ++i) {
    if (value.shape[i] <= 0) {
      throw ModuleFailure(ORTOOL_PROVIDER_UNSUPPORTED, "XNNPACK does not compute '" +
                                                           std::string(value.name) +
                                                           "' with an unknown or empty shape");
    }
    shape.push_back(static_cast<std::size_t>(value.shape[i]));
  }
  if (value.rank == image_rank) shape = {shape[0], shape[2], shape[3], shape[1]};
  return shape;
}

std::vector<float> channels_last(const float* elements, const std::vector<std::size_t>& nchw) {
  const std::size_t channels = nchw[1];
  const std::size_t pixels = nchw[2] * nchw[3];
  std::vector<float> result(nchw[0] * channels * pixels);
  for (std::size_t n = 0; n < nchw[0]; ++n) {
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t p = 0; p < pixels; ++p)
        result[(n * pixels + p) * channels + c] = elements[(n * channels + c) * pixels + p];
    }
  }
  return result;
}

GraphBuilder::GraphBuilder(const ortool_provider_graph& graph, Constants& constants)
    : constants_(constants) {
  const auto externals = static_cast<std::uint32_t>(graph.input_count + graph.output_count);
  if (xnn_create_subgraph(externals, 0, &subgraph_) != xnn_status_success)
    throw ModuleFailure(ORTOOL_PROVIDER_MEMORY, "XNNPACK makes no subgraph");
  try {
    std::uint32_t id = 0;
    for (std::size_t i = 0; i < graph.input_count; ++i)
      define(*graph.inputs[i], id++, XNN_VALUE_FLAG_EXTERNAL_INPUT);
    for (std::size_t i = 0; i < graph.output_count; ++i)
      define(*graph.outputs[i], id++, XNN_VALUE_FLAG_EXTERNAL_OUTPUT);
    for (std::size_t i = 0; i < graph.node_count; ++i) {
      const NodeReader node(*graph.nodes[i]);
      const KernelRow* row = find_row(node);
      if (row == nullptr)
        throw ModuleFailure(ORTOOL_PROVIDER_UNSUPPORTED,
                            std::string("XNNPACK has no operator for ") + node.node().op_type);
      const std::string reason = row->refuses(node);
      if (!reason.empty()) throw ModuleFailure(ORTOOL_PROVIDER_UNSUPPORTED, reason);
      check(row->define(*this, node), node);
    }
  } catch (...) {
    xnn_delete_subgraph(subgraph_);
    throw;
  }
}

GraphBuilder::~GraphBuilder() {
  xnn_delete_subgraph(subgraph_);
}

void GraphBuilder::check(xnn_status status, const NodeReader& node) const {
  if (status == xnn_status_success) return;
  throw ModuleFailure(ORTOOL_PROVIDER_UNSUPPORTED,
                      "XNNPACK refuses node '" + std::string(node.node().name) + "' (" +
                          node.node().op_type + "): " + name_of_status(status));
}

void GraphBuilder::define(const ortool_provider_value& value, std::uint32_t external_id,
                          std::uint32_t flags) {
  const std::vector<std::size_t> shape = layout_shape(value);
  std::uint32_t id = XNN_INVALID_VALUE_ID;
  const xnn_status status = xnn_define_tensor_value(subgraph_, xnn_datatype_fp32, shape.size(),
                                                    shape.data(), nullptr, external_id, flags, &id);
  if (status != xnn_status_success) {
    throw ModuleFailure(
        ORTOOL_PROVIDER_UNSUPPORTED,
        "XNNPACK refuses the value '" + std::string(value.name) + "': " + name_of_status(status));
  }
  ids_[&value] = id;
}

std::uint32_t GraphBuilder::id_of(const ortool_provider_value* value) {
  const auto found = ids_.find(value);
  if (found != ids_.end()) return found->second;
  define(*value, XNN_INVALID_VALUE_ID, 0);
  return ids_.at(value);
}

std::uint32_t GraphBuilder::constant(std::vector<std::size_t> shape, std::vector<float> elements) {
  // XNNPACK may read past the end.
  const std::size_t count = elements.size();
  elements.resize(count + XNN_EXTRA_BYTES / sizeof(float));
  const std::vector<float>& kept = constants_.emplace_back(std::move(elements));
  std::uint32_t id = XNN_INVALID_VALUE_ID;
  const xnn_status status =
      xnn_define_tensor_value(subgraph_, xnn_datatype_fp32, shape.size(), shape.data(), kept.data(),
                              XNN_INVALID_VALUE_ID, 0, &id);
  if (status != xnn_status_success) {
    throw ModuleFailure(ORTOOL_PROVIDER_UNSUPPORTED,
                        std::string("XNNPACK refuses a constant: ") + name_of_status(status));
  }
  return id;
}

std::uint32_t GraphBuilder::operand(const ortool_provider_value* value, std::int32_t result_rank) {
  if (value->is_constant == 0) return id_of(value);
  std::vector<std::size_t> shape(static_cast<std::size_t>(result_rank - value->rank), 1);
  for (std::int32_t i = 0; i < value->rank; ++i)
    shape.push_back(static_cast<std::size_t>(value->shape[i]));
  const float* elements = floats_of(*value);
  if (result_rank != image_rank) return constant(shape, {elements, elements + value->count});
  const std::vector<std::size_t> nhwc = {shape[0], shape[2], shape[3], shape[1]};
  return constant(nhwc, channels_last(elements, shape));
}

}  // namespace ortool::xnnpack
