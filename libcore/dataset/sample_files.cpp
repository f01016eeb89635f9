// Sample files: loads a sample's values; images are preprocessed by the input's recipe.
#include "libcore/dataset/sample_files.hpp"

#include <algorithm>
#include <filesystem>

#include "libcore/base/file/list_folder.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/dataset/values/value_file.hpp"
#include "libcore/dataset/values/value_set.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/io/image_orientation.hpp"

namespace ortool {
namespace {

class FileSamples : public SampleSet {
 public:
  FileSamples(SampleList list, SampleContext context)
      : list_(std::move(list)), context_(std::move(context)) {}

  std::int64_t size() const override { return static_cast<std::int64_t>(list_.samples.size()); }
  const std::vector<std::string>& class_names() const override { return list_.class_names; }
  Sample next() override;
  void skip(std::int64_t count) override { next_ += static_cast<std::size_t>(count); }
  std::string identity() const override;
  bool has_pictures(std::string_view input) const override;
  const FileUse* files() const override { return list_.files ? &*list_.files : nullptr; }

 private:
  RunValue read_input(const Value& input, const std::string& path, Sample& sample) const;
  /// Warns of unlikely values, or of an image that was resized without a recipe.
  void warn_of_image(std::string_view input, bool is_resized) const;
  void read_folder(const std::string& path, Sample& sample) const;
  const Value& find(std::span<Value* const> values, const std::string& name,
                    std::string_view kind) const;

  SampleList list_;
  SampleContext context_;
  std::size_t next_ = 0;
};

bool FileSamples::has_pictures(std::string_view input) const {
  const auto is_picture = [input](const auto& file) {
    return file.first == input && is_image_extension(extension_of(file.second));
  };
  return std::any_of(list_.samples.begin(), list_.samples.end(), [&](const SampleFiles& sample) {
    return std::any_of(sample.inputs.begin(), sample.inputs.end(), is_picture);
  });
}

const Value& FileSamples::find(std::span<Value* const> values, const std::string& name,
                               std::string_view kind) const {
  for (const Value* value : values) {
    if (value->name() == name) return *value;
  }
  throw unknown_name(kind, name, format("{}s", kind), names_of(values));
}

RunValue FileSamples::read_input(const Value& input, const std::string& path,
                                 Sample& sample) const {
  const OpenValueFile file = open_value_file(path, context_.task.memory);
  ValueFileOptions options = file_options_for(input.type(), context_.task.memory);
  options.feeds_input = !context_.casts_inputs;
  if (!is_image_extension(file.extension)) {
    return read_value_file(file, input.type(), input.name(), options);
  }
  const auto recipe = context_.recipes.find(input.name());
  if (recipe != context_.recipes.end()) options.image = recipe->second;
  try {
    const Image image = decode_upright_image(file.bytes, options.cap);
    Tensor tensor =
        image_to_tensor(image, options.image, options.type.value_or(DataType::undefined),
                        options.dimensions, options.cap);
    const bool is_resized = tensor.element_count() != image.width * image.height * image.channels;
    warn_of_image(input.name(), is_resized && !options.image);
    if (!sample.image) {
      sample.image =
          describe_sample_image(path, {image.width, image.height}, tensor, options.dimensions,
                                options.image ? &*options.image : nullptr);
    }
    return tensor;
  } catch (Error& error) {
    throw error.in(path);
  }
}

void FileSamples::warn_of_image(std::string_view input, bool is_resized) const {
  const auto found = context_.image_warnings.find(input);
  const bool has_warning = found != context_.image_warnings.end() && !found->second.empty();
  if (has_warning) return context_.task.warn(found->second);
  if (!is_resized) return;
  context_.task.warn(
      format("images are resized to their input with values 0 to 255 ({} sets the preprocessing)",
             setting_name("image")));
}

void FileSamples::read_folder(const std::string& path, Sample& sample) const {
  const ValueSet inputs(path, "input", context_.casts_inputs);
  const auto positions = input_positions(context_.inputs);
  for (std::size_t i = 0; i < context_.inputs.size(); ++i) {
    const Value& input = *context_.inputs[i];
    auto found = inputs.find(input, positions[i], context_.task.memory);
    if (found) sample.inputs.emplace_back(input.name(), std::move(found->value));
  }
  const ValueSet outputs(path, "output");
  for (std::size_t i = 0; i < context_.outputs.size(); ++i) {
    const Value& output = *context_.outputs[i];
    auto found = outputs.find(output, i, context_.task.memory);
    if (found) sample.references.emplace_back(output.name(), std::move(found->value));
  }
  if (sample.inputs.empty()) inputs.check_all_known(context_.inputs);
}

Sample FileSamples::next() {
  const SampleFiles& files = list_.samples[next_++];
  Sample sample;
  sample.name = files.name;
  if (files.label) sample.labels.push_back(*files.label);
  for (const auto& [name, path] : files.inputs) {
    if (name.empty()) {
      read_folder(path, sample);
    } else {
      sample.inputs.emplace_back(name,
                                 read_input(find(context_.inputs, name, "input"), path, sample));
    }
  }
  for (const auto& [name, path] : files.outputs) {
    const Value& output = find(context_.outputs, name, "output");
    sample.references.emplace_back(
        name, read_value_file(open_value_file(path, context_.task.memory), output.type(), name,
                              file_options_for(output.type(), context_.task.memory)));
  }
  return sample;
}

/// The name and size of a file, or of the files in a folder.
std::string file_text(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const std::string name = fs::path(path).filename().string();
  if (!fs::is_directory(path, failure)) {
    const auto size = fs::file_size(path, failure);
    return format("{}:{};", quote(name), failure ? 0 : size);
  }
  std::vector<std::string> inside;
  static_cast<void>(list_folder(path, [&](const std::string& each) {
    inside.push_back(file_text((fs::path(path) / each).string()));
    return true;
  }));
  std::sort(inside.begin(), inside.end());
  std::string text = quote(name) + "(";
  for (const std::string& each : inside) text += each;
  return text + ");";
}

std::string FileSamples::identity() const {
  Sha256 hash;
  const auto add = [&](const std::string& text) {
    hash.update(std::as_bytes(std::span(text.data(), text.size())));
  };
  for (const std::string& name : list_.class_names) add(quote(name));
  for (const SampleFiles& sample : list_.samples) {
    add(quote(sample.name));
    if (sample.label && std::holds_alternative<std::string>(*sample.label)) {
      add(quote(std::get<std::string>(*sample.label)));
    } else if (sample.label) {
      add(format("{}", std::get<std::int64_t>(*sample.label)));
    }
    for (const auto* files : {&sample.inputs, &sample.outputs}) {
      for (const auto& [name, path] : *files) add(format("{}={}", quote(name), file_text(path)));
    }
  }
  return hash.finish();
}

}  // namespace

std::unique_ptr<SampleSet> make_file_samples(SampleList list, SampleContext context) {
  return std::make_unique<FileSamples>(std::move(list), std::move(context));
}

const Value& only_input(const SampleContext& context, std::string_view path) {
  const Value* only = nullptr;
  std::int64_t count = 0;
  for (const Value* input : context.inputs) {
    if (input->has_default()) continue;
    only = input;
    ++count;
  }
  if (count == 1) return *only;
  throw Error(ErrorCode::invalid,
              format("{}: contains one file per sample, but the model has {} inputs", path, count),
              "write a MANIFEST.json that maps files to inputs (`ortool schema manifest`), or give "
              "one folder per sample")
      .with_id("data.inputs");
}

}  // namespace ortool
