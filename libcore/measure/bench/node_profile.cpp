// Node profile: times come from profiled runs, work from the file's graph.
#include "libcore/measure/bench/node_profile.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "libcore/base/stopwatch.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/inspect/count_macs.hpp"
#include "libcore/measure/sample_blocks.hpp"
#include "libcore/provider/device/device_report.hpp"

namespace ortool {
namespace {

constexpr double profiled_ms = 500;
constexpr std::size_t max_profiled_runs = 50;
constexpr std::size_t min_runs = 3;

/// The operations and memory traffic of the file's nodes for the shapes of the inputs.
class FileWork {
 public:
  FileWork(std::unique_ptr<Model> model, const NamedValues& inputs) : model_(std::move(model)) {
    if (model_ == nullptr) return;
    for (const auto& [name, value] : inputs) {
      if (value.is_tensor()) fix_shape(*model_, name, value.tensor().shape());
    }
    infer_shapes(*model_);
    counter_.emplace(*model_);
    for (const Node* node : nodes_in(*model_)) nodes_.emplace(node->name(), node);
  }

  /// For nodes computed together `times` times; 0 for anything unknown.
  void fill(const std::vector<std::string>& origins, double times, NodeRow& row) const {
    std::set<const Node*> members;
    for (const std::string& name : origins) {
      const auto found = nodes_.find(name);
      if (found == nodes_.end()) return;
      members.insert(found->second);
    }
    double macs = 0;
    double bytes = 0;
    bool knows_bytes = true;
    std::set<const Value*> seen;
    for (const Node* node : members) {
      const std::optional<std::int64_t> count = counter_->count(*node).value();
      if (!count) return;
      macs += static_cast<double>(*count);
      for (std::int64_t i = 0; i < node->input_count(); ++i) {
        const Value* value = node->input(i);
        const bool is_inside = value != nullptr && members.count(value->producer()) > 0;
        if (value == nullptr || is_inside || !seen.insert(value).second) continue;
        add_bytes(*value, bytes, knows_bytes);
      }
      for (std::int64_t i = 0; i < node->output_count(); ++i) {
        const Value* value = node->output(i);
        if (value == nullptr || !leaves(*value, members)) continue;
        add_bytes(*value, bytes, knows_bytes);
        if (row.shape.empty() && value->type().shape) row.shape = shape_text(*value);
      }
    }
    row.flops = 2 * macs * times;
    row.bytes = knows_bytes ? bytes * times : 0;
  }

 private:
  static bool leaves(const Value& value, const std::set<const Node*>& members) {
    return std::any_of(value.uses().begin(), value.uses().end(), [&](const Use& use) {
      return use.kind == Use::Kind::graph_output || members.count(use.node) == 0;
    });
  }
  static void add_bytes(const Value& value, double& bytes, bool& knows_bytes) {
    const std::optional<Shape> shape = to_known(value.type().shape);
    if (!value.type().is_tensor() || !shape) {
      knows_bytes = false;
      return;
    }
    bytes += static_cast<double>(bytes_of(value.type().element, shape->element_count()));
  }
  static std::string shape_text(const Value& value) {
    const std::optional<Shape> shape = to_known(value.type().shape);
    return shape ? shape->to_string() : std::string();
  }

  std::unique_ptr<Model> model_;
  std::optional<MacCounter> counter_;
  std::map<std::string, const Node*, std::less<>> nodes_;
};

/// The exclusive time of each event, without nested events.
std::vector<std::int64_t> own_times(const Profile& profile) {
  const auto& events = profile.events;
  std::vector<std::size_t> order(events.size());
  std::vector<std::int64_t> own(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    order[i] = i;
    own[i] = events[i].duration_ns;
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(events[a].start_ns, events[a].depth) <
           std::pair(events[b].start_ns, events[b].depth);
  });
  std::map<int, std::size_t> open;
  for (const std::size_t i : order) {
    open[events[i].depth] = i;
    const auto around = open.find(events[i].depth - 1);
    if (around != open.end()) own[around->second] -= events[i].duration_ns;
  }
  return own;
}

struct NodeTimes {
  std::vector<double> ms;  ///< one per run
  double calls = 0;        ///< in the last run
};

using NodeKey = std::pair<int, std::string_view>;

void add_run(const Profile& profile, std::size_t run, std::map<NodeKey, NodeTimes>& nodes) {
  const std::vector<std::int64_t> own = own_times(profile);
  for (auto& [key, times] : nodes) times.calls = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const ProfileEvent& event = profile.events[i];
    NodeTimes& times = nodes[{event.depth, event.node}];
    times.ms.resize(run + 1);
    times.ms[run] += 1e-6 * static_cast<double>(own[i]);
    times.calls += 1;
  }
}

/// The file's nodes of each event: of those that a device computes together, or of the event's own
/// and those without events that follow it in the placement.
class EventOrigins {
 public:
  EventOrigins(const Session& session, const std::map<NodeKey, NodeTimes>& nodes,
               const DeviceReport& last)
      : device_events_(last.events) {
    std::set<std::string_view> heads;
    for (const auto& [key, times] : nodes) heads.insert(key.second);
    std::set<std::string_view> listed;
    for (const DeviceEvent& event : last.events) {
      for (const Node* node : event.nodes) listed.insert(node->name());
    }
    std::vector<std::string>* group = nullptr;
    for (const Placement& placement : session.placement()) {
      std::vector<std::string>& own = own_[placement.node];
      own = placement.origins;
      if (own.empty()) own.push_back(placement.node);
      if (listed.count(placement.node) > 0) continue;
      if (heads.count(placement.node) > 0 || group == nullptr) group = &followed_[placement.node];
      group->insert(group->end(), own.begin(), own.end());
    }
  }

  /// What a device did; null: the node was computed by a kernel of this machine's processor.
  const DeviceEvent* on_device(const ProfileEvent& event) const {
    const auto found = std::find_if(
        device_events_.begin(), device_events_.end(), [&](const DeviceEvent& device_event) {
          return device_event.label() == event.node && device_event.kernel == event.kernel;
        });
    return found != device_events_.end() ? &*found : nullptr;
  }

  std::vector<std::string> of(const ProfileEvent& event) const {
    std::vector<std::string> origins;
    if (const DeviceEvent* device_event = on_device(event)) {
      for (const Node* node : device_event->nodes) {
        const auto own = own_.find(node->name());
        if (own == own_.end()) {
          origins.emplace_back(node->name());
        } else {
          origins.insert(origins.end(), own->second.begin(), own->second.end());
        }
      }
      return origins;
    }
    const auto group = followed_.find(event.node);
    return group != followed_.end() ? group->second
                                    : std::vector<std::string>{std::string(event.node)};
  }

 private:
  using NodeLists = std::map<std::string, std::vector<std::string>, std::less<>>;
  const std::vector<DeviceEvent>& device_events_;
  NodeLists own_;
  NodeLists followed_;
};

}  // namespace

NodeProfile profile_nodes(const std::string& variant, BenchRunner& runner,
                          const MachineLimits& limits,
                          const std::function<std::unique_ptr<Model>()>& load_file,
                          const StopToken& stop) {
  const Session& session = *runner.session();
  NodeProfile result;
  result.variant = variant;
  result.limits = limits;
  RunOptions options = runner.run_options();
  timed_run_ms(session, *runner.inputs(), options);
  std::map<NodeKey, NodeTimes> nodes;
  DeviceReport device;  // of the last run
  std::vector<double> runs_ms;
  const Stopwatch watch;
  while (runs_ms.size() < min_runs ||
         (runs_ms.size() < max_profiled_runs && watch.milliseconds() < profiled_ms)) {
    Profile profile;
    options.profile = &profile;
    device = {.wants_events = true};
    const DeviceReportScope scope(device);
    timed_run_ms(session, *runner.inputs(), options);
    result.last = std::move(profile);
    add_run(result.last, runs_ms.size(), nodes);
    runs_ms.push_back(1e-6 * static_cast<double>(result.last.total_ns));
    stop.poll();
  }
  result.run_ms = median_of(runs_ms);

  const FileWork work(load_file(), *runner.inputs());
  const EventOrigins origins(session, nodes, device);
  std::map<NodeKey, const ProfileEvent*> last_events;
  for (const ProfileEvent& event : result.last.events) {
    last_events[{event.depth, event.node}] = &event;
  }
  for (auto& [key, times] : nodes) {
    const auto event = last_events.find(key);
    if (event == last_events.end()) continue;
    NodeRow row;
    row.node = std::string(key.second);
    row.op_type = std::string(event->second->op_type);
    row.provider = std::string(event->second->provider);
    row.kernel = std::string(event->second->kernel);
    times.ms.resize(runs_ms.size());
    row.ms = median_of(times.ms);
    row.origin = origins.of(*event->second);
    work.fill(row.origin, times.calls, row);
    const double seconds = row.ms / 1e3;
    if (seconds > 0) {
      row.gflops = row.flops / seconds * 1e-9;
      row.gbytes_per_s = row.bytes / seconds * 1e-9;
    }
    // The limits are those of this machine's processor.
    if (origins.on_device(*event->second) == nullptr) {
      row.bound = bound_of({row.flops, row.bytes, seconds}, limits);
      if (row.bound == Bound::unknown) row.gbytes_per_s = row.gflops = 0;
    }
    result.kernels_ms += row.ms;
    result.rows.push_back(std::move(row));
  }
  for (NodeRow& row : result.rows) {
    row.share = result.kernels_ms > 0 ? row.ms / result.kernels_ms : 0;
  }
  std::stable_sort(result.rows.begin(), result.rows.end(),
                   [](const NodeRow& a, const NodeRow& b) { return a.ms > b.ms; });
  return result;
}

}  // namespace ortool
