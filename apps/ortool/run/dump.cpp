// Runs run --dump: names of files, and what an archive holds.
#include "apps/ortool/run/dump.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "apps/ortool/options/option_conflicts.hpp"
#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/dataset/values/output_files.hpp"
#include "libcore/dataset/values/value_block.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/io/npz.hpp"

namespace ortool {
namespace {

/// Calls `visit` with every output of a node.
template <typename Visit>
void each_output(const Model& model, const Visit& visit) {
  for (const Node* node : nodes_in(model)) {
    for (std::int64_t i = 0; i < node->output_count(); ++i) {
      if (node->output(i) != nullptr) visit(node->output(i)->name());
    }
  }
}

/// Letters, digits, dots, dashes and underscores of a name; a path separator is none of them.
std::string stem_for(std::size_t number, std::string_view name) {
  constexpr std::size_t max_letters = 100;
  const std::string digits = std::to_string(number);
  std::string stem(digits.size() < 3 ? 3 - digits.size() : 0, '0');
  stem += digits + '_';
  for (const char letter : name.substr(0, max_letters)) {
    const bool is_plain = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                          (letter >= 'A' && letter <= 'Z') || letter == '.' || letter == '-';
    stem += is_plain ? letter : '_';
  }
  return stem;
}

/// The bytes of a value are reused after the node.
Tensor copy_of(const Tensor& tensor, MemoryCap& cap) {
  if (tensor.type() == DataType::string) return tensor;
  Tensor copy(tensor.type(), tensor.shape(), &cap);
  std::memcpy(copy.mutable_bytes(), tensor.bytes(), static_cast<std::size_t>(tensor.size_bytes()));
  return copy;
}

void check_glob(const std::string& pattern, const Model& model) {
  bool is_met = false;
  NearestName nearest(pattern);
  each_output(model, [&](std::string_view name) {
    is_met = is_met || matches_glob(name, pattern);
    nearest.offer(name);
  });
  if (is_met) return;
  throw applies_to_nothing(
      format("option --dump: no value matches {}", quote(pattern)),
      nearest.best().empty()
          ? std::string("* matches any text; `ortool inspect --values` lists the names")
          : format("did you mean {}?", quote(nearest.best())));
}

}  // namespace

OptionGroup dump_options() {
  return {
      "Debugging",
      {
          {.name = "dump",
           .value = "GLOB",
           .help = "write the values with these names to --output-dir as they are computed",
           .repeats = true},
          {.name = "save-repro",
           .value = "DIR",
           .help =
               "save model, inputs, outputs and report: `ortool run DIR --test` reproduces the run",
           .completes = Completion::folders},
      }};
}

ValueDump::ValueDump(const OptionValues& options, const Model& model, MemoryCap& memory)
    : memory_(memory),
      folder_(options.text("output-dir")),
      format_(options.text("output-format", "npy")) {
  for (const std::string& pattern : options.all("dump")) {
    check_glob(pattern, model);
    globs_.push_back({pattern, false});
  }
  make_folder(folder_);
}

void ValueDump::observe(const Node& node, std::int64_t index, const RunValue& value) {
  const Value* output = node.output(index);
  if (output == nullptr) return;
  bool is_wanted = false;
  for (Glob& glob : globs_) {
    if (!matches_glob(output->name(), glob.pattern)) continue;
    glob.is_met = is_wanted = true;
  }
  if (!is_wanted) return;
  const std::string name(output->name());
  const std::size_t number = values_.items().size();
  const bool is_archived = format_ == "npz" && value.is_tensor() && numpy_holds(value.tensor());
  const std::string path = is_archived ? archive(name, value.tensor())
                                       : write_value_file(folder_, stem_for(number, name), format_,
                                                          name, value, output->type());
  values_.add(Json::object()
                  .set("file", path)
                  .set("value", name)
                  .set("node", node.name())
                  .set("op_type", node.op_type())
                  .set("depth", node.depth())
                  .set("dtype", dtype_text(value))
                  .set("shape", value.is_tensor() ? shape_block(value.tensor().shape()) : Json()));
}

std::string ValueDump::archive(const std::string& name, const Tensor& tensor) {
  const std::int64_t times = ++archived_[name];
  arrays_.emplace_back(times == 1 ? name : format("{}#{}", name, times), copy_of(tensor, memory_));
  return (std::filesystem::path(folder_) / "values.npz").string();
}

Json ValueDump::finish(const Invocation& invocation) {
  constexpr std::string_view remedy = "--optimize none computes every node on its own";
  if (values_.items().empty()) {
    throw applies_to_nothing(
        "option --dump: none of the values is computed: they are folded, or inside fused nodes",
        std::string(remedy));
  }
  for (const Glob& glob : globs_) {
    if (glob.is_met) continue;
    invocation.warn(
        format("--dump {}: not computed, but folded or fused ({})", quote(glob.pattern), remedy));
  }
  if (!arrays_.empty()) save_npz((std::filesystem::path(folder_) / "values.npz").string(), arrays_);
  Json index = Json::object().set("values", values_);
  // Next to the files their names are enough.
  for (Json& value : index.members().front().second.items()) {
    Json& file = value.members().front().second;
    file = Json(std::filesystem::path(file.text()).filename().string());
  }
  write_file((std::filesystem::path(folder_) / "index.json").string(), index.write());
  return std::move(values_);
}

}  // namespace ortool
