// Sample set: sequentially read samples from an .npz, images, or a manifest.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/copy_safe_variant.hpp"
#include "libcore/base/task_context.hpp"
#include "libcore/dataset/file_tree.hpp"
#include "libcore/dataset/metrics/image_placement.hpp"
#include "libcore/dataset/values/random_inputs.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/io/image_tensor.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// A class by index or by name.
using SampleLabel = CopySafeVariant<std::int64_t, std::string>;

/// One sample. A model with a fixed batch size above 1 gets that many at once, with a label for
/// each.
struct Sample {
  std::string name;
  NamedValues inputs;
  NamedValues references;  ///< expected outputs, if the set has them
  std::vector<SampleLabel> labels;
  std::optional<SampleImage> image = {};  ///< that the first image input was made from
};

/// Image preprocessing by input.
using ImageRecipes = std::map<std::string, ImageOptions, std::less<>>;

/// What a set needs to know about the model, and how its samples are read. The values must outlive
/// it.
struct SampleContext {
  TaskContext task;
  std::span<Value* const> inputs;
  std::span<Value* const> outputs;
  ImageRecipes recipes = {};
  RandomInputOptions random = {};  ///< for random samples
  bool has_class_names = false;    ///< the caller knows them: no warning about a guess
  /// By input what to warn of when images are fed to it; may be empty.
  std::map<std::string, std::string, std::less<>> image_warnings = {};
  bool casts_inputs = false;  ///< to the element types that the model declares
};

/// Memory use does not depend on the size of the set, except for file names.
class SampleSet {
 public:
  virtual ~SampleSet() = default;

  /// The number of calls of next() before the end.
  virtual std::int64_t size() const = 0;
  /// The next sample. Throws when it cannot be read; the next call then continues after it.
  virtual Sample next() = 0;
  /// Moves on by `count` samples, which must exist; reads no more of them than it has to.
  virtual void skip(std::int64_t count) {
    for (; count > 0; --count) static_cast<void>(next());
  }
  /// A hash by which another process can tell that it has the same set: of names, sizes and
  /// checksums, as far as they are known without reading the samples. Paths do not count.
  virtual std::string identity() const = 0;
  /// Class names by index, if the set provides them.
  virtual const std::vector<std::string>& class_names() const = 0;
  /// Whether samples of the input are images, which are read by a recipe.
  virtual bool has_pictures(std::string_view /*input*/) const { return false; }
  /// Which of the files that were found are used; null for a set that names its files itself.
  virtual const FileUse* files() const { return nullptr; }
};

/// Opens the set at `path`: an .npz with an array per input, whose first axis is the samples, and
/// `labels`; a folder of images, with labels.txt or one folder per label; a folder with one folder
/// of files per sample; a pattern such as "photos/*.jpg"; a MANIFEST.json, or a folder with one.
/// Throws ErrorCode::invalid for anything else, and for sets that do not match the inputs.
std::unique_ptr<SampleSet> open_sample_set(const std::string& path, SampleContext context);

/// Throws ErrorCode::invalid for a recipe of an input for which no set has images.
void refuse_unused_recipes(const ImageRecipes& recipes,
                           std::span<const std::unique_ptr<SampleSet>> sets);

}  // namespace ortool
