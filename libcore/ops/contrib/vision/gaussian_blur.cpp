// Schema and shape rule of GaussianBlur.
#include "libcore/ops/contrib/vision/gaussian_blur.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool::extensions {

constinit const OpSchema GaussianBlur::schema = {"GaussianBlur",
                                                 extensions_domain,
                                                 {{.since = 1,
                                                   .inputs = {{"nhwc", "tensor(float)"},
                                                              {"kernel_size", "tensor(int64)"},
                                                              {"sigma_xy", "tensor(double)"}},
                                                   .outputs = {{"gb_nhwc", "tensor(float)"}}}}};

void GaussianBlur::infer(InferContext& context) const {
  check_rank(context, 0, "nhwc", 4);
  check_vector(context, 1, "kernel_size", 2);
  check_vector(context, 2, "sigma_xy", 2);
  context.set_output(0, DataType::float32, context.shape(0));
}

}  // namespace ortool::extensions
