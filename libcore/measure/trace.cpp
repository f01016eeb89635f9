// Chrome trace events, in microseconds as the format requires.
#include "libcore/measure/trace.hpp"

#include <map>
#include <string_view>
#include <unistd.h>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/json/json.hpp"

namespace ortool {
namespace {

double microseconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e3;
}

Json event(std::int64_t process, std::string_view category, std::string_view name, double start_us,
           double duration_us, Json arguments) {
  return Json::object()
      .set("cat", category)
      .set("pid", process)
      .set("tid", process)
      .set("dur", duration_us)
      .set("ts", start_us)
      .set("ph", "X")
      .set("name", name)
      .set("args", std::move(arguments));
}

/// ONNX Runtime writes sizes as strings; "" when the shape is not known before the run.
std::string bytes_text(std::int64_t bytes) {
  return bytes < 0 ? "" : std::to_string(bytes);
}

std::int64_t known_bytes(const Value& value) {
  const std::optional<Shape> shape = to_known(value.type().shape);
  if (!value.type().is_tensor() || !shape) return -1;
  return bytes_of(value.type().element, shape->element_count());
}

Json type_shape(const Value& value) {
  Json shape = Json::list();
  if (value.type().shape) {
    for (const Dimension& dimension : *value.type().shape) {
      shape.add(dimension.is_known() ? dimension.number() : -1);
    }
  }
  return Json::object().set(onnx_name_of(value.type().element), std::move(shape));
}

Json node_arguments(const Node& node, const ProfileEvent& kernel) {
  std::int64_t parameter_bytes = 0;
  std::int64_t activation_bytes = 0;
  std::int64_t output_bytes = 0;
  Json inputs = Json::list();
  Json outputs = Json::list();
  const auto add = [](std::int64_t& sum, std::int64_t bytes) {
    sum = bytes < 0 || sum < 0 ? -1 : sum + bytes;
  };
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* value = node.input(i);
    if (value == nullptr) continue;
    add(value->is_constant() ? parameter_bytes : activation_bytes, known_bytes(*value));
    inputs.add(type_shape(*value));
  }
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    if (node.output(i) == nullptr) continue;
    add(output_bytes, known_bytes(*node.output(i)));
    outputs.add(type_shape(*node.output(i)));
  }
  return Json::object()
      .set("op_name", node.op_type())
      .set("provider", kernel.provider)
      .set("kernel", kernel.kernel)
      .set("depth", kernel.depth)
      .set("node_index", std::to_string(node.id()))
      .set("output_size", bytes_text(output_bytes))
      .set("parameter_size", bytes_text(parameter_bytes))
      .set("activation_size", bytes_text(activation_bytes))
      .set("input_type_shape", std::move(inputs))
      .set("output_type_shape", std::move(outputs))
      .set("thread_scheduling_stats", "");
}

}  // namespace

std::string trace_text(const Session& session, const Profile& profile, const TraceTimes& times) {
  std::string text;
  append_trace_events(text, session, profile, times, static_cast<std::int64_t>(getpid()));
  return "[\n" + text + "\n]\n";
}

void append_trace_events(std::string& text, const Session& session, const Profile& profile,
                         const TraceTimes& times, std::int64_t process) {
  // Names are unique within a graph; the first node of a name represents all of its depth.
  std::map<std::pair<int, std::string_view>, const Node*> nodes;
  for (const Node* node : nodes_in(session.model()))
    nodes.emplace(std::pair(node->depth(), node->name()), node);

  const double load_us = times.load_ms * 1e3;
  const double compile_us = times.compile_ms * 1e3;
  const double run_us = load_us + compile_us;
  const auto append = [&](const Json& entry) {
    if (!text.empty()) text += ",\n";
    text += entry.write_compact();
  };
  append(event(process, "Session", "model_loading_uri", 0, load_us, Json::object()));
  append(event(process, "Session", "session_initialization", load_us, compile_us, Json::object()));
  append(event(process, "Session", "model_run", run_us, microseconds(profile.total_ns),
               Json::object()));
  for (const ProfileEvent& kernel : profile.events) {
    const std::string name(kernel.node);
    const auto node = nodes.find({kernel.depth, kernel.node});
    Json arguments =
        node != nodes.end()
            ? node_arguments(*node->second, kernel)
            : Json::object().set("op_name", kernel.op_type).set("provider", kernel.provider);
    append(event(process, "Node", name + "_kernel_time", run_us + microseconds(kernel.start_ns),
                 microseconds(kernel.duration_ns), std::move(arguments)));
  }
}

std::vector<std::pair<std::string, double>> provider_shares(const Profile& profile) {
  std::vector<std::pair<std::string, double>> shares;
  double total_ns = 0;
  for (const ProfileEvent& kernel : profile.events) {
    // Kernels in a node's subgraph are included in that node's time.
    if (kernel.depth > 0) continue;
    std::size_t i = 0;
    while (i < shares.size() && shares[i].first != kernel.provider) ++i;
    if (i == shares.size()) shares.emplace_back(kernel.provider, 0.0);
    shares[i].second += static_cast<double>(kernel.duration_ns);
    total_ns += static_cast<double>(kernel.duration_ns);
  }
  for (auto& [provider, share] : shares) share = total_ns > 0 ? share / total_ns : 0;
  return shares;
}

}  // namespace ortool
