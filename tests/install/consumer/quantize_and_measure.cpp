// Loads, runs and quantizes a model and measures both forms: an example of the manual.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "libcore/api/ortool.hpp"
#include "providers/provider_list.hpp"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: quantize_and_measure MODEL CALIBRATION_SET QUANTIZED_MODEL\n");
    return 2;
  }
  try {
    ortool::ComputeOptions compute;
    compute.providers = ortool::default_providers();
    compute.on_warning = [](std::string_view text) {
      std::fprintf(stderr, "warning: %.*s\n", static_cast<int>(text.size()), text.data());
    };
    const ortool::SessionOptions session_options = ortool::session_options(compute);

    // Load and run: one image of 8 x 8 pixels, a bright column in the middle.
    const ortool::Session original(ortool::load_model(argv[1]), session_options);
    std::vector<float> pixels(64, 0.0F);
    for (std::size_t row = 0; row < 8; ++row) pixels[row * 8 + 4] = 255.0F;
    const ortool::NamedValues inputs = {
        {"image", ortool::Tensor::of<float>(ortool::Shape{1, 1, 8, 8}, pixels)}};
    const std::vector<ortool::RunValue> outputs = original.run(inputs, {});
    const auto scores = outputs.front().tensor().data<float>();
    std::printf("class %td\n", std::max_element(scores.begin(), scores.end()) - scores.begin());

    // Quantize in place, and save.
    ortool::QuantizeOptions quantizing;
    quantizing.compute = compute;
    quantizing.data.calibration = {argv[2]};
    const auto model = ortool::load_model(argv[1]);
    const ortool::QuantizeResult result = ortool::quantize(*model, quantizing);
    for (const ortool::OutputError& output : result.end_to_end.outputs)
      std::printf("%s: %.1f dB\n", output.name.c_str(), output.sums.sqnr_db());
    ortool::save_checked_model(*model, argv[3]);

    // Measure both in turns.
    const ortool::Session quantized(ortool::load_model(argv[3]), session_options);
    const ortool::Session* const sessions[] = {&original, &quantized};
    ortool::BenchOptions measuring;
    measuring.compute = compute;
    measuring.seconds_a_runner = 0.5;
    for (const ortool::BenchReport& report : ortool::bench(sessions, inputs, measuring))
      std::printf("median %.4f ms\n", report.median.value);
  } catch (const ortool::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
