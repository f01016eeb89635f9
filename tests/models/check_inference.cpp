// Infers the shapes of single-node models from scratch, and compares with what their files declare.
//
// usage: check_inference EXCEPTIONS FOLDER…
//
// Each model is inferred three times: with unknown inputs, where nothing may contradict the file;
// with the test's inputs as constants, where every type and dimension must be known; and with
// symbolic input sizes, where formulas must give the numbers of the file. EXCEPTIONS has a line
// `pattern: reason` for each test (or tests, with one *) that may leave something unknown.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/ops/catalog.hpp"

namespace {

namespace fs = std::filesystem;
using ortool::Graph;
using ortool::Model;
using ortool::Node;
using ortool::Value;
using ortool::ValueType;

struct Exception {
  std::string pattern;
  std::string reason;
  bool is_used = false;
};

bool matches(const std::string& pattern, const std::string& name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string::npos) return pattern == name;
  const std::string tail = pattern.substr(star + 1);
  return name.size() + 1 >= pattern.size() && name.starts_with(pattern.substr(0, star)) &&
         name.ends_with(tail);
}

std::vector<Exception> read_exceptions(const char* path) {
  std::vector<Exception> result;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    result.push_back({line.substr(0, colon), line.substr(colon + 2)});
  }
  return result;
}

/// Clears every type that the file declares, except those of graph inputs.
void strip_types(const Graph& graph) {
  for (Value* value : graph.values()) {
    if (!value->is_graph_input() && !value->is_constant()) value->set_type({});
  }
  for (const Node& node : graph.nodes()) {
    for (const Graph* subgraph : node.subgraphs()) strip_types(*subgraph);
  }
}

/// What inference knows about the graph's inputs.
enum class InputKnowledge {
  types,    ///< types and shapes
  values,   ///< everything: they become constants
  symbols,  ///< values of scalars and integer vectors; of the rest, types with symbols
};

bool may_be_sizes(const ortool::Tensor& tensor) {
  const bool is_integer =
      tensor.type() == ortool::DataType::int64 || tensor.type() == ortool::DataType::int32;
  return tensor.shape().rank() == 0 || (is_integer && tensor.shape().rank() == 1);
}

/// Gives each dimension of the input its own symbol.
void give_symbols(Value& input, ortool::SymbolMap& symbols) {
  ValueType type = input.type();
  if (!type.is_tensor() || !type.shape) return;
  for (ortool::Dimension& dimension : *type.shape) {
    if (!dimension.is_known()) continue;
    const std::string name = "size" + std::to_string(symbols.size());
    symbols.emplace(name, dimension);
    dimension = ortool::Dimension::symbol(name);
  }
  input.set_type(std::move(type));
}

/// Makes the inputs constants with the values of the test's first data set, if there are any.
/// Returns the sizes of the symbols.
ortool::SymbolMap fix_inputs(Graph& graph, const fs::path& folder, InputKnowledge told) {
  ortool::SymbolMap symbols;
  const std::vector<Value*> inputs(graph.inputs().begin(), graph.inputs().end());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]->type().is_tensor()) continue;
    const fs::path file = folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb");
    if (!fs::exists(file)) continue;
    ortool::Tensor tensor = ortool::load_tensor(file.string());
    if (tensor.type() != inputs[i]->type().element) continue;
    if (told == InputKnowledge::symbols && !may_be_sizes(tensor)) {
      give_symbols(*inputs[i], symbols);
      continue;
    }
    graph.set_constant(*inputs[i], std::move(tensor));
    graph.make_default_constant(*inputs[i]);
  }
  return symbols;
}

/// The type with symbols replaced by their sizes.
ValueType put_in(ValueType type, const ortool::SymbolMap& symbols) {
  if (!type.shape) return type;
  for (ortool::Dimension& dimension : *type.shape)
    dimension = ortool::substitute(dimension, symbols);
  return type;
}

/// How `found` differs from `declared`; empty if it does not. With `is_whole`, what is unknown
/// counts as a difference.
std::string difference(const ValueType& found, const ValueType& declared, bool is_whole) {
  if (found.kind == ValueType::Kind::unknown) return is_whole ? "the type is unknown" : "";
  if (found.kind != declared.kind) return "the kind differs";
  if (found.element != declared.element &&
      (is_whole || found.element != ortool::DataType::undefined))
    return "the element type differs";
  if (found.inner && declared.inner) return difference(*found.inner, *declared.inner, is_whole);
  if (!found.is_tensor() || !declared.shape) return "";
  if (!found.shape) return is_whole ? "the rank is unknown" : "";
  if (found.shape->size() != declared.shape->size()) return "the rank differs";
  for (std::size_t i = 0; i < found.shape->size(); ++i) {
    const ortool::Dimension& mine = (*found.shape)[i];
    const ortool::Dimension& theirs = (*declared.shape)[i];
    if (!theirs.is_known() || mine == theirs) continue;
    if (mine.is_known() || is_whole) return "dimension " + std::to_string(i) + " differs";
  }
  return "";
}

/// The first operator of the model that the catalog does not know, or "".
std::string unknown_operator(const Model& model) {
  for (const Node& node : model.graph->nodes()) {
    const ortool::OpEntry* entry = ortool::find_op(node.domain(), node.op_type());
    if (entry != nullptr && ortool::version_of(*entry, node) != nullptr) continue;
    return std::string(node.domain()) + (node.domain().empty() ? "" : ".") +
           std::string(node.op_type());
  }
  return "";
}

struct Outcome {
  std::string unknown_operator;
  std::string problem;
  bool is_wrong = false;              ///< contradicts the file, which no exception excuses
  bool is_open_with_symbols = false;  ///< something is neither a number nor a formula
};

std::string_view prefix_of(InputKnowledge told) {
  return told == InputKnowledge::values    ? "with values, "
         : told == InputKnowledge::symbols ? "with symbols, "
                                           : "";
}

Outcome infer_once(const fs::path& folder, InputKnowledge told) {
  const auto model = ortool::load_model((folder / "model.onnx").string());
  Outcome outcome{.unknown_operator = unknown_operator(*model)};
  if (!outcome.unknown_operator.empty()) return outcome;
  std::vector<ValueType> declared;
  for (const Value* output : model->graph->outputs()) declared.push_back(output->type());
  ortool::SymbolMap symbols;
  if (told != InputKnowledge::types) symbols = fix_inputs(*model->graph, folder, told);
  strip_types(*model->graph);
  ortool::infer_shapes(*model);
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const Value& output = *model->graph->outputs()[i];
    const ValueType type = put_in(output.type(), symbols);
    const std::string found = difference(type, declared[i], told == InputKnowledge::values);
    if (told == InputKnowledge::symbols && !difference(type, declared[i], true).empty())
      outcome.is_open_with_symbols = true;
    if (found.empty()) continue;
    outcome.problem =
        ortool::format("{}{}: {} is {} (the file declares {})", prefix_of(told), found,
                       output.name(), output.type().to_string(), declared[i].to_string());
    outcome.is_wrong = !difference(type, declared[i], false).empty();
    break;
  }
  return outcome;
}

Outcome check(const fs::path& folder) {
  try {
    Outcome outcome;
    for (const InputKnowledge told :
         {InputKnowledge::types, InputKnowledge::values, InputKnowledge::symbols}) {
      outcome = infer_once(folder, told);
      if (!outcome.unknown_operator.empty() || !outcome.problem.empty()) break;
    }
    return outcome;
  } catch (const ortool::Error& error) {
    return {.problem = error.what(), .is_wrong = true};
  }
}

std::vector<fs::path> find_models(int count, char** folders) {
  std::vector<fs::path> result;
  for (int i = 0; i < count; ++i) {
    if (!fs::exists(folders[i])) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folders[i])) {
      if (entry.path().filename() == "model.onnx") result.push_back(entry.path().parent_path());
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 1;
  std::vector<Exception> exceptions = read_exceptions(arguments[1]);
  const std::vector<fs::path> folders = find_models(count - 2, arguments + 2);
  // With only the installed set, no test uses the exceptions of the newer one.
  const bool has_every_set = count > 3;
  if (folders.empty()) {
    std::printf("skipped: no models are there\n");
    return 77;
  }
  int failures = 0;
  int excused = 0;
  int open_with_symbols = 0;
  std::map<std::string, int> unknown;
  for (const fs::path& folder : folders) {
    const std::string name = folder.filename().string();
    const Outcome outcome = check(folder);
    if (!outcome.unknown_operator.empty()) {
      ++unknown[outcome.unknown_operator];
      continue;
    }
    if (outcome.is_open_with_symbols) ++open_with_symbols;
    if (outcome.problem.empty()) continue;
    const auto exception =
        std::find_if(exceptions.begin(), exceptions.end(),
                     [&](const Exception& each) { return matches(each.pattern, name); });
    if (exception != exceptions.end() && !outcome.is_wrong) {
      exception->is_used = true;
      ++excused;
      continue;
    }
    ++failures;
    std::printf("%s: %s\n", name.c_str(),
                ortool::escape_control_characters(outcome.problem).c_str());
  }
  for (const Exception& exception : exceptions) {
    if (exception.is_used || !has_every_set) continue;
    ++failures;
    std::printf("%s: no test needs this exception\n", exception.pattern.c_str());
  }
  for (const auto& [name, times] : unknown)
    std::printf("unknown operator %s: %d models\n", name.c_str(), times);
  std::printf(
      "%zu models, %d with something open that an exception excuses, %d with something open beside "
      "symbols, %d failures\n",
      folders.size(), excused, open_with_symbols, failures);
  return failures == 0 ? 0 : 1;
}
