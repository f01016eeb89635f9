# Pipelines of scikit-learn over texts as skl2onnx writes them: tokenizers, n-grams, normalized strings, hashed words.
import numpy
import onnx
import skl2onnx
import sklearn.feature_extraction.text as texts_of
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.pipeline
from skl2onnx.common import data_types
from sklearn_models import save
from zoo import entry, reference_of

_TEXTS = numpy.array(["one fish two fish", "red fish, blue fish", "one for two", "blue sea", "The old man and THE sea", "it's a don't-know",
                      "naïve café Ünïcode", "", "  spaces   between  ", "numbers 12 and 345"] * 3, object)
_CLASSES = [0, 1, 0, 1, 1, 0, 0, 1, 1, 0] * 3
_ROWS = _TEXTS[:10]
_DIALECTS = {"": 15, "ai.onnx.ml": 3}


def add_texts(name, make, options=None, rows=_ROWS):
    @entry(f"texts-{name}")
    def _(path):
        model = make()
        model.fit(_TEXTS, _CLASSES)
        chosen = {id(model): {"zipmap": False}} if hasattr(model, "predict_proba") else {}
        if options is not None:
            chosen[texts_of.TfidfVectorizer] = chosen[texts_of.CountVectorizer] = options
        made = skl2onnx.convert_sklearn(model, initial_types=[("texts", data_types.StringTensorType([None]))], options=chosen,
                                        target_opset=_DIALECTS)
        save(made, path)
        save(with_common_locale(made), reference_of(path))
        return [{"texts": rows}, {"texts": rows[1:2]}]


def with_common_locale(model):
    """onnxruntime takes en_US.UTF-8 where none is given, which not every machine has."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    for node in made.graph.node:
        if node.op_type == "StringNormalizer":
            kept = [attribute for attribute in node.attribute if attribute.name != "locale"]
            del node.attribute[:]
            node.attribute.extend(kept + [onnx.helper.make_attribute("locale", "C.UTF-8")])
    return made


def classified(vectorizer):
    return sklearn.pipeline.make_pipeline(vectorizer, sklearn.linear_model.LogisticRegression())


add_texts("counts", lambda: classified(texts_of.CountVectorizer()))
add_texts("counts-case", lambda: classified(texts_of.CountVectorizer(lowercase=False)))
add_texts("counts-stop-words", lambda: classified(texts_of.CountVectorizer(stop_words=["the", "and", "it"])))
add_texts("counts-binary", lambda: classified(texts_of.CountVectorizer(binary=True, ngram_range=(1, 3))))
add_texts("counts-characters", lambda: classified(texts_of.CountVectorizer(analyzer="char", ngram_range=(1, 3))))
add_texts("tfidf", lambda: classified(texts_of.TfidfVectorizer()))
add_texts("tfidf-pairs", lambda: classified(texts_of.TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)))
add_texts("tfidf-unnormalized", lambda: classified(texts_of.TfidfVectorizer(norm=None, use_idf=False)))
add_texts("tfidf-l1", lambda: classified(texts_of.TfidfVectorizer(norm="l1", min_df=2)))
add_texts("tfidf-pattern", lambda: classified(texts_of.TfidfVectorizer(token_pattern="[a-zA-Z]+")))
add_texts("tfidf-separators", lambda: classified(texts_of.TfidfVectorizer()), {"separators": [" ", ",", "'", "-"]})
add_texts("tfidf-characters", lambda: classified(texts_of.TfidfVectorizer(analyzer="char", ngram_range=(2, 3))))
add_texts("bayes", lambda: sklearn.pipeline.make_pipeline(texts_of.CountVectorizer(max_features=12), sklearn.naive_bayes.MultinomialNB()))
add_texts("tfidf-transformer", lambda: sklearn.pipeline.make_pipeline(
    texts_of.CountVectorizer(), texts_of.TfidfTransformer(), sklearn.linear_model.SGDClassifier(loss="log_loss", random_state=0)))
