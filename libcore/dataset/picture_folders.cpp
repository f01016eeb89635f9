// Sample folders: recognizes the kind of data set from the files below a folder.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/parse_number.hpp"
#include "libcore/dataset/file_tree.hpp"
#include "libcore/dataset/metrics/coco_annotations.hpp"
#include "libcore/dataset/sample_files.hpp"
#include "libcore/dataset/values/value_file.hpp"
#include "libcore/graph/value_names.hpp"

namespace ortool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view label_file = "labels.txt";
constexpr std::int64_t max_folder_label_bytes = 256 << 20;

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

/// Lines "FILE LABEL" for some of the images.
std::map<std::string, std::string> match_labels(const std::vector<std::string>& lines,
                                                const std::vector<std::string>& images) {
  const std::set<std::string> known(images.begin(), images.end());
  std::map<std::string, std::string> labels;
  for (const std::string& line : lines) {
    const std::size_t end = line.find_first_of("\t ");
    const std::string file = line.substr(0, end);
    if (end == std::string::npos || known.find(file) == known.end()) continue;
    const std::size_t label = line.find_first_not_of("\t ", end);
    if (label != std::string::npos) labels.emplace(file, line.substr(label));
  }
  return labels;
}

/// Labels by image: "FILE LABEL" per line, or one label per line in the order of the images.
std::map<std::string, std::string> read_labels_of(const std::string& path,
                                                  const std::vector<std::string>& images) {
  const std::vector<std::string> lines = read_lines(path);
  std::map<std::string, std::string> labels = match_labels(lines, images);
  if (labels.empty() && lines.size() == images.size()) {
    for (std::size_t i = 0; i < lines.size(); ++i) labels.emplace(images[i], lines[i]);
  }
  if (labels.size() == images.size()) return labels;
  throw Error(
      ErrorCode::invalid,
      format("{}: gives labels to {} of {} images", path, labels.size(), images.size()),
      "write one 'FILE LABEL' per line, or one label per line for all images in the order of names")
      .with_id("data.labels");
}

/// One file per sample for a single input; an .npz may hold all inputs.
SampleList list_files(const FileTree& tree, const std::vector<std::string>& names,
                      const std::string& input, const std::map<std::string, std::string>& labels) {
  SampleList result;
  for (const std::string& name : names) {
    SampleFiles files;
    files.name = name;
    files.inputs = {{input, join_path(tree.root, name)}};
    const auto label = labels.find(name);
    if (label != labels.end()) files.label = label_of(label->second);
    result.samples.push_back(std::move(files));
  }
  return result;
}

/// The name of the first folder on the way to a file, or empty.
std::string first_folder(const std::string& file) {
  const std::size_t slash = file.find('/');
  return slash == std::string::npos ? std::string() : file.substr(0, slash);
}

/// Folders with numeric names are classes of these numbers; others are numbered in name order.
SampleList list_classes(const FileTree& tree, const std::vector<std::string>& images,
                        const std::string& input, const SampleContext& context) {
  SampleList result;
  const bool are_numbers =
      std::all_of(tree.folders.begin(), tree.folders.end(), [](const std::string& folder) {
        return std::holds_alternative<std::int64_t>(label_of(folder));
      });
  for (const std::string& image : images) {
    SampleFiles files;
    files.name = image;
    files.inputs = {{input, join_path(tree.root, image)}};
    const std::string folder = first_folder(image);
    files.label = are_numbers ? label_of(folder) : SampleLabel(folder);
    result.samples.push_back(std::move(files));
  }
  if (are_numbers) return result;
  result.class_names = tree.folders;
  if (!context.has_class_names) {
    context.task.note(
        format("classes count from 0 in the order of the folders: {} ({} sets another order)",
               list_names(tree.folders), setting_name("labels")));
  }
  return result;
}

/// Images with the labels of labels.txt, of their folders, or none.
SampleList list_images(const FileTree& tree, const std::vector<std::string>& images, bool is_glob,
                       const SampleContext& context) {
  const std::string input(only_input(context, tree.root).name());
  const bool has_direct = std::any_of(images.begin(), images.end(), [](const std::string& each) {
    return first_folder(each).empty();
  });
  const bool has_nested = std::any_of(images.begin(), images.end(), [](const std::string& each) {
    return !first_folder(each).empty();
  });
  const std::string label_path = join_path(tree.root, std::string(label_file));
  std::error_code unknown;
  if (fs::exists(label_path, unknown)) {
    // A list without file names is for all images of a folder, so not for a choice of them.
    const bool must_fit = has_direct && !is_glob;
    if (must_fit || !match_labels(read_lines(label_path), images).empty())
      return list_files(tree, images, input, read_labels_of(label_path, images));
  }
  if (!has_direct) return list_classes(tree, images, input, context);
  if (has_nested) {
    context.task.note(
        format("{}: images are in the folder itself and in folders below it, so the names of the "
               "folders are not taken as labels",
               tree.root));
  }
  return list_files(tree, images, input, {});
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
SampleList list_values(const FileTree& tree, const std::vector<std::string>& files, bool is_glob,
                       const SampleContext& context) {
  const bool are_archives = std::all_of(files.begin(), files.end(), [](const std::string& file) {
    return extension_of(file) == ".npz";
  });
  std::map<std::string, std::string> labels;
  const std::string label_path = join_path(tree.root, std::string(label_file));
  std::error_code unknown;
  if (!is_glob && fs::exists(label_path, unknown)) labels = read_labels_of(label_path, files);
  return list_files(tree, files,
                    are_archives ? "" : std::string(only_input(context, tree.root).name()), labels);
}

/// Values as files: one folder per sample, one sample in the folder itself, or one file per sample.
/// `used` receives the files.
SampleList list_value_samples(const FileTree& tree, bool is_glob, const SampleContext& context,
                              std::set<std::string>& used) {
  SampleList result;
  std::vector<std::string> direct;
  std::map<std::string, std::vector<std::string>> by_folder;
  for (const std::string& file : tree.files) {
    if (!is_tensor_extension(extension_of(file)) || file == label_file) continue;
    const std::string folder = first_folder(file);
    if (folder.empty() || is_glob) {
      direct.push_back(file);
    } else if (file.find('/', folder.size() + 1) == std::string::npos) {
      by_folder[folder].push_back(file);
    }
  }
  for (const auto& [folder, values] : by_folder) {
    SampleFiles files;
    files.name = folder;
    files.inputs = {{"", join_path(tree.root, folder)}};
    result.samples.push_back(std::move(files));
    used.insert(values.begin(), values.end());
  }
  if (!result.samples.empty() || direct.empty()) return result;
  used.insert(direct.begin(), direct.end());
  if (is_glob || !is_one_sample(direct, context))
    return list_values(tree, direct, is_glob, context);
  SampleFiles files;
  files.name = fs::path(tree.root).filename().string();
  files.inputs = {{"", tree.root}};
  result.samples.push_back(std::move(files));
  return result;
}

bool holds_annotations(const std::string& file) {
  return std::find(annotation_file_names.begin(), annotation_file_names.end(), file) !=
         annotation_file_names.end();
}

/// Counts the files that are not in `used`.
FileUse count_files(const FileTree& tree, const std::set<std::string>& used,
                    std::string_view reason) {
  FileUse use;
  std::map<std::pair<std::string, std::string>, std::int64_t> skipped = tree.not_files;
  for (const auto& [kind, count] : skipped) use.found += count;
  for (const std::string& file : tree.files) {
    if (file == label_file || holds_annotations(file)) continue;
    ++use.found;
    if (used.find(file) != used.end()) {
      ++use.used;
      continue;
    }
    const std::string extension = extension_of(file);
    ++skipped[{extension.empty() ? "file without an extension" : extension, std::string(reason)}];
  }
  for (const auto& [kind, count] : skipped) use.skipped.push_back({kind.first, kind.second, count});
  return use;
}

void warn_of_skipped_files(const std::string& path, const FileUse& use,
                           const SampleContext& context) {
  if (use.skipped.empty()) return;
  std::map<std::string, std::vector<std::string>> kinds;
  for (const SkippedFiles& each : use.skipped) {
    kinds[each.reason].push_back(format("{} {}", each.count, each.kind));
  }
  std::string text;
  for (const auto& [reason, list] : kinds) {
    text += format("{}{} ({})", text.empty() ? "" : "; ", list_names(list), reason);
  }
  context.task.warn(
      format("{}: {} of {} files are used; skipped: {}", path, use.used, use.found, text));
}

SampleList list_samples(const FileTree& tree, const std::string& path, bool is_glob,
                        const SampleContext& context) {
  std::vector<std::string> images;
  for (const std::string& file : tree.files) {
    if (is_image_extension(extension_of(file))) images.push_back(file);
  }
  std::set<std::string> used(images.begin(), images.end());
  SampleList result = images.empty() ? list_value_samples(tree, is_glob, context, used)
                                     : list_images(tree, images, is_glob, context);
  result.files =
      count_files(tree, used, images.empty() ? "not values of a sample" : "not read as images");
  if (!result.samples.empty()) {
    warn_of_skipped_files(path, *result.files, context);
    return result;
  }
  std::vector<std::string> kinds;
  for (const SkippedFiles& each : result.files->skipped) {
    kinds.push_back(format("{} {}", each.count, each.kind));
  }
  throw Error(ErrorCode::invalid,
              kinds.empty()
                  ? format("{}: contains no samples", path)
                  : format("{}: contains no samples (it holds {})", path, list_names(kinds)),
              "a data set is an .npz, a folder of images or of files (.npy, .npz, .pb), a folder "
              "with one folder per sample, a folder with MANIFEST.json, or a pattern for files "
              "such as 'photos/*.jpg'")
      .with_id("data.empty");
}

}  // namespace

SampleList list_folder(const std::string& path, const SampleContext& context) {
  return list_samples(list_file_tree(path), path, false, context);
}

SampleList list_glob(const std::string& pattern, const SampleContext& context) {
  const FileTree tree = list_matching_files(pattern);
  if (tree.files.empty()) {
    throw Error(ErrorCode::invalid, format("{}: matches no file", shorten(pattern)),
                "* and ? match within one name, ** any number of folders, as in 'photos/**/*.jpg'")
        .with_id("data.empty");
  }
  return list_samples(tree, pattern, true, context);
}

}  // namespace ortool
