// Device report: the one that a thread asks for.
#include "libcore/provider/device/device_report.hpp"

#include "libcore/graph/node.hpp"

namespace ortool {
namespace {

thread_local DeviceReport* current_report = nullptr;

}  // namespace

std::string_view DeviceEvent::label() const {
  return nodes.empty() ? name : nodes.front()->name();
}

void DeviceReport::add(const DeviceReport& other) {
  figures.add(other.figures);
  if (other.clocks) clocks = other.clocks;
  events.insert(events.end(), other.events.begin(), other.events.end());
}

DeviceReportScope::DeviceReportScope(DeviceReport& report) : outer_(current_report) {
  current_report = &report;
}

DeviceReportScope::~DeviceReportScope() {
  current_report = outer_;
}

DeviceReport* DeviceReportScope::current() {
  return current_report;
}

}  // namespace ortool
