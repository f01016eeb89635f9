// Device report: what a kernel whose work a device does tells of one run - times and memory there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "libcore/provider/device/device_clocks.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool {

/// Times by the device's own clock.
struct DeviceFigures {
  std::int64_t kernels = 0;  ///< that told theirs; 0: nothing is known
  std::int64_t copy_in_ns = 0;
  std::int64_t compute_ns = 0;
  std::int64_t copy_out_ns = 0;
  std::int64_t memory_bytes = 0;  ///< of the device, in use at most so far; 0: not known

  void add(const DeviceFigures& other) {
    kernels += other.kernels;
    copy_in_ns += other.copy_in_ns;
    compute_ns += other.compute_ns;
    copy_out_ns += other.copy_out_ns;
    memory_bytes = std::max(memory_bytes, other.memory_bytes);
  }
};

/// Work on the device that belongs together. The strings live as long as the kernel.
struct DeviceEvent {
  std::vector<const Node*> nodes;  ///< computed together, the one that determines the operator
                                   ///< first; empty: work beside nodes, such as copies
  std::string_view name;           ///< of work beside nodes
  std::string_view kernel;
  std::int64_t start_ns = 0;  ///< since the device began with the kernel
  std::int64_t duration_ns = 0;

  /// The first node's name, or that of work beside nodes.
  std::string_view label() const;
};

struct DeviceReport {
  /// Whether to time nodes apart, which may slow runs down.
  bool wants_events = false;
  /// Whether to read clocks, which takes longer than many runs.
  bool wants_clocks = false;
  DeviceFigures figures;
  std::optional<DeviceClocks> clocks;  ///< those that were read last
  std::vector<DeviceEvent> events;     ///< in order; empty where the kernel has no such times

  void add(const DeviceReport& other);
};

/// Has the runs of sessions that this thread calls within the lifetime of the scope add to
/// `report`.
class DeviceReportScope {
 public:
  explicit DeviceReportScope(DeviceReport& report);
  ~DeviceReportScope();
  DeviceReportScope(const DeviceReportScope&) = delete;
  DeviceReportScope& operator=(const DeviceReportScope&) = delete;

  /// That of this thread's innermost scope; null: there is none.
  static DeviceReport* current();

 private:
  DeviceReport* outer_;
};

/// A prepared kernel that reports. To run without a report costs nothing more.
class ReportingPrepared : public Prepared {
 public:
  virtual void run_reporting(const RunContext& context, DeviceReport& report) const = 0;
};

/// A dynamic kernel that reports.
class ReportingKernel : public Kernel {
 public:
  virtual void run_dynamic_reporting(DynamicContext& context, DeviceReport& report) const = 0;
};

}  // namespace ortool
