# scikit-learn pipelines from skl2onnx and boosted trees from onnxmltools: many functions, If and ai.onnx.ml operators.
import warnings

import lightgbm
import numpy
import onnxmltools
import skl2onnx
import sklearn.compose
import sklearn.decomposition
import sklearn.discriminant_analysis
import sklearn.ensemble
import sklearn.feature_extraction.text
import sklearn.gaussian_process
import sklearn.impute
import sklearn.linear_model
import sklearn.multiclass
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.neural_network
import sklearn.pipeline
import sklearn.preprocessing
import sklearn.svm
import sklearn.tree
import xgboost
from onnxmltools.convert.common import data_types as boosted_types
from skl2onnx.common import data_types
from zoo import entry

_FEATURES = 6


def samples(count=120):
    """Features, and classes and numbers computed from them."""
    features = numpy.random.normal(size=(count, _FEATURES)).astype(numpy.float32)
    scores = features @ numpy.random.normal(size=(_FEATURES, 3))
    return features, scores.argmax(1), scores[:, 0] + 0.1 * numpy.random.normal(size=count)


def holes(features):
    made = features.copy()
    made[numpy.random.random(made.shape) < 0.15] = numpy.nan
    return made


def save(model, path):
    with open(path, "wb") as file:
        file.write(model.SerializeToString())


def add_fitted(name, make, target="classes", gaps=False, positive=False, **options):
    @entry(f"sklearn-{name}")
    def _(path):
        features, classes, numbers = samples()
        features = numpy.abs(features) if positive else holes(features) if gaps else features
        estimator = make()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            estimator.fit(features, numbers if target == "numbers" else classes)
            chosen = {id(estimator): {"zipmap": False}} if hasattr(estimator, "predict_proba") else None
            model = skl2onnx.to_onnx(estimator, features[:1], options=chosen, target_opset={"": 18, "ai.onnx.ml": 3}, **options)
        save(model, path)
        return [{"X": features[:7]}, {"X": features[7:8]}]


_s = sklearn
_trees = {"n_estimators": 6, "max_depth": 4, "random_state": 0}
add_fitted("knn-imputer", lambda: _s.impute.KNNImputer(n_neighbors=3), gaps=True)
add_fitted("knn-imputer-distance", lambda: _s.pipeline.make_pipeline(
    _s.impute.KNNImputer(n_neighbors=2), _s.preprocessing.StandardScaler(), _s.linear_model.LogisticRegression()), gaps=True)
add_fitted("simple-imputer", lambda: _s.pipeline.make_pipeline(
    _s.impute.SimpleImputer(strategy="median"), _s.preprocessing.RobustScaler(), _s.svm.SVC(probability=True, random_state=0)),
    gaps=True)
add_fitted("random-forest", lambda: _s.ensemble.RandomForestClassifier(**_trees))
add_fitted("random-forest-numbers", lambda: _s.ensemble.RandomForestRegressor(**_trees), "numbers")
add_fitted("gradient-boosting", lambda: _s.ensemble.GradientBoostingClassifier(**_trees))
add_fitted("isolation-forest", lambda: _s.ensemble.IsolationForest(n_estimators=6, random_state=0), "numbers")
add_fitted("ada-boost", lambda: _s.ensemble.AdaBoostClassifier(n_estimators=4, random_state=0))
add_fitted("bagging", lambda: _s.ensemble.BaggingClassifier(n_estimators=3, random_state=0))
add_fitted("stacking", lambda: _s.ensemble.StackingRegressor(
    [("tree", _s.tree.DecisionTreeRegressor(max_depth=3)), ("line", _s.linear_model.Ridge())]), "numbers")
add_fitted("voting", lambda: _s.ensemble.VotingClassifier(
    [("tree", _s.tree.DecisionTreeClassifier(max_depth=3)), ("bayes", _s.naive_bayes.GaussianNB())], voting="soft", flatten_transform=False))
add_fitted("gaussian-process", lambda: _s.gaussian_process.GaussianProcessRegressor(), "numbers")
add_fitted("neighbors", lambda: _s.neighbors.KNeighborsClassifier(3))
add_fitted("perceptron", lambda: _s.neural_network.MLPClassifier((16, 8), max_iter=60, random_state=0))
add_fitted("one-against-rest", lambda: _s.multiclass.OneVsRestClassifier(_s.linear_model.LogisticRegression()))
add_fitted("quadratic-discriminant", lambda: _s.discriminant_analysis.QuadraticDiscriminantAnalysis())
add_fitted("multinomial-bayes", lambda: _s.naive_bayes.MultinomialNB(), positive=True)
add_fitted("nu-support-vectors", lambda: _s.svm.NuSVR(), "numbers")
add_fitted("pca-and-polynomials", lambda: _s.pipeline.make_pipeline(
    _s.preprocessing.PolynomialFeatures(2), _s.preprocessing.MinMaxScaler(), _s.decomposition.PCA(5),
    _s.linear_model.Lasso(0.01)), "numbers")
add_fitted("bins-and-quantiles", lambda: _s.pipeline.make_pipeline(
    _s.compose.make_column_transformer((_s.preprocessing.KBinsDiscretizer(4, encode="onehot-dense", subsample=None), [0, 1]),
                                       (_s.preprocessing.PowerTransformer(), [2, 3]), remainder="passthrough"),
    _s.tree.DecisionTreeClassifier(max_depth=4)))


@entry("sklearn-texts-and-columns")
def _(path):
    kinds = numpy.array(["red", "green", "blue"])[numpy.random.randint(0, 3, 60)].reshape(-1, 1)
    numbers = numpy.random.normal(size=(60, 2)).astype(numpy.float32)
    table = {"kind": kinds, "numbers": numbers}
    classes = (numbers[:, 0] > 0).astype(int) + (kinds[:, 0] == "red")
    columns = sklearn.compose.ColumnTransformer([
        ("kinds", sklearn.preprocessing.OneHotEncoder(handle_unknown="ignore"), [0]),
        ("numbers", sklearn.preprocessing.StandardScaler(), [1, 2])])
    joined = numpy.concatenate([table["kind"].astype(object), table["numbers"].astype(object)], 1)
    model = sklearn.pipeline.make_pipeline(columns, sklearn.linear_model.LogisticRegression()).fit(joined, classes)
    types = [("kind", data_types.StringTensorType([None, 1])), ("numbers", data_types.FloatTensorType([None, 2]))]
    save(skl2onnx.convert_sklearn(model, initial_types=types, target_opset={"": 15, "ai.onnx.ml": 3}), path)
    return [{"kind": kinds[:4].astype(object), "numbers": numbers[:4]}]


@entry("sklearn-words")
def _(path):
    texts = numpy.array([["one fish two fish"], ["red fish, blue fish"], ["one for two"], ["blue sea"]] * 5, object)
    model = sklearn.pipeline.make_pipeline(sklearn.feature_extraction.text.TfidfVectorizer(lowercase=False, ngram_range=(1, 2)),
                                           sklearn.linear_model.SGDClassifier(loss="log_loss", random_state=0))
    model.fit(texts[:, 0], [0, 1, 0, 1] * 5)
    save(skl2onnx.convert_sklearn(model, initial_types=[("texts", data_types.StringTensorType([None]))],
                                  options={id(model): {"zipmap": False}}, target_opset={"": 15, "ai.onnx.ml": 3}), path)
    return [{"texts": texts[:3, 0]}]


@entry("lightgbm-classes")
def _(path):
    features, classes, _ = samples()
    fitted = lightgbm.LGBMClassifier(n_estimators=5, num_leaves=7, verbose=-1, random_state=0).fit(features, classes)
    types = [("X", boosted_types.FloatTensorType([None, _FEATURES]))]
    save(onnxmltools.convert_lightgbm(fitted, initial_types=types, zipmap=False, target_opset=15), path)
    return [{"X": features[:7]}]


@entry("xgboost-numbers")
def _(path):
    features, _, numbers = samples()
    fitted = xgboost.XGBRegressor(n_estimators=5, max_depth=3).fit(features, numbers)
    types = [("X", boosted_types.FloatTensorType([None, _FEATURES]))]
    save(onnxmltools.convert_xgboost(fitted, initial_types=types, target_opset=15), path)
    return [{"X": features[:7]}]
