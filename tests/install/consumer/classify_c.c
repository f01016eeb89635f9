// Example of the manual: runs a model on one image through the C interface, and prints the class.
#include <stdio.h>

#include <ortool/ortool.h>

static ortool_error* error;

// Prints what went wrong; whether nothing did.
static int is_ok(ortool_status status) {
  if (status == ORTOOL_OK) return 1;
  fprintf(stderr, "error: %s\nhint: %s\n", ortool_error_message(error), ortool_error_hint(error));
  ortool_error_free(error);
  return 0;
}

int main(int argc, char** argv) {
  float pixels[64] = {0}, scores[10];
  const int64_t image_shape[] = {1, 1, 8, 8}, scores_shape[] = {1, 10};
  ortool_model* model = NULL;
  ortool_session* session = NULL;
  ortool_value *image = NULL, *output = NULL;
  for (int row = 0; row < 8; ++row) pixels[row * 8 + 4] = 255;  // a bright column: the digit one
  const int is_done =
      argc == 2 && is_ok(ortool_model_load(argv[1], &model, &error)) &&
      is_ok(ortool_session_new(model, "{\"threads\": 1}", NULL, &session, &error)) &&
      is_ok(ortool_tensor_new(ORTOOL_FLOAT32, image_shape, 4, pixels, sizeof pixels, &image, &error)) &&
      is_ok(ortool_tensor_new(ORTOOL_FLOAT32, scores_shape, 2, scores, sizeof scores, &output, &error)) &&
      is_ok(ortool_run(session, NULL, (const ortool_value* const*)&image, 1, NULL, &output, 1, NULL, &error));
  int best = 0;
  for (int i = 1; is_done && i < 10; ++i) best = scores[i] > scores[best] ? i : best;
  if (is_done) printf("class %d with score %.3f\n", best, scores[best]);
  ortool_value_free(output);
  ortool_value_free(image);
  ortool_session_free(session);
  ortool_model_free(model);
  return is_done ? 0 : 2;
}
