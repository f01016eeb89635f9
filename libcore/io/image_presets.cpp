// Table of the image preprocessing presets.
#include "libcore/io/image_presets.hpp"

#include <algorithm>

namespace ortool {
namespace {

constexpr std::string_view imagenet =
    "size:224,crop_pct:224/256,scale:1/255,mean:0.485/0.456/0.406,std:0.229/0.224/0.225";

constexpr ImagePreset presets[] = {
    {"imagenet", imagenet, "torchvision, IMAGENET1K_V1 weights; PyTorch's ImageNet examples"},
    {"torchvision", imagenet, "torchvision, IMAGENET1K_V1 weights"},
    {"torchvision-v2",
     "size:224,crop_pct:224/232,scale:1/255,mean:0.485/0.456/0.406,std:0.229/0.224/0.225",
     "torchvision, IMAGENET1K_V2 weights"},
    {"keras", "size:224,filter:nearest,scale:1/127.5,mean:1",
     "Keras, load_img and preprocess_input of mode tf: MobileNet, MobileNetV2, Inception, "
     "Xception, "
     "ResNetV2, NASNet"},
    {"keras-caffe", "size:224,filter:nearest,order:bgr,mean:103.939/116.779/123.68",
     "Keras, load_img and preprocess_input of mode caffe: ResNet50, ResNet101, ResNet152, VGG"},
    {"keras-torch",
     "size:224,filter:nearest,scale:1/255,mean:0.485/0.456/0.406,std:0.229/0.224/0.225",
     "Keras, load_img and preprocess_input of mode torch: DenseNet"},
    {"yolo", "size:640,letterbox:114,filter:linear,scale:1/255", "Ultralytics, LetterBox"},
    {"clip",
     "size:224,crop_pct:1,filter:bicubic,scale:1/255,mean:0.48145466/0.4578275/0.40821073,"
     "std:0.26862954/0.26130258/0.27577711",
     "OpenAI, clip.load"},
};

}  // namespace

std::span<const ImagePreset> image_presets() {
  return presets;
}

const ImagePreset* find_image_preset(std::string_view name) {
  const auto* const found = std::find_if(std::begin(presets), std::end(presets),
                                         [&](const auto& each) { return each.name == name; });
  return found != std::end(presets) ? found : nullptr;
}

}  // namespace ortool
