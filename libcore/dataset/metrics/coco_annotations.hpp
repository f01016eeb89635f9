// COCO annotations: ground-truth boxes by image, from the "instances" JSON of a detection data set.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/dataset/metrics/detection.hpp"

namespace ortool {

/// An annotated object.
struct CocoObject {
  Box box;
  double area = 0;            ///< as annotated: of the segmentation, if there is one
  std::int64_t category = 0;  ///< index into the categories
  bool is_crowd = false;
};

struct CocoImage {
  std::int64_t id = 0;
  std::string file_name;
  std::int64_t width = 0;  ///< 0: not given
  std::int64_t height = 0;
  std::vector<CocoObject> objects = {};  ///< in the order of the file
};

struct CocoCategory {
  std::int64_t id = 0;
  std::string name;
};

class CocoAnnotations {
 public:
  /// Reads the file item by item: only the boxes are kept, and counted against `cap`, which must
  /// outlive this object. Throws ErrorCode::invalid for invalid JSON, missing keys, unknown
  /// categories or images, and boxes that are not in their image.
  static CocoAnnotations read(const std::string& path, MemoryCap& cap);

  /// In ascending order of their ids.
  const std::vector<CocoCategory>& categories() const { return categories_; }
  const std::vector<CocoImage>& images() const { return images_; }
  /// The index of the category with that id, or -1.
  std::int64_t category_index(std::int64_t id) const;
  /// The image of the file at `path`: the one whose file_name is the longest end of the path, or
  /// the only one of that base name. Throws ErrorCode::invalid when there is none or several.
  const CocoImage& image_of(std::string_view path) const;
  const std::string& path() const { return path_; }

 private:
  friend class CocoReader;
  explicit CocoAnnotations(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::vector<CocoCategory> categories_;
  std::vector<CocoImage> images_;
  std::multimap<std::string, std::size_t, std::less<>> by_base_name_;
  std::shared_ptr<const MemoryReservation> counted_;
};

/// The names by which annotations are found in the folder of the images.
inline constexpr std::array<std::string_view, 2> annotation_file_names = {"annotations.json",
                                                                          "_annotations.coco.json"};

/// The annotation file in the folder, or an empty string.
std::string find_annotation_file(const std::string& folder);

}  // namespace ortool
