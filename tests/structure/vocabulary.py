# Vocabulary of names: refused words with their replacements, and general nouns that type names may end with.
#
# Only this file may contain the refused words; check_names.py skips it.

# In identifiers and file names: a word of a name, as in only_<word> or <Word>List, and the field's term for it.
BANNED = {
    "clue": "evidence",
    "clues": "evidence",
    "contest": "comparison of candidates",
    "crossing": "live-out (LLVM: a value that lives on behind a block)",
    "crossings": "live-outs",
    "crowded": "oversubscribed",
    "doubt": "rounding tie",
    "doubts": "rounding ties",
    "follower": "epilogue, or fused node",
    "followers": "epilogue, or fused nodes",
    "guilty": "culprit",
    "habits": "heuristic",
    "likeness": "diff",
    "loan": "lease",
    "lone": "unmatched",
    "lonely": "unpaired",
    "maker": "producer (of a value), builder, packer or factory",
    "makers": "producers",
    "plainly": "reference",
    "settle": "resolve, assign, converge or check",
    "settled": "resolved, assigned, converged or known",
    "settles": "resolves, assigns, converges",
    "settling": "convergence",
    "spelled": "decomposed, or explicit",
    "stretches": "ranges, intervals or regions",
    "turned": "transposed",
    "turnable": "transposable",
    "unsettled": "unconverged",
    "vendor": "contrib (operators of com.microsoft), or the vendor's name",
}

# British spellings: the beginning of a word, and the American form. In names, and in prose where PROSE is checked.
BRITISH = {
    "analyse": "analyze",
    "analysing": "analyzing",
    "artefact": "artifact",
    "barycentre": "barycenter",
    "behaviour": "behavior",
    "binaris": "binariz",
    "cancelled": "canceled",
    "cancelling": "canceling",
    "capitalis": "capitaliz",
    "catalogue": "catalog",
    "categoris": "categoriz",
    "centre": "center",
    "centring": "centering",
    "characteris": "characteriz",
    "colour": "color",
    "customis": "customiz",
    "defence": "defense",
    "dequantis": "dequantiz",
    "discretis": "discretiz",
    "emphasis(e|ing)": "emphasiz",
    "favour": "favor",
    "finalis": "finaliz",
    "generalis": "generaliz",
    "grey": "gray",
    "honour": "honor",
    "initialis": "initializ",
    "judgement": "judgment",
    "labelled": "labeled",
    "labelling": "labeling",
    "learnt": "learned",
    "licence": "license",
    "linearis": "lineariz",
    "localis": "localiz",
    "maximis": "maximiz",
    "minimis": "minimiz",
    "modelled": "modeled",
    "modelling": "modeling",
    "neighbour": "neighbor",
    "normalis": "normaliz",
    "optimis(e|ing|ation)": "optimiz",
    "organis(e|ing|ation)": "organiz",
    "parallelis(e|ing|ation)": "paralleliz",
    "parametris": "parametriz",
    "penalis": "penaliz",
    "prioritis": "prioritiz",
    "programme(s?$)": "program",
    "quantis": "quantiz",
    "realis(e|ing|ation)": "realiz",
    "recognis": "recogniz",
    "requantis": "requantiz",
    "reinitialis": "reinitializ",
    "serialis": "serializ",
    "signalled": "signaled",
    "specialis": "specializ",
    "standardis": "standardiz",
    "summaris": "summariz",
    "symbolis": "symboliz",
    "synchronis": "synchroniz",
    "tokenis": "tokeniz",
    "totalled": "totaled",
    "travelled": "traveled",
    "uninitialis": "uninitializ",
    "unlabelled": "unlabeled",
    "unnormalis": "unnormaliz",
    "unoptimis": "unoptimiz",
    "unquantis": "unquantiz",
    "utilis": "utiliz",
    "vectoris": "vectoriz",
    "visualis": "visualiz",
    "whilst": "while",
}

# Private words in comments and documents, and the established terms.
PROSE = {
    "clues": "evidence",
    "doubts": "rounding ties",
    "followers": "the nodes of the epilogue",
    "lonely": "unpaired",
    "makers": "producers",
    "spelled out": "decomposed, or explicit",
    "spells out": "decomposes, or writes in full",
    "vendor operator": "contrib operator",
    "vendor operators": "contrib operators",
}

# Patterns of phrases in what users see: messages, help, pages, schemas, transcripts and documents. The field's terms.
SHOWN = {
    r"(?<!there )(?:is|are) no (?!longer|more|less|better|worse|slower|faster|\d)": "is not a",
    r"different with": "differs from",
    r"(?:nearer|farther)(?= |$)": "zoom in, zoom out",
    r"float islands?": "float32 subgraph",
    r"how often it is right": "accuracy",
    r"levels, floats, others": "quantized weights, scales, biases",
    r"made[- ]up": "random (inputs)",
    r"nearly fit(?:s|ted)?": "near miss",
    r"pictures?": "image",
    r"same as with": "matches",
    r"scales? a (?:channel|tensor|row|block)": "per-channel, per-tensor, per-row or blockwise scales",
    r"takes? [\d.{}]+ times": "1.69x faster, or 1.20x slower",
    r"under the roofs?": "roofline",
}

# British words that files of others contain, and that are looked for there.
FOREIGN = {("libcore/inspect/preprocessing.cpp", "colour"), ("libcore/ops/contrib/vision/draw_bounding_boxes.cpp", "colour")}

# General last words of type names. The nouns of the field are in docs/contributing/glossary.md.
GENERAL_NOUNS = set("""
    accuracy algorithm alignment allocation alternative angle annotation application archive argument arithmetic array assertion assignment
    base baseline bit body bound bounds bucket buffer builder byte cache call candidate cap case cell chain change character
    check checker choice class code collector column command comparison compilation completion container content context
    conversion converter copier copy correction cost count counter data deadline declaration decoder decomposition default
    delta depth description descriptor diff distribution dump duration edge editor effort element encoder end entry environment
    error estimate evaluator event example extra factory fact feedback field figure file finder finding fingerprint flag
    float folder format formula frame function graph group guard handle hash hasher header heuristic id index info input interval
    invocation item iterator job json key kind label length letter level limit line link list load loader locale location
    log loop machine map mark match matcher matching member memory message meter method mismatch mode name note number
    object offset option order origin outcome output packer pad pair parameter parser part path pattern pixel place pointer position
    presence preparation printer process progress query range ratio reader reason record reference registry release
    replacement report request reservation resolver response result row run sampler scanner schema scope score search
    section segment selection set setting severity sha side sink size slot source space spec state statistic statistics
    status step stopwatch store strategy string style suggestion sum summary support symbol table target task term text
    thread time timing token tolerance tool total tree trie type uint unit update use user value verbosity version view
    visitor walk watch width word work worker writer zero
""".split())
