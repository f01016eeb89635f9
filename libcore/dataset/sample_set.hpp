// A set of samples to run a model on, read one after the other: an .npz, pictures, or a manifest.
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
#include "libcore/dataset/values/random_inputs.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/io/image_tensor.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// A class by its number or by its name.
using SampleLabel = CopySafeVariant<std::int64_t, std::string>;

/// One sample. A model whose batch has a fixed size above 1 gets that many at once: then there is a
/// label for each of them.
struct Sample {
  std::string name;
  NamedValues inputs;
  NamedValues references;  ///< expected outputs, where the set has them
  std::vector<SampleLabel> labels;
};

/// How pictures become inputs, by input.
using ImageRecipes = std::map<std::string, ImageOptions, std::less<>>;

/// What a set needs to know of the model, and how its samples are read. The values outlive it.
struct SampleContext {
  TaskContext task;
  std::span<Value* const> inputs;
  std::span<Value* const> outputs;
  ImageRecipes recipes = {};
  RandomInputOptions random = {};  ///< of samples that are made up
  bool has_class_names = false;    ///< the caller knows them: no warning of a guess
};

/// Memory does not grow with the size of the set, but for the names of its files.
class SampleSet {
 public:
  virtual ~SampleSet() = default;

  /// Calls of next() before the end.
  virtual std::int64_t size() const = 0;
  /// The next sample. Throws for one that cannot be read; the call after that goes on behind it.
  virtual Sample next() = 0;
  /// The names of the classes by number, where the set says so.
  virtual const std::vector<std::string>& class_names() const = 0;
  /// Whether a sample's value of the input is a picture, which a recipe says how to read.
  virtual bool has_pictures(std::string_view /*input*/) const { return false; }
};

/// Opens the set at `path`: an .npz with an array an input whose first axis is the samples, and
/// `labels`; a folder of pictures, with labels.txt or in a folder a label; a folder of folders of
/// files a sample; a MANIFEST.json, or a folder with one. Throws ErrorCode::invalid for what is
/// none, or does not fit the inputs.
std::unique_ptr<SampleSet> open_sample_set(const std::string& path, SampleContext context);

/// Throws ErrorCode::invalid where a recipe is for an input that none
/// of the sets has a picture of.
void refuse_unused_recipes(const ImageRecipes& recipes,
                           std::span<const std::unique_ptr<SampleSet>> sets);

}  // namespace ortool
