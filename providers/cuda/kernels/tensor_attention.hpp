// Attention kernel in float16 by tensor cores: tiles of queries over all keys, twice: for the sums
// of the softmax, and for the weighted values.
#pragma once

#include "providers/cuda/kernels/attention.hpp"
#include "providers/cuda/kernels/matrix_tiles.hpp"

namespace ortool::cuda {

constexpr int tensor_queries = 64;
constexpr int tensor_warps = tensor_queries / tile_width;
static_assert(tensor_warps * warp_threads == attention_threads);

/// Copies rows of up to `most_size` elements to the block's memory; what is missing is 0.
template <int most_size, int rows>
ORTOOL_DEVICE void load_tile_rows(int thread, const void* data, int64_t first, int64_t stride,
                                  int given_rows, int size, bool is_aligned, uint16_t* to) {
  constexpr int vectors = most_size / half_vector;
  const auto* from = static_cast<const uint16_t*>(data) + first;
  for (int i = thread; i < rows * vectors; i += attention_threads) {
    const int row = i / vectors;
    const int column = i % vectors * half_vector;
    const uint16_t* source = from + row * stride + column;
    uint16_t* target = to + row * (most_size + half_vector) + column;
    if (row < given_rows && is_aligned && column + half_vector <= size) {
      copy_vector(source, target);
      continue;
    }
    for (int k = 0; k < half_vector; ++k)
      target[k] = row < given_rows && column + k < size ? source[k] : uint16_t(0);
  }
}

/// What a thread knows of its half of a row's scores.
struct SoftmaxPart {
  float most;
  float total;
  bool has_seen;
};

/// One block for 64 queries of one head of at most `most_size` elements, `tile_keys` keys at a
/// time; a warp multiplies the tiles of 16 queries, two threads have the softmax of each query.
template <int most_size, int tile_keys>
ORTOOL_DEVICE void attention_tensor(const Block& block, const AttentionParams& params) {
  constexpr int row_size = most_size + half_vector;
  constexpr int score_size = tile_keys + 4;
  constexpr int size_tiles = most_size / tile_width;
  constexpr int key_tiles = tile_keys / tile_width;
  struct Tiles {
    FirstTile query[static_cast<unsigned>(size_tiles)];
    SumTile output[static_cast<unsigned>(size_tiles)];
  };
  ORTOOL_SHARED_TILES(uint16_t, queries, tensor_queries * row_size);  // then weights
  ORTOOL_SHARED_TILES(uint16_t, keys, tile_keys * row_size);
  ORTOOL_SHARED_TILES(uint16_t, values, tile_keys * row_size);
  ORTOOL_SHARED_TILES(float, scores, tensor_queries* score_size);
  ORTOOL_SHARED(SoftmaxPart, parts, attention_threads);
  PerWarp<Tiles, tensor_warps> tiles;
  PerThread<SoftmaxPart, attention_threads> part;
  const int64_t blocks_of_head = (params.queries + tensor_queries - 1) / tensor_queries;
  const int64_t count = params.batch * params.query_heads * blocks_of_head;
  const int size = static_cast<int>(params.size);
  const int value_size = static_cast<int>(params.value_size);
  const bool is_aligned = params.is_aligned != 0;
  for (int64_t number = block.index(); number < count; number += block.blocks()) {
    const int64_t first_query = number % blocks_of_head * tensor_queries;
    const int64_t head = number / blocks_of_head % params.query_heads;
    const int64_t batch = number / blocks_of_head / params.query_heads;
    const int64_t shared = head / (params.query_heads / params.shared_heads);
    const int rows =
        static_cast<int>(least_of<int64_t>(tensor_queries, params.queries - first_query));
    const int64_t first_row = batch * params.query_strides[0] + head * params.query_strides[1] +
                              first_query * params.query_strides[2];
    const int64_t first_key = batch * params.key_strides[0] + shared * params.key_strides[1];
    const int64_t first_value = batch * params.value_strides[0] + shared * params.value_strides[1];
    const SeenKeys of_first = seen_keys(params, batch, first_query);
    const SeenKeys of_last = seen_keys(params, batch, first_query + rows - 1);
    ORTOOL_THREADS(block, thread) {
      load_tile_rows<most_size, tensor_queries>(thread, params.query, first_row,
                                                params.query_strides[2], rows, size, is_aligned,
                                                queries);
      check_length(params, batch, thread);
      const float first = thread % 2 == 0 ? first_score(params, head) : -INFINITY;
      part[thread] = {first, first == -INFINITY ? 0.0F : 1.0F, false};
    }
    ORTOOL_WARPS(block, warp) {
      ORTOOL_UNROLL
      for (int i = 0; i < size_tiles; ++i) {
        tiles[warp].query[i].load(queries + warp * tile_width * row_size + i * tile_width,
                                  row_size);
        tiles[warp].output[i].clear();
      }
    }
    // The scores of a tile of keys, complete with masks; the keys beyond it have -INFINITY.
    const auto compute_scores = [&](int64_t begin, int tile) {
      ORTOOL_WARPS(block, warp) {
        ORTOOL_UNROLL
        for (int j = 0; j < key_tiles; ++j) {
          SumTile sum;
          sum.clear();
          ORTOOL_UNROLL
          for (int i = 0; i < size_tiles; ++i) {
            TransposedTile key;
            key.load(keys + j * tile_width * row_size + i * tile_width, row_size);
            sum.add_product(tiles[warp].query[i], key);
          }
          sum.store(scores + warp * tile_width * score_size + j * tile_width, score_size);
        }
      }
      ORTOOL_THREADS(block, thread) {
        const int row = thread / 2;
        const int64_t query = first_query + row;
        const SeenKeys seen = row < rows ? seen_keys(params, batch, query) : SeenKeys{0, 0};
        const bool has_mask = params.mask != nullptr || params.key_mask != nullptr;
        for (int column = thread % 2; column < tile_keys; column += 2) {
          const int64_t key = begin + column;
          float& score = scores[row * score_size + column];
          if (column >= tile || key < seen.begin || key >= seen.end) {
            score = -INFINITY;
            continue;
          }
          const float bias = has_mask ? attention_bias(params, batch, head, query, key) : 0.0F;
          part[thread].has_seen = part[thread].has_seen || bias != -INFINITY;
          score = attention_score(params, score, bias);
        }
      }
    };
    const auto load_rows = [&](const void* data, int64_t first, int64_t stride, int64_t begin,
                               int tile, int row_elements, uint16_t* to) {
      ORTOOL_THREADS(block, thread) {
        load_tile_rows<most_size, tile_keys>(thread, data, first + begin * stride, stride, tile,
                                             row_elements, is_aligned, to);
      }
    };
    for (int64_t begin = of_first.begin; begin < of_last.end; begin += tile_keys) {
      const int tile = static_cast<int>(least_of<int64_t>(tile_keys, of_last.end - begin));
      load_rows(params.key, first_key, params.key_strides[2], begin, tile, size, keys);
      compute_scores(begin, tile);
      ORTOOL_THREADS(block, thread) {
        SoftmaxPart& own = part[thread];
        const float* row = scores + thread / 2 * score_size;
        float most = own.most;
        for (int column = thread % 2; column < tile_keys; column += 2) {
          if (row[column] > most || row[column] != row[column]) most = row[column];
        }
        own.total *= rescale_of(own.most, most);
        own.most = most;
        for (int column = thread % 2; column < tile_keys; column += 2)
          own.total += weight_of(row[column], most);
      }
    }
    ORTOOL_THREADS(block, thread) {
      parts[thread] = part[thread];
    }
    ORTOOL_THREADS(block, thread) {
      const SoftmaxPart& other = parts[thread ^ 1];
      SoftmaxPart& own = part[thread];
      const float most = other.most > own.most || other.most != other.most ? other.most : own.most;
      own.total =
          own.total * rescale_of(own.most, most) + other.total * rescale_of(other.most, most);
      own.most = most;
      own.has_seen = own.has_seen || other.has_seen;
    }
    for (int64_t begin = of_first.begin; begin < of_last.end; begin += tile_keys) {
      const int tile = static_cast<int>(least_of<int64_t>(tile_keys, of_last.end - begin));
      load_rows(params.key, first_key, params.key_strides[2], begin, tile, size, keys);
      load_rows(params.value, first_value, params.value_strides[2], begin, tile, value_size,
                values);
      compute_scores(begin, tile);
      ORTOOL_THREADS(block, thread) {
        const int row = thread / 2;
        for (int column = thread % 2; column < tile_keys; column += 2) {
          const float weight = weight_of(scores[row * score_size + column], part[thread].most);
          queries[row * row_size + column] = half_of_float(weight);
        }
      }
      ORTOOL_WARPS(block, warp) {
        ORTOOL_UNROLL
        for (int j = 0; j < key_tiles; ++j) {
          FirstTile weights;
          weights.load(queries + warp * tile_width * row_size + j * tile_width, row_size);
          ORTOOL_UNROLL
          for (int i = 0; i < size_tiles; ++i) {
            SecondTile value;
            value.load(values + j * tile_width * row_size + i * tile_width, row_size);
            tiles[warp].output[i].add_product(weights, value);
          }
        }
      }
    }
    ORTOOL_THREADS(block, thread) {
      parts[thread] = part[thread];
    }
    ORTOOL_UNROLL
    for (int chunk = 0; chunk < size_tiles / key_tiles; ++chunk) {
      ORTOOL_WARPS(block, warp) {
        ORTOOL_UNROLL
        for (int j = 0; j < key_tiles; ++j)
          tiles[warp].output[chunk * key_tiles + j].store(
              scores + warp * tile_width * score_size + j * tile_width, score_size);
      }
      ORTOOL_THREADS(block, thread) {
        for (int i = thread; i < rows * tile_keys; i += attention_threads) {
          const int row = i / tile_keys;
          const int column = chunk * tile_keys + i % tile_keys;
          if (column >= value_size) continue;
          const SoftmaxPart& of_row = parts[2 * row];
          const bool sees_none = !of_row.has_seen || of_row.total == 0.0F;
          const int64_t to = batch * params.output_strides[0] + head * params.output_strides[1] +
                             (first_query + row) * params.output_strides[2] + column;
          store(HalfStore(), params.output, params.type, to,
                sees_none ? 0.0F : scores[row * score_size + i % tile_keys] / of_row.total);
        }
      }
    }
  }
}

}  // namespace ortool::cuda
