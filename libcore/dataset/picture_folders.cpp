// Sample folders: recognizes the kind of data set from a folder's content.
#include <algorithm>
#include <filesystem>

#include "libcore/base/file/file.hpp"
#include "libcore/base/file/list_folder.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/parse_number.hpp"
#include "libcore/dataset/sample_files.hpp"
#include "libcore/dataset/values/value_file.hpp"
#include "libcore/graph/value_names.hpp"

namespace ortool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view label_file = "labels.txt";
constexpr std::int64_t max_folder_label_bytes = 256 << 20;

struct FolderListing {
  std::vector<std::string> folders;
  std::vector<std::string> pictures;
  std::vector<std::string> values;
};

/// The names in a folder, in byte order.
FolderListing list(const std::string& path) {
  FolderListing listing;
  const int failure = list_folder(path, [&](const std::string& name) {
    const std::string extension = extension_of(name);
    std::error_code unknown;
    if (fs::is_directory(fs::path(path) / name, unknown)) {
      listing.folders.push_back(name);
    } else if (is_image_extension(extension)) {
      listing.pictures.push_back(name);
    } else if (is_tensor_extension(extension) && name != label_file) {
      listing.values.push_back(name);
    }
    return true;
  });
  if (failure != 0) {
    throw Error(ErrorCode::invalid, format("{}: cannot be listed: {}", path, error_text(failure)))
        .with_id("data.folder");
  }
  for (auto* names : {&listing.folders, &listing.pictures, &listing.values}) {
    std::sort(names->begin(), names->end());
  }
  return listing;
}

SampleLabel label_of(const std::string& text) {
  std::int64_t number = 0;
  if (read_integer(text, number)) return number;
  return text;
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines = split(read_text_file(path, max_folder_label_bytes), '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (std::string& line : lines) {
    if (line.ends_with('\r')) line.pop_back();
  }
  return lines;
}

/// Labels by image: "FILE LABEL" per line, or one label per line in the order of file names.
std::map<std::string, std::string> read_labels_of(const std::string& path,
                                                  const std::vector<std::string>& pictures) {
  const std::vector<std::string> lines = read_lines(path);
  std::map<std::string, std::string> labels;
  for (const std::string& line : lines) {
    const std::size_t end = line.find_first_of("\t ");
    const std::string file = line.substr(0, end);
    if (end == std::string::npos || !std::binary_search(pictures.begin(), pictures.end(), file)) {
      continue;
    }
    const std::size_t label = line.find_first_not_of("\t ", end);
    if (label != std::string::npos) labels.emplace(file, line.substr(label));
  }
  if (labels.empty() && lines.size() == pictures.size()) {
    for (std::size_t i = 0; i < lines.size(); ++i) labels.emplace(pictures[i], lines[i]);
  }
  if (labels.size() == pictures.size()) return labels;
  throw Error(
      ErrorCode::invalid,
      format("{}: gives labels to {} of {} images", path, labels.size(), pictures.size()),
      "write one 'FILE LABEL' per line, or one label per line for all images in the order of names")
      .with_id("data.labels");
}

/// One file per sample for a single input; an .npz may hold all inputs.
SampleList list_files(const std::string& path, const std::vector<std::string>& pictures,
                      const std::string& input) {
  SampleList result;
  const std::string label_path = (fs::path(path) / label_file).string();
  std::map<std::string, std::string> labels;
  if (fs::exists(label_path)) labels = read_labels_of(label_path, pictures);
  for (const std::string& picture : pictures) {
    SampleFiles files;
    files.name = picture;
    files.inputs = {{input, (fs::path(path) / picture).string()}};
    const auto label = labels.find(picture);
    if (label != labels.end()) files.label = label_of(label->second);
    result.samples.push_back(std::move(files));
  }
  return result;
}

/// Folders with numeric names are classes of these numbers; others are numbered in name order.
SampleList list_classes(const std::string& path, const std::vector<std::string>& folders,
                        const SampleContext& context) {
  const Value& input = only_input(context, path);
  SampleList result;
  bool are_numbers = true;
  for (const std::string& folder : folders) {
    const SampleLabel label = label_of(folder);
    are_numbers = are_numbers && std::holds_alternative<std::int64_t>(label);
    const std::string inside = (fs::path(path) / folder).string();
    for (const std::string& picture : list(inside).pictures) {
      SampleFiles files;
      files.name = folder + "/" + picture;
      files.inputs = {{std::string(input.name()), (fs::path(inside) / picture).string()}};
      files.label = label;
      result.samples.push_back(std::move(files));
    }
  }
  if (!are_numbers) {
    for (SampleFiles& files : result.samples) {
      if (const auto* number = std::get_if<std::int64_t>(&*files.label)) {
        files.label = std::to_string(*number);
      }
    }
    result.class_names = folders;
    if (!context.has_class_names) {
      context.task.note(
          format("classes count from 0 in the order of the folders: {} ({} sets another order)",
                 list_names(folders), setting_name("labels")));
    }
  }
  return result;
}

/// Whether the files are named after the model's inputs and outputs, and so form one sample.
bool is_one_sample(const std::vector<std::string>& files, const SampleContext& context) {
  const std::vector<std::string> inputs = names_of(context.inputs);
  std::vector<std::string> known = inputs;
  for (const std::string& output : names_of(context.outputs)) known.push_back(output);
  for (std::size_t i = 0; i < context.inputs.size(); ++i) known.push_back(format("input_{}", i));
  for (std::size_t i = 0; i < context.outputs.size(); ++i) known.push_back(format("output_{}", i));
  const auto are_among = [&](const std::vector<std::string>& names) {
    return [&names](const std::string& file) {
      const std::string stem = file.substr(0, file.size() - extension_of(file).size());
      return std::find(names.begin(), names.end(), stem) != names.end();
    };
  };
  return std::any_of(files.begin(), files.end(), are_among(inputs)) ||
         std::all_of(files.begin(), files.end(), are_among(known));
}

/// Value files whose names are unrelated to the model.
SampleList list_values(const std::string& path, const std::vector<std::string>& files,
                       const SampleContext& context) {
  const bool are_archives = std::all_of(files.begin(), files.end(), [](const std::string& file) {
    return extension_of(file) == ".npz";
  });
  return list_files(path, files, are_archives ? "" : std::string(only_input(context, path).name()));
}

}  // namespace

SampleList list_folder(const std::string& path, const SampleContext& context) {
  const FolderListing listing = list(path);
  if (!listing.pictures.empty()) {
    return list_files(path, listing.pictures, std::string(only_input(context, path).name()));
  }
  const bool has_classes =
      std::any_of(listing.folders.begin(), listing.folders.end(), [&](const std::string& folder) {
        return !list((fs::path(path) / folder).string()).pictures.empty();
      });
  if (has_classes) return list_classes(path, listing.folders, context);
  SampleList result;
  for (const std::string& folder : listing.folders) {
    const std::string inside = (fs::path(path) / folder).string();
    if (list(inside).values.empty()) continue;
    SampleFiles files;
    files.name = folder;
    files.inputs = {{"", inside}};
    result.samples.push_back(std::move(files));
  }
  if (result.samples.empty() && !listing.values.empty()) {
    if (!is_one_sample(listing.values, context)) return list_values(path, listing.values, context);
    SampleFiles files;
    files.name = fs::path(path).filename().string();
    files.inputs = {{"", path}};
    result.samples.push_back(std::move(files));
  }
  if (!result.samples.empty()) return result;
  throw Error(ErrorCode::invalid, format("{}: contains no samples", path),
              "a data set is an .npz, a folder of images or of files (.npy, .npz, .pb), a folder "
              "with one folder per sample, or a folder with MANIFEST.json")
      .with_id("data.empty");
}

}  // namespace ortool
