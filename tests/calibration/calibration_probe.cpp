// Calibrates and quantizes data for comparison with other programs.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/io/npz.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/quantize/calibrate/collect.hpp"
#include "libcore/quantize/calibrate/methods.hpp"
#include "libcore/quantize/scheme/block_weights.hpp"
#include "libcore/quantize/scheme/quantize_tensor.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cpu/cpu_provider.hpp"

using namespace ortool;

namespace {

using Arguments = std::vector<std::string>;

QuantizationType type_of(const std::string& text) {
  QuantizationType type;
  type.type = data_type_from_name(text.substr(0, text.find('-'))).value();
  type.is_symmetric = text.find("-symmetric") != std::string::npos;
  type.is_reduced = text.find("-reduced") != std::string::npos;
  return type;
}

void print(const std::string& line) {
  std::printf("%s\n", line.c_str());
}

/// ranges FILE.npz METHOD TYPE PERCENTILE: a line per array, whose first axis is the samples.
void print_ranges(const Arguments& arguments) {
  const NpzFile file(arguments.at(1));
  const MethodOptions options{method_from_name(arguments.at(2)).value(),
                              std::strtod(arguments.at(4).c_str(), nullptr)};
  const QuantizationType type = type_of(arguments.at(3));
  for (const std::string& name : file.names()) {
    NpzRows rows = file.open_rows(name);
    const bool is_average = options.method == CalibrationMethod::moving_average;
    ValueRecord record(RecordOptions{true, std::nullopt, is_average ? 0.01 : 0});
    for (std::int64_t i = 0; i < rows.shape()[0]; ++i) record.add(rows.next(1), i);
    const ChosenRange chosen = choose_range(record, type, options);
    const Scale scale = choose_scale(chosen.range, type);
    print(format("{} {} {} {} {} {} {} {}", name, name_of(chosen.method), chosen.range.low,
                 chosen.range.high, scale.scale, scale.zero_point, chosen.clipped_ratio,
                 chosen.mean_square_error));
  }
}

/// weights IN.npz OUT.npz TYPE AXIS|none whole|least
void save_weights(const Arguments& arguments) {
  const NpzFile file(arguments.at(1));
  WeightOptions options;
  options.type = type_of(arguments.at(3));
  if (arguments.at(4) != "none") options.axis = std::strtol(arguments.at(4).c_str(), nullptr, 10);
  options.range = arguments.at(5) == "least" ? WeightRange::min_error : WeightRange::whole;
  std::vector<std::pair<std::string, Tensor>> out;
  for (const std::string& name : file.names()) {
    const QuantizedData codes = quantize_weights(file.read(name), options);
    out.emplace_back(name + ".levels", convert(codes.data, DataType::int32));
    out.emplace_back(name + ".scales", codes.scales);
    out.emplace_back(name + ".zero_points", convert(codes.zero_points, DataType::int32));
    out.emplace_back(name + ".back", dequantize(codes));
  }
  save_npz(arguments.at(2), out);
}

/// blocks IN.npz OUT.npz BITS SIZE symmetric|asymmetric
void save_blocks(const Arguments& arguments) {
  const NpzFile file(arguments.at(1));
  const BlockOptions options{static_cast<int>(std::strtol(arguments.at(3).c_str(), nullptr, 10)),
                             std::strtol(arguments.at(4).c_str(), nullptr, 10),
                             arguments.at(5) == "symmetric"};
  std::vector<std::pair<std::string, Tensor>> out;
  for (const std::string& name : file.names()) {
    const BlockWeights blocks = quantize_blocks(file.read(name), options);
    out.emplace_back(name + ".packed", blocks.packed);
    out.emplace_back(name + ".scales", blocks.scales);
    if (!options.is_symmetric) out.emplace_back(name + ".zero_points", blocks.zero_points);
    out.emplace_back(name + ".back", dequantize_blocks(blocks));
  }
  save_npz(arguments.at(2), out);
}

/// Peak memory of this process; getrusage() would start from its parent's peak.
std::string peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return line;
  }
  return "no VmHWM";
}

/// model MODEL SAMPLES: calibrates every value of the main graph on random numbers.
void calibrate_model(const Arguments& arguments) {
  std::unique_ptr<Model> model = load_model(arguments.at(1));
  CalibrationSettings settings;
  for (const Node& node : model->graph->nodes()) {
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i) != nullptr)
        settings.values.push_back({std::string(node.output(i)->name()), 1});
    }
  }
  SessionOptions options;
  options.providers = {make_cpu_provider()};
  options.optimize = OptimizeLevel::none;
  const Session session(std::move(model), std::move(options));
  Calibration state(settings);
  CollectOptions collect_options;
  collect_options.sample_count = std::strtol(arguments.at(2).c_str(), nullptr, 10);
  const auto sample = [&](std::int64_t number) {
    std::mt19937 random(static_cast<unsigned>(number));
    NamedValues inputs;
    for (const Value* input : session.inputs()) {
      std::vector<std::int64_t> sizes;
      for (const Dimension& size : input->type().shape.value()) {
        sizes.push_back(size.is_known() ? size.number() : 1 + number % 3);
      }
      Tensor tensor(DataType::float32, Shape(sizes));
      for (float& value : tensor.mutable_data<float>()) {
        value = static_cast<float>(random() % 1000) / 1000;
      }
      inputs.emplace_back(input->name(), std::move(tensor));
    }
    return inputs;
  };
  collect(session, state, sample, collect_options);
  print(format("{} samples, {} values, {} bytes", state.samples().count(), state.records().size(),
               state.serialize("").size()));
  print(peak_memory());
}

void run(const Arguments& arguments) {
  const std::string& what = arguments.at(0);
  if (what == "ranges") print_ranges(arguments);
  if (what == "weights") save_weights(arguments);
  if (what == "blocks") save_blocks(arguments);
  if (what == "model") calibrate_model(arguments);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    run(Arguments(arguments + 1, arguments + count));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
