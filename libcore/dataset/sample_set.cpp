// Sample sets: determines the kind of set from its path.
#include "libcore/dataset/sample_set.hpp"

#include <algorithm>
#include <filesystem>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/dataset/given_samples.hpp"
#include "libcore/dataset/npz_samples.hpp"
#include "libcore/dataset/sample_files.hpp"
#include "libcore/dataset/values/cast_value.hpp"
#include "libcore/dataset/values/value_file.hpp"

namespace ortool {
namespace {

/// Samples whose inputs are converted to the element types of the model.
class CastSamples : public SampleSet {
 public:
  CastSamples(std::unique_ptr<SampleSet> samples, const SampleContext& context)
      : samples_(std::move(samples)), task_(context.task), inputs_(context.inputs) {}

  std::int64_t size() const override { return samples_->size(); }
  const std::vector<std::string>& class_names() const override { return samples_->class_names(); }
  bool has_pictures(std::string_view input) const override { return samples_->has_pictures(input); }
  const FileUse* files() const override { return samples_->files(); }
  void skip(std::int64_t count) override { samples_->skip(count); }
  std::string identity() const override { return samples_->identity(); }
  Sample next() override {
    Sample sample = samples_->next();
    for (auto& [name, value] : sample.inputs) {
      for (const Value* input : inputs_) {
        if (input->name() != name) continue;
        const std::string warning = cast_value(name, input->type(), value, task_.memory);
        if (!warning.empty()) task_.warn(format("sample {}: {}", shorten(sample.name), warning));
      }
    }
    return sample;
  }

 private:
  std::unique_ptr<SampleSet> samples_;
  TaskContext task_;
  std::span<Value* const> inputs_;
};

std::unique_ptr<SampleSet> open_as_stored(const std::string& path, SampleContext context) {
  constexpr std::string_view manifest_name = "MANIFEST.json";
  if (auto given = find_given_samples(path))
    return make_given_samples(std::move(given), path, std::move(context));
  std::error_code failure;
  const std::string inside = (std::filesystem::path(path) / manifest_name).string();
  if (std::filesystem::is_directory(path, failure)) {
    SampleList list = std::filesystem::exists(inside, failure) ? read_manifest(inside, context)
                                                               : list_folder(path, context);
    return make_file_samples(std::move(list), std::move(context));
  }
  const bool exists = std::filesystem::exists(path, failure);
  if (!exists && is_file_glob(path)) {
    SampleList list = list_glob(path, context);
    return make_file_samples(std::move(list), std::move(context));
  }
  const std::string extension = extension_of(path);
  if (extension == ".json") {
    SampleList list = read_manifest(path, context);
    return make_file_samples(std::move(list), std::move(context));
  }
  if (extension == ".npz") return open_npz_samples(path, std::move(context));
  if (!exists) {
    throw Error(ErrorCode::invalid, format("{}: there is no such file or folder", path),
                "name a data set: an .npz, a MANIFEST.json, a folder, or a pattern such as "
                "'photos/*.jpg'")
        .with_id("data.set");
  }
  throw Error(ErrorCode::invalid, format("{}: is not a data set", path),
              "a data set is an .npz, a MANIFEST.json, a folder, or a pattern such as "
              "'photos/*.jpg'")
      .with_id("data.set");
}

}  // namespace

std::unique_ptr<SampleSet> open_sample_set(const std::string& path, SampleContext context) {
  if (!context.casts_inputs) return open_as_stored(path, std::move(context));
  return std::make_unique<CastSamples>(open_as_stored(path, context), context);
}

void refuse_unused_recipes(const ImageRecipes& recipes,
                           std::span<const std::unique_ptr<SampleSet>> sets) {
  for (const auto& [input, recipe] : recipes) {
    if (std::any_of(sets.begin(), sets.end(),
                    [&name = input](const auto& set) { return set->has_pictures(name); }))
      continue;
    throw Error(
        ErrorCode::invalid,
        format("option {}: input {} is not given an image", setting_name("image"), quote(input)),
        "leave the recipe out: the contents of an .npz, .npy or .pb are used as they are")
        .with_id("usage.applies_to_nothing");
  }
}

}  // namespace ortool
