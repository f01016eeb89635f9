// Module call: one call of a module's function, with what it may ask of ortool and its failure.
#pragma once

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/provider/device/device_report.hpp"
#include "libcore/tensor/tensor.hpp"
#include "providers/modules/graph_view.hpp"

namespace ortool::modules {

/// What a call may use; null or empty: the function that is called does not have it.
struct ModuleScope {
  std::string_view provider;  ///< for messages
  int threads = 0;
  const char* precision = "float32";
  const GraphView* claimed = nullptr;  ///< claim(): model_bytes() gives nodes of it
  const Model* compiled = nullptr;     ///< compile(): model_bytes() gives it
  std::span<Tensor> outputs = {};      ///< run()
  Workers* workers = nullptr;          ///< run()
  DeviceFigures* figures = nullptr;    ///< run(): those of a device are wanted
  MemoryCap* cap = nullptr;
};

/// Thread-safe as far as the module keeps to its interface: one thread makes the call.
class ModuleCall {
 public:
  explicit ModuleCall(const ModuleScope& scope);

  ortool_provider_call* get() { return &call_.base; }
  /// Calls `function(call)`, and throws what it fails with.
  template <typename Function>
  void run(std::string_view name, Function function) {
    int result = 0;
    bool has_thrown = false;
    try {
      result = function(get());
    } catch (...) {
      has_thrown = true;
    }
    finish(name, result, has_thrown);
  }
  /// The reasons that claim() gave, by node; empty: none.
  std::vector<std::string> take_refusals() { return std::move(refusals_); }

 private:
  /// Begins with what modules see.
  struct Handle {
    ortool_provider_call base{};
    ModuleCall* owner = nullptr;
  };

  static ModuleCall& owner_of(ortool_provider_call* call);
  static const ortool_provider_api& api();
  void finish(std::string_view name, int result, bool has_thrown);
  int fail(int failure, const char* message);
  /// Calls `body`, and keeps what it throws for finish(); false if it threw.
  template <typename Body>
  bool keep_errors(Body body);
  const void* bytes_of_model(std::size_t index, std::size_t* length);
  void add_figures(const ortool_provider_figures& given);
  void* make_output(std::size_t index, std::int32_t type, std::int32_t rank,
                    const std::int64_t* shape);

  ModuleScope scope_;
  Handle call_;
  std::optional<Error> error_;
  std::exception_ptr kept_;  ///< a stop request or another error of ortool itself
  std::vector<std::string> refusals_;
  std::vector<AlignedBuffer> bytes_;
};

}  // namespace ortool::modules
