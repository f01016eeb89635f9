// Classical machine-learning operators (ai.onnx.ml), one line each, sorted by domain, then name.
#include "libcore/ops/ml/array_feature_extractor.hpp"
#include "libcore/ops/ml/binarizer.hpp"
#include "libcore/ops/ml/cast_map.hpp"
#include "libcore/ops/ml/category_mapper.hpp"
#include "libcore/ops/ml/dict_vectorizer.hpp"
#include "libcore/ops/ml/feature_vectorizer.hpp"
#include "libcore/ops/ml/imputer.hpp"
#include "libcore/ops/ml/label_encoder.hpp"
#include "libcore/ops/ml/linear_model.hpp"
#include "libcore/ops/ml/normalizer.hpp"
#include "libcore/ops/ml/one_hot_encoder.hpp"
#include "libcore/ops/ml/scaler.hpp"
#include "libcore/ops/ml/support_vectors.hpp"
#include "libcore/ops/ml/trees/tree_ensemble.hpp"
#include "libcore/ops/ml/zip_map.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry ml_entries[] = {
    op_entry<ArrayFeatureExtractor>(),
    op_entry<Binarizer>(),
    op_entry<CastMap>(),
    op_entry<CategoryMapper>(),
    op_entry<DictVectorizer>(),
    op_entry<FeatureVectorizer>(),
    op_entry<Imputer>(),
    op_entry<LabelEncoder>(),
    op_entry<LinearClassifier>(),
    op_entry<LinearRegressor>(),
    op_entry<Normalizer>(),
    op_entry<OneHotEncoder>(),
    op_entry<SVMClassifier>(),
    op_entry<SVMRegressor>(),
    op_entry<Scaler>(),
    op_entry<TreeEnsemble>(),
    op_entry<TreeEnsembleClassifier>(),
    op_entry<TreeEnsembleRegressor>(),
    op_entry<ZipMap>(),
};

}  // namespace

std::span<const OpEntry> ml_operators() {
  return ml_entries;
}

}  // namespace ortool
