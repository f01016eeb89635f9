// Fragments of test models: reads cases, generates inputs, and runs each fragment once.
#include "tests/flow/fragment.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/optimize/surgery/pin_random_seeds.hpp"
#include "libcore/tensor/convert.hpp"
#include "libcore/text/parse.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/ops/case_model.hpp"
#include "tests/rules/case_file.hpp"
#include "tests/rules/made_inputs.hpp"

namespace ortool::test {
namespace {

namespace fs = std::filesystem;

/// Limit on inputs and constants, since a model holds many fragments.
constexpr std::int64_t max_bytes = 64 << 10;

/// A quantized value that rounds the other way moves outputs by one step.
constexpr Tolerance of_quantized = {.rtol = 5e-2, .atol = 5e-2, .atol_of_max = true};
/// For reordered sums, relative to the element and to the largest one.
constexpr Tolerance of_floats = {.rtol = 1e-4, .atol = 1e-4, .atol_of_max = true};
/// For mantissas of ten bits (float16) and seven (bfloat16).
constexpr Tolerance of_fp16 = {.rtol = 2e-2, .atol = 2e-2, .atol_of_max = true};

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorCode::invalid, format("{} cannot be read", path.string()));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_number_tensor(const Value& value) {
  const ValueType& type = value.type();
  return type.is_tensor() && is_arithmetic(type.element) && !is_packed(type.element);
}

bool has_only_number_tensors(const Graph& graph) {
  const auto is_one = [](const Value* value) { return is_number_tensor(*value); };
  return std::all_of(graph.inputs().begin(), graph.inputs().end(), is_one) &&
         std::all_of(graph.outputs().begin(), graph.outputs().end(), is_one) &&
         !graph.outputs().empty();
}

Tolerance tolerance_for(const Graph& graph) {
  Tolerance tolerance = of_floats;
  for (const Value* value : graph.values()) {
    const DataType type = value->type().is_tensor() ? value->type().element : DataType::undefined;
    if (is_integer(type) && type != DataType::int64 && type != DataType::int32) return of_quantized;
    if (is_floating_point(type) && element_bits(type) < 32) tolerance = of_fp16;
  }
  return tolerance;
}

/// The elements rotated by one position.
Tensor rolled(const Tensor& tensor) {
  Tensor result(tensor.type(), tensor.shape());
  const std::int64_t count = tensor.element_count();
  for (std::int64_t i = 0; i < count; ++i)
    set_element(result, (i + 1) % count, element_as_double(tensor, i));
  return result;
}

bool have_same_bits(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         (a.size_bytes() == 0 ||
          std::memcmp(a.bytes(), b.bytes(), static_cast<std::size_t>(a.size_bytes())) == 0);
}

/// Whether it runs, and gives the same bits twice.
bool runs(const Fragment& fragment, bool takes_last) {
  try {
    const std::vector<RunValue> first = compute(fragment, takes_last);
    const std::vector<RunValue> second = compute(fragment, takes_last);
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (!have_same_bits(first[i].tensor(), second[i].tensor())) return false;
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::int64_t opset_of(const OpsetImports& opsets) {
  const auto found = opsets.find("");
  return found != opsets.end() ? found->second : 0;
}

/// Null if the text is more than a graph, or the rank of an input is unknown.
std::unique_ptr<Model> model_of(const RuleCase& each, NamedValues& inputs) {
  auto model = std::make_unique<Model>();
  model->ir_version = 10;
  OpsetImports opsets = each.opsets;
  opsets[own_domain] = own_opset;
  const std::size_t begin = each.before.find_first_not_of(" \n");
  if (begin == std::string::npos || each.before[begin] == '<') return nullptr;
  model->graph = parse_graph(each.before, opsets);
  infer_shapes(*model);
  for (const Value* input : model->graph->inputs()) {
    if (!is_number_tensor(*input) || !input->type().shape) return nullptr;
  }
  inputs = make_inputs(*model->graph);
  return model;
}

std::unique_ptr<Model> model_of(const OpCase& each, NamedValues& inputs) {
  if (each.error) return nullptr;
  std::unique_ptr<Model> model = make_model(each, modes_of(each).front());
  infer_shapes(*model);
  for (const CaseTensor& input : each.inputs) inputs.emplace_back(input.name, input.tensor);
  return model;
}

bool is_small(const Graph& graph, const NamedValues& inputs) {
  std::int64_t bytes = 0;
  for (const auto& [name, value] : inputs) bytes += value.tensor().size_bytes();
  for (const Value* value : graph.values()) bytes += value->constant().size_bytes();
  return bytes <= max_bytes;
}

}  // namespace

NamedValues inputs_of(const Fragment& fragment, bool takes_last) {
  NamedValues inputs;
  for (std::size_t i = 0; i < fragment.values.size(); ++i) {
    const std::vector<Tensor>& each = fragment.values[i];
    inputs.emplace_back(std::string(fragment.model->graph->inputs()[i]->name()),
                        takes_last ? each.back() : each.front());
  }
  return inputs;
}

std::vector<RunValue> compute(const Fragment& fragment, bool takes_last) {
  static const std::shared_ptr<const Provider> provider = make_cpu_provider(cpu::best_isa());
  const Session session(copy_model(*fragment.model),
                        {.providers = {provider}, .optimize = OptimizeLevel::none});
  return session.run(inputs_of(fragment, takes_last), {});
}

Fragments::Fragments(const std::string& testdata) {
  for (const fs::path& path : files_of(testdata + "/flow")) add_operators(path);
  add_operators(testdata + "/ops/quantized_clusters.txt");
  add_rules(testdata + "/rules");
  group_count_ = cases_.size();
  for (const fs::path& path : files_of(testdata + "/ops")) add_operators(path);
}

void Fragments::add_rules(const std::string& folder) {
  for (const fs::path& path : files_of(folder)) {
    for (RuleCase& each : parse_rule_cases(text_of(path))) {
      by_opset_[opset_of(each.opsets)].push_back(cases_.size());
      std::string name = path.filename().string() + ": " + each.name;
      cases_.push_back({std::move(name), std::move(each)});
    }
  }
}

void Fragments::add_operators(const std::filesystem::path& file) {
  for (OpCase& each : parse_case_file(text_of(file))) {
    by_opset_[opset_of(each.opsets)].push_back(cases_.size());
    std::string name = file.filename().string() + ": " + each.name;
    cases_.push_back({std::move(name), std::move(each)});
  }
}

const Fragment* Fragments::at(std::size_t index) {
  Case& each = cases_[index];
  if (!each.fragment) {
    std::unique_ptr<Fragment> made = make(each);
    if (made != nullptr) made->number = index;
    each.fragment = std::move(made);
  }
  return each.fragment->get();
}

const std::vector<std::size_t>& Fragments::like(const Fragment& fragment) const {
  return by_opset_.at(fragment.opset());
}

std::unique_ptr<Fragment> Fragments::make(const Case& each) {
  auto fragment = std::make_unique<Fragment>();
  NamedValues inputs;
  try {
    fragment->model =
        std::visit([&](const auto& text) { return model_of(text, inputs); }, each.text);
  } catch (const Error&) {
    return nullptr;
  }
  if (fragment->model == nullptr) return nullptr;
  const Graph& graph = *fragment->model->graph;
  if (!has_only_number_tensors(graph) || !is_small(graph, inputs)) return nullptr;
  if (pin_random_seeds(*fragment->model) > 0) return nullptr;
  fragment->name = each.name;
  fragment->tolerance = tolerance_for(graph);
  for (const auto& [name, value] : inputs) fragment->values.push_back({value.tensor()});
  if (!runs(*fragment, false)) return nullptr;
  for (std::vector<Tensor>& values : fragment->values) {
    if (!is_floating_point(values.front().type())) continue;
    values.push_back(rolled(values.front()));
    if (!runs(*fragment, true)) values.pop_back();
  }
  return fragment;
}

}  // namespace ortool::test
