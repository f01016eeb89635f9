// Error record: exact sums, so that shards join into the bits of one process.
#include "libcore/quantize/parts/error_record.hpp"

#include <map>
#include <string>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"

namespace ortool {
namespace {

Json output_state(const OutputError& output) {
  return Json::object()
      .set("name", output.name)
      .set("ranked", output.ranked)
      .set("same_first", output.same_first)
      .set("sums", output.sums.state());
}

Json value_state(const ValueError& value) {
  return Json::object()
      .set("value", value.value)
      .set("node", value.node)
      .set("op_type", value.op_type)
      .set("sums", value.sums.state());
}

}  // namespace

void ErrorRecord::merge(const ErrorRecord& other) {
  samples += other.samples;
  if (outputs.size() != other.outputs.size()) MetricState::refuse("outputs");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].name != other.outputs[i].name) MetricState::refuse("outputs");
    outputs[i].sums.merge(other.outputs[i].sums);
    outputs[i].ranked += other.outputs[i].ranked;
    outputs[i].same_first += other.outputs[i].same_first;
  }
  // Names stay where they are, since the map refers to them.
  values.reserve(values.size() + other.values.size());
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < values.size(); ++i) places.emplace(values[i].value, i);
  for (const ValueError& theirs : other.values) {
    const auto found = places.find(theirs.value);
    if (found == places.end()) {
      values.push_back(theirs);
    } else {
      values[found->second].sums.merge(theirs.sums);
    }
  }
}

Json ErrorRecord::state() const {
  Json output_list = Json::list();
  for (const OutputError& each : outputs) output_list.add(output_state(each));
  Json value_list = Json::list();
  for (const ValueError& each : values) value_list.add(value_state(each));
  return Json::object()
      .set("samples", samples)
      .set("outputs", std::move(output_list))
      .set("values", std::move(value_list));
}

ErrorRecord ErrorRecord::from_state(const MetricState& state) {
  ErrorRecord record;
  record.samples = state.integer("samples");
  for (const Json& each : state.list("outputs")) {
    const MetricState read(each);
    OutputError& output = record.outputs.emplace_back();
    output.name = read.text("name");
    output.ranked = read.integer("ranked");
    output.same_first = read.integer("same_first");
    output.sums = ErrorSums::from_state(MetricState(read.member("sums")));
  }
  for (const Json& each : state.list("values")) {
    const MetricState read(each);
    record.values.push_back({read.text("value"), read.text("node"), read.text("op_type"),
                             ErrorSums::from_state(MetricState(read.member("sums")))});
  }
  return record;
}

ErrorRecord measure_errors(const TaskContext& task, const QuantizeMachine& machine,
                           const Session& floats, const Model& quantized, CalibrationData& data) {
  Progress progress(task, "comparing");
  ErrorRecord record;
  for (const Value* output : floats.outputs()) {
    record.outputs.emplace_back();
    record.outputs.back().name = std::string(output->name());
  }
  const auto as_run = make_session(task, machine, quantized, level_of_comparison(task));
  const auto by_node = make_session(task, machine, quantized, OptimizeLevel::none);
  RunOptions options;
  options.threads = machine.threads;
  options.stop = &task.stop;
  ErrorCollector collector({});
  for (std::int64_t i = data.first(); i < data.size(); ++i) {
    progress.tell_done(i - data.first(), data.size() - data.first());
    try {
      const NamedValues inputs = data.sample(i).inputs;
      const std::vector<RunValue> expected = floats.run(inputs, options);
      const std::vector<RunValue> found = as_run->run(inputs, options);
      for (std::size_t k = 0; k < record.outputs.size(); ++k)
        add_output(found[k], expected[k], record.outputs[k]);
      collector.add(floats, *by_node, inputs, options);
    } catch (Error& error) {
      if (error.code() != ErrorCode::invalid) throw;
      throw error.in(format("sample {}", i));
    }
    ++record.samples;
  }
  record.values = collector.errors();
  return record;
}

}  // namespace ortool
