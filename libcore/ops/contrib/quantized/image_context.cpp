// InferContext for shape rules of images.
#include "libcore/ops/contrib/quantized/image_context.hpp"

#include "libcore/ops/contrib/quantized/qlinear_pool.hpp"

namespace ortool {

ImageContext::ImageContext(const InferContext& given, bool channels_last, std::int64_t weights)
    : given_(given), weights_(weights) {
  const ValueType* type = given.input_type(0);
  if (type == nullptr) return;
  image_ = *type;
  if (channels_last) image_->shape = with_channels_second(type->shape);
}

}  // namespace ortool
