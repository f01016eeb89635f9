// Samples whose values lie in files of their own.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libcore/dataset/sample_set.hpp"

namespace ortool {

/// Where a sample's values lie.
struct SampleFiles {
  std::string name;
  /// Files by input name; a single one with an empty name is a folder that holds them all.
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<std::pair<std::string, std::string>> outputs;
  std::optional<SampleLabel> label;
};

/// A list of samples with the names of their classes.
struct SampleList {
  std::vector<SampleFiles> samples;
  std::vector<std::string> class_names;
};

/// Reads the samples of a list when they are asked for.
std::unique_ptr<SampleSet> make_file_samples(SampleList list, SampleContext context);

/// The samples that a manifest names; paths count from its folder.
SampleList read_manifest(const std::string& path, const SampleContext& context);

/// The samples of a folder: pictures beside labels.txt, pictures in a folder a label, or a folder
/// of files a sample.
SampleList list_folder(const std::string& path, const SampleContext& context);

/// The only input without a default; throws ErrorCode::invalid when there are others.
const Value& only_input(const SampleContext& context, std::string_view path);

}  // namespace ortool
