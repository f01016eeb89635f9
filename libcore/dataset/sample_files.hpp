// Samples stored as individual files.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libcore/dataset/file_tree.hpp"
#include "libcore/dataset/sample_set.hpp"

namespace ortool {

/// The files of a sample.
struct SampleFiles {
  std::string name;
  /// Files by input name; a single entry with an empty name is a folder that holds all inputs.
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<std::pair<std::string, std::string>> outputs;
  std::optional<SampleLabel> label;
};

/// A list of samples with their class names.
struct SampleList {
  std::vector<SampleFiles> samples;
  std::vector<std::string> class_names;
  std::optional<FileUse> files = {};  ///< of a folder or a pattern
};

/// Reads the samples of a list on demand.
std::unique_ptr<SampleSet> make_file_samples(SampleList list, SampleContext context);

/// The samples of a manifest; paths are relative to its folder.
SampleList read_manifest(const std::string& path, const SampleContext& context);

/// The samples of a folder: images with a labels.txt, images in one folder per label, or one folder
/// of files per sample. Images are searched in all folders below; files that are not used are
/// warned of.
SampleList list_folder(const std::string& path, const SampleContext& context);

/// The same for the files that match a pattern; its root is the folder that gives labels.
SampleList list_glob(const std::string& pattern, const SampleContext& context);

/// The only input without a default; throws ErrorCode::invalid when there are others.
const Value& only_input(const SampleContext& context, std::string_view path);

}  // namespace ortool
