// Example of the manual: runs a model through the C++ handles over the C interface.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <ortool/ortool.hpp>

namespace ort = ortool::abi;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const ort::Session session(ort::Model::load(argv[1]), R"({"threads": 1})");
    std::vector<float> pixels(64);
    for (std::size_t row = 0; row < 8; ++row) pixels[row * 8 + 4] = 255;  // a bright column: one
    std::vector<ort::Value> inputs;
    inputs.push_back(ort::Value::view(pixels, {1, 1, 8, 8}));
    const std::vector<ort::Value> outputs = session.run(inputs);
    const float* scores = outputs[0].data<float>();
    const float* best = std::max_element(scores, scores + outputs[0].count());
    std::printf("class %td with score %.3f\n", best - scores, static_cast<double>(*best));
  } catch (const ort::Error& error) {
    std::fprintf(stderr, "error: %s\nhint: %s\n", error.what(), error.hint().c_str());
    return 2;
  }
}
