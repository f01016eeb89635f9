// COCO annotations, read item by item: the lists come in any order, so ids are resolved at the end.
#include "libcore/dataset/metrics/coco_annotations.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_map>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/json/json.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_annotation_bytes = std::int64_t{4} << 30;

Error broken_annotations(std::string what) {
  Error error(ErrorCode::invalid, std::move(what),
              "COCO's format is {\"images\": [{\"id\", \"file_name\"}], \"categories\": [{\"id\", "
              "\"name\"}], \"annotations\": [{\"image_id\", \"category_id\", \"bbox\": [x, y, "
              "width, height]}]}");
  error.with_id("data.annotations");
  return error;
}

std::string_view base_name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Whether `file_name` is `path`, or its last folders and file.
bool is_end_of(std::string_view file_name, std::string_view path) {
  if (!path.ends_with(file_name)) return false;
  return path.size() == file_name.size() || path[path.size() - file_name.size() - 1] == '/';
}

}  // namespace

/// Collects the items of the three lists.
class CocoReader {
 public:
  CocoReader(CocoAnnotations& result, MemoryCap& cap) : result_(result), cap_(cap) {}
  ~CocoReader() { cap_.give_back(taken_bytes_); }
  CocoReader(const CocoReader&) = delete;
  CocoReader& operator=(const CocoReader&) = delete;

  void take(const std::string& list, const Json& item);
  /// Resolves ids and checks the boxes; to be called after the last item.
  void finish();

 private:
  struct RawObject {
    std::int64_t image;
    std::int64_t category;
    CocoObject object;
  };

  void count(std::int64_t bytes);
  /// "annotation 7".
  std::string place() const { return format("{} {}", kind_, index_); }
  std::int64_t integer(const Json& item, std::string_view key) const;
  std::string text(const Json& item, std::string_view key) const;
  double optional_number(const Json& item, std::string_view key, double otherwise) const;
  void add_image(const Json& item);
  void add_category(const Json& item);
  void add_object(const Json& item);
  void check_box(const RawObject& raw, const CocoImage& image) const;

  CocoAnnotations& result_;
  MemoryCap& cap_;
  std::vector<RawObject> objects_;
  std::string list_;
  std::string_view kind_;
  std::int64_t index_ = -1;
  std::int64_t taken_bytes_ = 0;
  std::int64_t used_bytes_ = 0;
};

void CocoReader::count(std::int64_t bytes) {
  constexpr std::int64_t step_bytes = 1 << 20;
  used_bytes_ += bytes;
  if (used_bytes_ <= taken_bytes_) return;
  const std::int64_t more = used_bytes_ - taken_bytes_ + step_bytes;
  cap_.take(more, "reading annotations");
  taken_bytes_ += more;
}

std::int64_t CocoReader::integer(const Json& item, std::string_view key) const {
  constexpr double most = 9e15;
  const Json* found = item.find(key);
  if (found == nullptr) throw broken_annotations(format("{} has no {}", place(), quote(key)));
  if (!found->is_number() || std::trunc(found->number()) != found->number() ||
      std::fabs(found->number()) > most)
    throw broken_annotations(format("{} of {} is not an integer", quote(key), place()));
  return static_cast<std::int64_t>(found->number());
}

std::string CocoReader::text(const Json& item, std::string_view key) const {
  const Json* found = item.find(key);
  if (found == nullptr) throw broken_annotations(format("{} has no {}", place(), quote(key)));
  if (!found->is_text())
    throw broken_annotations(format("{} of {} is not a string", quote(key), place()));
  return found->text();
}

double CocoReader::optional_number(const Json& item, std::string_view key, double otherwise) const {
  const Json* found = item.find(key);
  if (found == nullptr || found->is_null()) return otherwise;
  if (found->is_flag()) return found->flag() ? 1 : 0;
  if (!found->is_number() || !std::isfinite(found->number()))
    throw broken_annotations(format("{} of {} is not a number", quote(key), place()));
  return found->number();
}

void CocoReader::add_image(const Json& item) {
  constexpr double max_side = 1e9;
  CocoImage image{integer(item, "id"), text(item, "file_name")};
  const double width = optional_number(item, "width", 0);
  const double height = optional_number(item, "height", 0);
  if (!(width >= 0 && width < max_side && height >= 0 && height < max_side))
    throw broken_annotations(format("{} is {} x {} pixels", place(), width, height));
  image.width = static_cast<std::int64_t>(width);
  image.height = static_cast<std::int64_t>(height);
  count(static_cast<std::int64_t>(3 * sizeof(CocoImage) + 4 * image.file_name.size()));
  result_.images_.push_back(std::move(image));
}

void CocoReader::add_category(const Json& item) {
  const std::int64_t id = integer(item, "id");
  result_.categories_.push_back({id, text(item, "name")});
  count(static_cast<std::int64_t>(sizeof(CocoCategory) + result_.categories_.back().name.size()));
}

void CocoReader::add_object(const Json& item) {
  RawObject raw{integer(item, "image_id"), integer(item, "category_id"), {}};
  const Json* box = item.find("bbox");
  if (box == nullptr) throw broken_annotations(format("{} has no 'bbox'", place()));
  const auto is_coordinate = [](const Json& each) {
    return each.is_number() && std::isfinite(each.number());
  };
  if (!box->is_list() || box->items().size() != 4 ||
      !std::all_of(box->items().begin(), box->items().end(), is_coordinate))
    throw broken_annotations(
        format("the bbox of {} is not four numbers (x, y, width, height)", place()));
  raw.object.box = {box->items()[0].number(), box->items()[1].number(), box->items()[2].number(),
                    box->items()[3].number()};
  raw.object.area = optional_number(item, "area", raw.object.box.area());
  raw.object.is_crowd = optional_number(item, "iscrowd", 0) != 0;
  count(static_cast<std::int64_t>(sizeof(RawObject) + 2 * sizeof(CocoObject)));
  objects_.push_back(raw);
}

void CocoReader::take(const std::string& list, const Json& item) {
  const bool is_image = list == "images";
  const bool is_category = list == "categories";
  if (!is_image && !is_category && list != "annotations") return;
  if (list != list_) index_ = -1;
  list_ = list;
  ++index_;
  kind_ = is_image ? "image" : is_category ? "category" : "annotation";
  if (!item.is_object()) throw broken_annotations(format("{} is not an object", place()));
  if (is_image) return add_image(item);
  if (is_category) return add_category(item);
  add_object(item);
}

void CocoReader::check_box(const RawObject& raw, const CocoImage& image) const {
  const Box& box = raw.object.box;
  const bool is_positive = box.width >= 0 && box.height >= 0;
  const bool has_size = image.width > 0 && image.height > 0;
  const bool is_inside = !has_size || (box.x <= static_cast<double>(image.width) &&
                                       box.y <= static_cast<double>(image.height) &&
                                       box.x + box.width >= 0 && box.y + box.height >= 0);
  if (is_positive && is_inside) return;
  throw Error(
      ErrorCode::invalid,
      format("the bbox of {}, [{}, {}, {}, {}], {}", place(), box.x, box.y, box.width, box.height,
             is_positive ? format("is outside the {}x{} pixels of {}", image.width, image.height,
                                  quote(image.file_name))
                         : "has a negative size"),
      "a bbox is x, y, width and height in pixels, from the top left corner")
      .with_id("data.annotations");
}

void CocoReader::finish() {
  std::vector<CocoCategory>& categories = result_.categories_;
  const auto by_id = [](const CocoCategory& a, const CocoCategory& b) { return a.id < b.id; };
  std::stable_sort(categories.begin(), categories.end(), by_id);
  const auto twice =
      std::adjacent_find(categories.begin(), categories.end(),
                         [](const CocoCategory& a, const CocoCategory& b) { return a.id == b.id; });
  if (twice != categories.end())
    throw broken_annotations(format("two categories have the id {}", twice->id));
  std::unordered_map<std::int64_t, std::size_t> images;
  for (std::size_t i = 0; i < result_.images_.size(); ++i) {
    const CocoImage& image = result_.images_[i];
    if (!images.emplace(image.id, i).second)
      throw broken_annotations(format("two images have the id {}", image.id));
    result_.by_base_name_.emplace(base_name_of(image.file_name), i);
  }
  kind_ = "annotation";
  index_ = 0;
  for (const RawObject& raw : objects_) {
    const auto image = images.find(raw.image);
    if (image == images.end())
      throw broken_annotations(format("{}: no image has the id {}", place(), raw.image));
    const std::int64_t category = result_.category_index(raw.category);
    if (category < 0)
      throw broken_annotations(format("{}: no category has the id {}", place(), raw.category));
    check_box(raw, result_.images_[image->second]);
    std::vector<CocoObject>& objects = result_.images_[image->second].objects;
    objects.push_back(raw.object);
    objects.back().category = category;
    ++index_;
  }
  result_.counted_ =
      std::make_shared<MemoryReservation>(&cap_, used_bytes_, "the annotations of a data set");
}

CocoAnnotations CocoAnnotations::read(const std::string& path, MemoryCap& cap) {
  CocoAnnotations result(path);
  CocoReader reader(result, cap);
  const MappedFile file = MappedFile::open(path);
  if (file.size_bytes() > max_annotation_bytes)
    throw Error(ErrorCode::invalid, format("{}: is larger than 4 GiB", path), "split the data set");
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  const Json rest =
      parse_json_items(text, path, {.cap = &cap},
                       [&](const std::string& list, const Json& item) { reader.take(list, item); });
  try {
    if (!rest.is_object()) throw broken_annotations("is not an object");
    for (const char* list : {"images", "categories", "annotations"}) {
      const Json* found = rest.find(list);
      if (found == nullptr || !found->is_list())
        throw broken_annotations(format("has no list {}", quote(list)));
    }
    reader.finish();
  } catch (Error& error) {
    throw error.in(path);
  }
  return result;
}

std::int64_t CocoAnnotations::category_index(std::int64_t id) const {
  const auto place = std::lower_bound(
      categories_.begin(), categories_.end(), id,
      [](const CocoCategory& each, std::int64_t wanted) { return each.id < wanted; });
  return place == categories_.end() || place->id != id ? -1 : place - categories_.begin();
}

const CocoImage& CocoAnnotations::image_of(std::string_view path) const {
  const auto [first, last] = by_base_name_.equal_range(base_name_of(path));
  const CocoImage* found = nullptr;
  bool is_ambiguous = false;
  for (auto each = first; each != last; ++each) {
    const CocoImage& image = images_[each->second];
    if (!is_end_of(image.file_name, path)) continue;
    const std::size_t length = found == nullptr ? 0 : found->file_name.size();
    is_ambiguous = found != nullptr && image.file_name.size() == length;
    if (image.file_name.size() > length) found = &image;
  }
  if (found == nullptr && first != last) {
    found = &images_[first->second];
    is_ambiguous = std::next(first) != last;
  }
  if (found != nullptr && !is_ambiguous) return *found;
  throw Error(ErrorCode::invalid,
              format("{} of the annotations {} have the file name {}",
                     is_ambiguous ? "several images" : "none of the images", shorten(path_),
                     quote(base_name_of(path))),
              is_ambiguous
                  ? "write file_name with the folders that tell them apart"
                  : format("{} names the annotations of these images; images are matched by "
                           "their file_name",
                           setting_name("labels")))
      .with_id("data.annotations");
}

std::string find_annotation_file(const std::string& folder) {
  std::error_code failure;
  for (const std::string_view name : annotation_file_names) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    if (std::filesystem::is_regular_file(path, failure)) return path.string();
  }
  return {};
}

}  // namespace ortool
