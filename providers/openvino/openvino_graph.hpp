// Compiled graph of the openvino module, with requests that runs take and give back.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "providers/openvino/openvino_state.hpp"

namespace ortool::openvino {

class CompiledGraph {
 public:
  /// Throws ModuleFailure.
  CompiledGraph(ortool_provider_call& call, const State& state, const ortool_provider_graph& graph);
  ~CompiledGraph();
  CompiledGraph(const CompiledGraph&) = delete;
  CompiledGraph& operator=(const CompiledGraph&) = delete;

  /// Inputs are read, and outputs of known shapes written, in the memory of ortool.
  void run(ortool_provider_call& call, const ortool_provider_tensor* const* inputs,
           std::size_t input_count);

 private:
  struct Output {
    std::int32_t type = 0;
    bool has_shape = false;
    std::vector<std::int64_t> shape;
    Port* port = nullptr;
  };

  void compile(ortool_provider_call& call);
  void find_ports(const ortool_provider_graph& graph);
  void release();
  InferRequest* take_request();
  void give_back(InferRequest* request);
  void bind(InferRequest* request, const Port* port, std::int32_t type, std::int32_t rank,
            const std::int64_t* shape, const void* data) const;
  void copy_output(ortool_provider_call& call, InferRequest* request, std::size_t index) const;

  const State& state_;
  CompiledModel* compiled_ = nullptr;
  std::vector<Port*> inputs_;
  std::vector<Output> outputs_;
  std::mutex mutex_;
  std::vector<InferRequest*> requests_;  ///< that no run uses
};

}  // namespace ortool::openvino
