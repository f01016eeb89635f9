// COCO annotations: reading, matching images by name, and one clear error for each kind of mistake.
#include "libcore/dataset/metrics/coco_annotations.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "tests/support/scratch_file.hpp"

namespace ortool {
namespace {

// Outlives what it reads: annotations give their bytes back to the cap.
class AnnotationFile {
 public:
  explicit AnnotationFile(const std::string& text) : file_("annotations.json", text) {}
  CocoAnnotations read() { return CocoAnnotations::read(file_.path(), cap_); }

 private:
  test::ScratchFile file_;
  MemoryCap cap_;
};

const std::string image_list = R"("images": [{"id": 5, "file_name": "val/a.jpg", "width": 100,
  "height": 80}, {"id": 4, "file_name": "test/a.jpg"}, {"id": 3, "file_name": "b.jpg"}])";
const std::string category_list =
    R"("categories": [{"id": 18, "name": "dog"}, {"id": 17, "name": "cat"}])";

std::string with(const std::string& annotation) {
  return "{\"annotations\": [" + annotation + "], " + image_list + ", " + category_list + "}";
}

TEST_CASE("annotations are found by the end of a path, categories by id", "[map]") {
  AnnotationFile file(with(R"({"image_id": 5, "category_id": 18, "bbox": [1, 2, 3, 4],
        "segmentation": [[1, 2, 3, 4]], "iscrowd": 1},
        {"image_id": 5, "category_id": 17, "bbox": [1, 2, 3, 4], "area": 7.5})"));
  const CocoAnnotations read = file.read();
  REQUIRE(read.categories().size() == 2);
  CHECK(read.categories()[0].name == "cat");
  CHECK(read.category_index(18) == 1);
  CHECK(read.category_index(1) == -1);
  const CocoImage& image = read.image_of("/data/val/a.jpg");
  CHECK(image.id == 5);
  REQUIRE(image.objects.size() == 2);
  CHECK(image.objects[0].is_crowd);
  CHECK(image.objects[0].category == 1);
  CHECK(image.objects[0].area == 12);
  CHECK(image.objects[1].area == 7.5);
  CHECK(read.image_of("/other/b.jpg").id == 3);
  CHECK(read.image_of("test/a.jpg").id == 4);
  CHECK_THROWS_WITH(read.image_of("train/a.jpg"), Catch::Contains("several images"));
  CHECK_THROWS_WITH(read.image_of("c.jpg"), Catch::Contains("none of the images"));
}

TEST_CASE("each mistake in annotations has an error of its own", "[map]") {
  const auto refuses = [](const std::string& text, const std::string& said) {
    CHECK_THROWS_WITH(AnnotationFile(text).read(), Catch::Contains(said));
  };
  refuses("{", "is not valid JSON");
  refuses("[]", "is not an object");
  refuses("{}", "has no list 'images'");
  refuses("{" + image_list + ", " + category_list + "}", "has no list 'annotations'");
  refuses(with("7"), "annotation 0 is not an object");
  refuses(with(R"({"image_id": 5, "category_id": 18})"), "annotation 0 has no 'bbox'");
  refuses(with(R"({"image_id": 5, "category_id": 18, "bbox": [1, 2, 3]})"), "four numbers");
  refuses(with(R"({"image_id": 5, "category_id": 1, "bbox": [1, 2, 3, 4]})"),
          "no category has the id 1");
  refuses(with(R"({"image_id": 6, "category_id": 18, "bbox": [1, 2, 3, 4]})"),
          "no image has the id 6");
  refuses(with(R"({"image_id": 5.5, "category_id": 18, "bbox": [1, 2, 3, 4]})"), "not an integer");
  refuses(with(R"({"image_id": 5, "category_id": 18, "bbox": [101, 2, 3, 4]})"),
          "is outside the 100x80 pixels of 'val/a.jpg'");
  refuses(with(R"({"image_id": 5, "category_id": 18, "bbox": [1, 2, -3, 4]})"), "negative size");
  refuses("{\"annotations\": [], " + image_list +
              R"(, "categories": [{"id": 1, "name": "a"}, {"id": 1, "name": "b"}]})",
          "two categories have the id 1");
}

}  // namespace
}  // namespace ortool
