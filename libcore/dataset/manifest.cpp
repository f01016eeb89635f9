// MANIFEST.json: samples with a file per input, expected outputs and a label
// (docs/reference/schemas).
#include <filesystem>

#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/parse_number.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/dataset/sample_files.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/json/json.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_manifest_bytes = std::int64_t{1} << 30;

Error broken_manifest(std::string what) {
  Error error(ErrorCode::invalid, std::move(what),
              "`ortool schema manifest` prints the format of a manifest");
  error.with_id("data.manifest");
  return error;
}

void check_keys(const Json& object, std::span<const std::string> known) {
  for (const auto& [key, value] : object.members()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw unknown_name("key", key, "keys", known);
    }
  }
}

class ManifestReader {
 public:
  ManifestReader(std::filesystem::path folder, const SampleContext& context)
      : folder_(std::move(folder)),
        inputs_(names_of(context.inputs)),
        outputs_(names_of(context.outputs)) {}

  SampleFiles read(const Json& sample, std::size_t index) const {
    if (!sample.is_object()) throw broken_manifest(format("sample {} is not an object", index));
    static const std::vector<std::string> known = {"name", "inputs", "outputs", "label"};
    check_keys(sample, known);
    SampleFiles files;
    const Json* name = sample.find("name");
    files.name = name != nullptr && name->is_text() ? name->text() : format("{}", index);
    const Json* inputs = sample.find("inputs");
    if (inputs == nullptr) throw broken_manifest(format("sample {} has no inputs", index));
    files.inputs = read_files(*inputs, inputs_, "input", index);
    if (const Json* outputs = sample.find("outputs")) {
      files.outputs = read_files(*outputs, outputs_, "output", index);
    }
    if (const Json* label = sample.find("label")) files.label = read_label(*label, index);
    return files;
  }

 private:
  std::vector<std::pair<std::string, std::string>> read_files(const Json& files,
                                                              std::span<const std::string> names,
                                                              std::string_view kind,
                                                              std::size_t index) const {
    if (!files.is_object())
      throw broken_manifest(format("the {}s of sample {} are not an object", kind, index));
    std::vector<std::pair<std::string, std::string>> result;
    for (const auto& [name, file] : files.members()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw unknown_name(kind, name, format("{}s", kind), names);
      }
      if (!file.is_text()) {
        throw broken_manifest(
            format("{} {} of sample {} is not a file name", kind, quote(name), index));
      }
      result.emplace_back(name, (folder_ / file.text()).string());
    }
    return result;
  }

  static SampleLabel read_label(const Json& label, std::size_t index) {
    if (label.is_text()) return label.text();
    std::int64_t number = 0;
    if (read_integer(label.write_compact(), number)) return number;
    throw broken_manifest(
        format("the label of sample {} is neither an integer nor a string", index));
  }

  std::filesystem::path folder_;
  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
};

}  // namespace

SampleList read_manifest(const std::string& path, const SampleContext& context) {
  MemoryCap* cap = &context.task.memory;
  const Json document =
      parse_json(read_text_file(path, max_manifest_bytes, cap), path, {.cap = cap});
  try {
    if (!document.is_object()) throw broken_manifest("is not an object");
    static const std::vector<std::string> known = {"$schema", "name", "classes", "samples"};
    check_keys(document, known);
    SampleList list;
    if (const Json* classes = document.find("classes")) {
      if (!classes->is_list()) throw broken_manifest("'classes' is not a list");
      for (const Json& name : classes->items()) {
        if (!name.is_text()) throw broken_manifest("a class is not a string");
        list.class_names.push_back(name.text());
      }
    }
    const Json* samples = document.find("samples");
    if (samples == nullptr || !samples->is_list()) throw broken_manifest("has no list of samples");
    const ManifestReader reader(std::filesystem::path(path).parent_path(), context);
    for (const Json& sample : samples->items()) {
      list.samples.push_back(reader.read(sample, list.samples.size()));
    }
    if (list.samples.empty()) throw broken_manifest("has no samples");
    return list;
  } catch (Error& error) {
    throw error.in(path);
  }
}

}  // namespace ortool
