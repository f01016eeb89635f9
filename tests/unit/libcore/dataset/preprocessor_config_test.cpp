// Tests of preprocessor configurations as image recipes.
#include "libcore/dataset/preprocessor_config.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/io/image_tensor.hpp"

namespace ortool {
namespace {

std::string transformers(const char* text) {
  const auto recipe = recipe_of_transformers(parse_json(text, "test"));
  if (recipe && !recipe->empty()) parse_image_options(*recipe);
  return recipe.value_or("none");
}

std::string timm(const char* text) {
  const auto recipe = recipe_of_timm(parse_json(text, "test"));
  if (recipe) parse_image_options(*recipe);
  return recipe.value_or("none");
}

TEST_CASE("processors of transformers", "[dataset]") {
  // google/vit-base-patch16-224
  CHECK(transformers(R"({"do_normalize": true, "do_resize": true, "image_mean": [0.5, 0.5, 0.5],
                         "image_std": [0.5, 0.5, 0.5], "resample": 2, "size": 224})") ==
        "resize:224x224,filter:bilinear,scale:1/255,mean:0.5/0.5/0.5,std:0.5/0.5/0.5");
  // openai/clip-vit-base-patch32
  CHECK(transformers(R"({"crop_size": 224, "do_center_crop": true, "do_normalize": true,
                         "do_resize": true, "feature_extractor_type": "CLIPFeatureExtractor",
                         "image_mean": [0.48, 0.45, 0.4], "image_std": [0.26, 0.26, 0.27],
                         "resample": 3, "size": 224})") ==
        "resize:224,filter:bicubic,crop:224,scale:1/255,mean:0.48/0.45/0.4,std:0.26/0.26/0.27");
  // microsoft/resnet-50
  CHECK(transformers(R"({"crop_pct": 0.875, "do_normalize": true, "do_resize": true,
                         "image_processor_type": "ConvNextImageProcessor", "image_mean": [0, 0, 0],
                         "image_std": [1, 1, 1], "resample": 3, "size": {"shortest_edge": 224}})") ==
        "size:224,crop_pct:0.875,filter:bicubic,scale:1/255,mean:0/0/0,std:1/1/1");
  // google/efficientnet-b0
  CHECK(transformers(R"({"do_rescale": true, "rescale_factor": 0.00784313725490196,
                         "rescale_offset": true, "do_normalize": false, "do_resize": true,
                         "resample": 0, "size": {"height": 20, "width": 30}})") ==
        "resize:30x20,filter:nearest,scale:0.00784313725490196,mean:1");
  // apple/mobilevit-small
  CHECK(transformers(R"({"do_center_crop": true, "crop_size": {"height": 256, "width": 256},
                         "do_flip_channel_order": true, "do_resize": true, "do_normalize": false,
                         "size": {"shortest_edge": 288}})") ==
        "resize:288,filter:bilinear,crop:256x256,order:bgr,scale:1/255");
  CHECK(transformers(R"({"feature_extractor_type": "Wav2Vec2FeatureExtractor",
                         "do_normalize": true, "feature_size": 1})") == "none");
}

TEST_CASE("steps that no recipe can express are told", "[dataset]") {
  for (const char* text :
       {R"({"do_resize": true, "size": {"shortest_edge": 800, "longest_edge": 1333}})",
        R"({"do_resize": true, "size": 224, "resample": 5})", R"({"do_resize": true, "size": -1})",
        R"({"do_resize": 7, "size": 224})", R"({"image_mean": [1, 2]})",
        R"({"image_mean": ["a", "b", "c"]})", R"({"do_resize": true, "size": 1e300})",
        R"({"do_center_crop": true, "crop_size": {"edge": 3}})"}) {
    INFO(text);
    CHECK_THROWS_AS(transformers(text), Error);
  }
}

TEST_CASE("configurations of timm", "[dataset]") {
  CHECK(timm(R"({"architecture": "resnet50", "pretrained_cfg": {"input_size": [3, 224, 288],
                 "interpolation": "bicubic", "crop_pct": 0.95, "crop_mode": "center",
                 "mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}})") ==
        "size:288x224,crop_pct:0.95,filter:bicubic,scale:1/255,mean:0.485/0.456/0.406,"
        "std:0.229/0.224/0.225");
  CHECK(timm(R"({"input_size": [3, 64, 64], "mean": [0, 0, 0], "std": [1, 1, 1],
                 "crop_mode": "squash", "crop_pct": 1.0})") ==
        "size:64x64,resize:64x64,scale:1/255,mean:0/0/0,std:1/1/1");
  CHECK(timm(R"({"model_type": "vit", "hidden_size": 768})") == "none");
  CHECK_THROWS_AS(timm(R"({"input_size": [3, 64], "mean": 0, "std": 1})"), Error);
  CHECK_THROWS_WITH(
      timm(R"({"input_size": [3, 64, 64], "mean": 0, "std": 1, "crop_mode": "border"})"),
      Catch::Contains("crop_mode border"));
}

}  // namespace
}  // namespace ortool
