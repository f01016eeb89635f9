// Subgraph kernel: a part of a model that a module compiles, once for each set of shapes.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/provider/device/device_report.hpp"
#include "libcore/provider/provider.hpp"
#include "providers/modules/module_state.hpp"

namespace ortool::modules {

/// A graph as a module compiled it; released with this object.
class CompiledSubgraph {
 public:
  /// Throws what the module fails with.
  CompiledSubgraph(std::shared_ptr<const ModuleState> state, const Model& part, int threads,
                   MemoryCap* cap);
  ~CompiledSubgraph();
  CompiledSubgraph(const CompiledSubgraph&) = delete;
  CompiledSubgraph& operator=(const CompiledSubgraph&) = delete;

  std::vector<Tensor> run(std::span<const Tensor> inputs, std::size_t output_count,
                          Workers& workers, MemoryCap* cap, DeviceFigures* figures) const;

 private:
  std::shared_ptr<const ModuleState> state_;
  int threads_;
  void* kernel_ = nullptr;
};

/// Where the shapes of the inputs are known, the module compiles when the session is made. Else it
/// does so in the first run with each set of shapes. After `shapes_before_any` of them, further ones
/// share a kernel for unknown shapes where the module has such: a decoder has other shapes in each
/// step, and every kernel holds its own weights. Otherwise there are up to `max_shapes`, of which
/// the oldest is replaced. Shapes that the module refuses, when it compiles or in a run of that
/// kernel, are computed node by node by the fallback.
class SubgraphKernel : public ReportingKernel {
 public:
  static constexpr std::size_t max_shapes = 8;
  static constexpr std::size_t shapes_before_any = 2;

  SubgraphKernel(std::shared_ptr<const ModuleState> state, std::shared_ptr<const Provider> fallback,
                 std::unique_ptr<Model> part, const CompileContext& context);

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override;
  bool is_dynamic() const override { return true; }
  void run_dynamic(DynamicContext& context) const override { run_dynamic(context, nullptr); }
  void run_dynamic_reporting(DynamicContext& context, DeviceReport& report) const override {
    run_dynamic(context, &report.figures);
  }

 private:
  /// Null: the fallback computes these shapes.
  using CompiledPtr = std::shared_ptr<const CompiledSubgraph>;
  struct Entry {
    std::vector<Shape> shapes;  ///< of the inputs
    CompiledPtr compiled;
  };

  CompiledPtr compiled_for(const std::vector<Tensor>& inputs) const;
  CompiledPtr compile(const Model& part) const;
  /// `figures`, which may be null, receives what the module tells of a device.
  void run_dynamic(DynamicContext& context, DeviceFigures* figures) const;
  std::vector<Tensor> compute(const std::vector<Tensor>& inputs, DynamicContext& context,
                              DeviceFigures* figures) const;
  std::vector<Tensor> compute_by_fallback(const std::vector<Tensor>& inputs,
                                          DynamicContext& context) const;
  void check_outputs(const std::vector<Tensor>& outputs) const;

  std::shared_ptr<const ModuleState> state_;
  std::shared_ptr<const Provider> fallback_;
  std::string name_;
  std::unique_ptr<const Model> part_;
  std::vector<ValueType> output_types_;
  std::vector<std::string> output_names_;
  bool is_fixed_ = true;  ///< the shapes of all inputs are known
  int threads_;
  MemoryCap* cap_;
  mutable std::mutex mutex_;          ///< guards these three
  mutable std::list<Entry> entries_;  ///< the most recent first
  mutable CompiledPtr any_shapes_;
  mutable bool has_tried_any_ = false;
};

}  // namespace ortool::modules
