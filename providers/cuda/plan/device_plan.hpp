// Device plan: the commands of a group of nodes for one set of shapes, with their memory.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "libcore/provider/device/device_report.hpp"
#include "providers/cuda/plan/command_list.hpp"

namespace ortool::cuda {

/// A value that crosses between the host and the device in each run.
struct TransferRange {
  std::size_t operand = 0;  ///< the group's input or output
  EncodedPointer memory;
  std::int64_t bytes = 0;
};

/// An output that is known before the run.
struct KnownOutput {
  std::size_t operand = 0;
  Tensor content;
};

/// What one run of a plan does.
struct PlanFigures {
  std::int64_t launches = 0;  ///< kernels, products, convolutions
  std::int64_t copies_in = 0;
  std::int64_t copies_out = 0;
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  std::int64_t arena_bytes = 0;
};

struct PlanParts {
  CommandList command_list;
  std::vector<TransferRange> inputs;
  std::vector<TransferRange> outputs;
  std::vector<KnownOutput> known;
  EncodedPointer status;                  ///< an int32; null: nothing can fail
  std::vector<const Node*> status_nodes;  ///< by the status, from 1 on
  std::vector<std::shared_ptr<const DeviceBuffer>> constants;
};

/// Runs are one after the other. The first run of a plan launches its commands, the second captures
/// them as a graph, later ones replay it; inputs and outputs are copied before and behind it. Runs
/// that report events launch the commands, too.
class DevicePlan : public ReportingPrepared {
 public:
  DevicePlan(std::shared_ptr<Device> device, PlanParts parts);
  ~DevicePlan() override;

  std::int64_t held_bytes() const override { return staging_bytes_; }
  void run(const RunContext& context) const override { run(context, nullptr); }
  void run_reporting(const RunContext& context, DeviceReport& report) const override {
    run(context, &report);
  }
  const PlanFigures& figures() const { return figures_; }

 private:
  void lay_out();
  void allocate() const;
  std::byte* address(EncodedPointer pointer) const;
  void run(const RunContext& context, DeviceReport* report) const;
  void upload(const RunContext& context) const;
  void compute(bool is_marked) const;
  void download(const RunContext& context) const;
  void submit(const RunContext& context, DeviceReport* report) const;
  void fill(DeviceReport& report) const;
  void fill_events(DeviceReport& report) const;
  void run_command(const Command& command) const;
  void check_status() const;

  std::shared_ptr<Device> device_;
  PlanParts parts_;
  std::vector<std::int64_t> offsets_;  ///< of buffers in the arena
  std::int64_t arena_bytes_ = 0;
  std::int64_t staging_bytes_ = 0;
  PlanFigures figures_;

  mutable std::mutex mutex_;
  mutable std::vector<Command> commands_;  ///< with addresses
  mutable std::vector<DeviceBuffer> memory_;
  mutable std::vector<void*> addresses_;
  mutable StagingBuffer staging_;
  mutable std::unique_ptr<DeviceStream> stream_;
  mutable std::unique_ptr<DeviceGraph> graph_;
  mutable bool was_run_ = false;
};

}  // namespace ortool::cuda
