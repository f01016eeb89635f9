// Example of the manual: loads a model, runs it on one tensor, and prints the best class.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/runtime/session.hpp"
#include "providers/provider_list.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: classify MODEL\n");
    return 2;
  }
  try {
    ortool::SessionOptions options;
    options.providers = ortool::default_providers();
    const ortool::Session session(ortool::load_model(argv[1]), options);

    // One image of 8 x 8 pixels, a bright column in the middle: the digit one.
    std::vector<float> pixels(64, 0.0F);
    for (std::size_t row = 0; row < 8; ++row) pixels[row * 8 + 4] = 255.0F;
    const auto image = ortool::Tensor::of<float>(ortool::Shape{1, 1, 8, 8}, pixels);

    const auto outputs = session.run({{"image", image}}, {});
    const auto scores = outputs.front().tensor().data<float>();
    const auto best = std::max_element(scores.begin(), scores.end());
    std::printf("class %td with score %.3f\n", best - scores.begin(), static_cast<double>(*best));
  } catch (const ortool::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
