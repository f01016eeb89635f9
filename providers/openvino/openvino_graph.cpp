// Compiled graph of the openvino module: compiling ONNX bytes, and tensors over ortool's memory.
#include "providers/openvino/openvino_graph.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "providers/modules/module_failure.hpp"
#include "providers/openvino/output_port.hpp"

namespace ortool::openvino {
namespace {

using modules::ModuleFailure;

/// OpenVINO reads or writes beside them. Empty constants are operands that are left out.
constexpr const char* without_elements = "OpenVINO does not take tensors without elements";

bool is_empty(const ortool_provider_value* value) {
  return value != nullptr && value->count == 0 && value->is_constant == 0;
}

bool has_empty_value(const ortool_provider_graph& graph) {
  for (std::size_t i = 0; i < graph.node_count; ++i) {
    const ortool_provider_node& node = *graph.nodes[i];
    if (std::any_of(node.inputs, node.inputs + node.input_count, is_empty)) return true;
    if (std::any_of(node.outputs, node.outputs + node.output_count, is_empty)) return true;
  }
  return false;
}

/// Frees OpenVINO's tensor; the request keeps what it needs.
class TensorHandle {
 public:
  explicit TensorHandle(const Functions& functions) : functions_(functions) {}
  ~TensorHandle() {
    if (tensor_ != nullptr) functions_.tensor_free(tensor_);
  }
  TensorHandle(const TensorHandle&) = delete;
  TensorHandle& operator=(const TensorHandle&) = delete;

  Tensor** place() { return &tensor_; }
  const Tensor* get() const { return tensor_; }

 private:
  const Functions& functions_;
  Tensor* tensor_ = nullptr;
};

}  // namespace

CompiledGraph::CompiledGraph(ortool_provider_call& call, const State& state,
                             const ortool_provider_graph& graph)
    : state_(state) {
  if (has_empty_value(graph)) throw ModuleFailure(ORTOOL_PROVIDER_UNSUPPORTED, without_elements);
  compile(call);
  try {
    find_ports(graph);
    give_back(take_request());
  } catch (...) {
    release();
    throw;
  }
}

CompiledGraph::~CompiledGraph() {
  release();
}

void CompiledGraph::release() {
  const Functions& functions = state_.functions();
  for (InferRequest* request : requests_) functions.infer_request_free(request);
  for (Port* port : inputs_) functions.output_const_port_free(port);
  for (const Output& output : outputs_) {
    if (output.port != nullptr) functions.output_const_port_free(output.port);
  }
  functions.compiled_model_free(compiled_);
}

void CompiledGraph::compile(ortool_provider_call& call) {
  std::size_t length = 0;
  const void* bytes = call.api->model_bytes(&call, 0, &length);
  if (bytes == nullptr)
    throw ModuleFailure(ORTOOL_PROVIDER_UNSUPPORTED, "there is no ONNX file of the subgraph");
  const Functions& functions = state_.functions();
  SourceModel* model = nullptr;
  state_.library().check(
      functions.core_read_model_from_memory_buffer(state_.core(), static_cast<const char*>(bytes),
                                                   length, nullptr, &model),
      ORTOOL_PROVIDER_UNSUPPORTED, "OpenVINO does not read the subgraph");
  const std::string threads = std::to_string(call.threads);
  const char* device = state_.device().c_str();
  const int status =
      state_.sets_threads() && call.threads > 0
          ? functions.core_compile_model(state_.core(), model, device, 2, &compiled_,
                                         "INFERENCE_NUM_THREADS", threads.c_str())
          : functions.core_compile_model(state_.core(), model, device, 0, &compiled_);
  functions.model_free(model);
  state_.library().check(status, ORTOOL_PROVIDER_UNSUPPORTED,
                         "OpenVINO does not compile the subgraph");
}

void CompiledGraph::find_ports(const ortool_provider_graph& graph) {
  const Functions& functions = state_.functions();
  for (std::size_t i = 0; i < graph.input_count; ++i) {
    Port* port = nullptr;
    const int status =
        functions.compiled_model_input_by_name(compiled_, graph.inputs[i]->name, &port);
    state_.library().check(
        status, ORTOOL_PROVIDER_UNSUPPORTED,
        std::string("OpenVINO's model has no input '") + graph.inputs[i]->name + "'");
    inputs_.push_back(port);
  }
  for (std::size_t i = 0; i < graph.output_count; ++i) {
    const ortool_provider_value& value = *graph.outputs[i];
    Output& output = outputs_.emplace_back();
    output.type = value.type;
    output.has_shape = value.count >= 0;
    if (value.rank > 0) output.shape.assign(value.shape, value.shape + value.rank);
    state_.library().check(
        functions.compiled_model_output_by_name(compiled_, value.name, &output.port),
        ORTOOL_PROVIDER_UNSUPPORTED,
        std::string("OpenVINO's model has no output '") + value.name + "'");
    const std::string difference = port_difference(state_, output.port, value);
    if (!difference.empty()) throw ModuleFailure(ORTOOL_PROVIDER_UNSUPPORTED, difference);
  }
}

InferRequest* CompiledGraph::take_request() {
  {
    const std::lock_guard lock(mutex_);
    if (!requests_.empty()) {
      InferRequest* request = requests_.back();
      requests_.pop_back();
      return request;
    }
  }
  InferRequest* request = nullptr;
  state_.library().check(
      state_.functions().compiled_model_create_infer_request(compiled_, &request),
      ORTOOL_PROVIDER_UNSUPPORTED, "OpenVINO makes no request");
  return request;
}

void CompiledGraph::give_back(InferRequest* request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(request);
}

void CompiledGraph::bind(InferRequest* request, const Port* port, std::int32_t type,
                         std::int32_t rank, const std::int64_t* shape, const void* data) const {
  static std::int64_t nothing = 0;  // tensors without elements need an address too
  const Functions& functions = state_.functions();
  TensorHandle tensor(functions);
  const Dimensions dimensions{rank, const_cast<std::int64_t*>(shape)};
  void* address = data != nullptr ? const_cast<void*>(data) : &nothing;
  state_.library().check(functions.tensor_create_from_host_ptr(state_.types().number(type),
                                                               dimensions, address, tensor.place()),
                         ORTOOL_PROVIDER_UNSUPPORTED, "OpenVINO makes no tensor");
  state_.library().check(
      functions.infer_request_set_tensor_by_const_port(request, port, tensor.get()),
      ORTOOL_PROVIDER_UNSUPPORTED, "OpenVINO does not take a tensor");
}

void CompiledGraph::copy_output(ortool_provider_call& call, InferRequest* request,
                                std::size_t index) const {
  const Functions& functions = state_.functions();
  const Library& library = state_.library();
  TensorHandle tensor(functions);
  library.check(functions.infer_request_get_tensor_by_const_port(request, outputs_[index].port,
                                                                 tensor.place()),
                ORTOOL_PROVIDER_UNSUPPORTED, "OpenVINO gives no output");
  Dimensions shape{};
  library.check(functions.tensor_get_shape(tensor.get(), &shape), ORTOOL_PROVIDER_UNSUPPORTED,
                "OpenVINO gives no shape");
  void* to = call.api->output(&call, index, outputs_[index].type,
                              static_cast<std::int32_t>(shape.rank), shape.numbers);
  functions.shape_free(&shape);
  void* from = nullptr;
  std::size_t bytes = 0;
  const bool is_done = to != nullptr && functions.tensor_data(tensor.get(), &from) == 0 &&
                       functions.tensor_get_byte_size(tensor.get(), &bytes) == 0;
  if (is_done && bytes > 0) std::memcpy(to, from, bytes);
}

void CompiledGraph::run(ortool_provider_call& call, const ortool_provider_tensor* const* inputs,
                        std::size_t input_count) {
  for (std::size_t i = 0; i < input_count; ++i) {
    if (inputs[i]->count == 0) throw ModuleFailure(ORTOOL_PROVIDER_UNSUPPORTED, without_elements);
  }
  InferRequest* request = take_request();
  try {
    for (std::size_t i = 0; i < input_count; ++i) {
      const ortool_provider_tensor& input = *inputs[i];
      bind(request, inputs_[i], input.type, input.rank, input.shape, input.data);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const Output& output = outputs_[i];
      if (!output.has_shape) continue;
      const auto rank = static_cast<std::int32_t>(output.shape.size());
      const void* data = call.api->output(&call, i, output.type, rank, output.shape.data());
      if (data == nullptr) throw ModuleFailure(ORTOOL_PROVIDER_MEMORY, "no memory for an output");
      bind(request, output.port, output.type, rank, output.shape.data(), data);
    }
    state_.library().check(state_.functions().infer_request_infer(request),
                           ORTOOL_PROVIDER_UNSUPPORTED, "OpenVINO's run failed");
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (!outputs_[i].has_shape) copy_output(call, request, i);
    }
  } catch (...) {
    // What it was given may be gone.
    state_.functions().infer_request_free(request);
    throw;
  }
  give_back(request);
}

}  // namespace ortool::openvino
