// Formulas over dimensions, evaluated with 1 for every name, to compare costs that are unknown.

const mostDepth = 60;

// A number, or null for syntax errors. Sums, products, quotients, powers, and functions of a list.
function valueAtOne(text) {
  const tokens = String(text).match(/'(?:[^'\\]|\\.)*'|\d+(?:\.\d+)?(?:e[+-]?\d+)?|[^\s\d'()*+\-/^,][^\s'()*+\-/^,]*|[()*+\-/^,]/g) || [];
  let at = 0;
  const sum = (depth) => {
    let total = product(depth);
    while (tokens[at] === '+' || tokens[at] === '-') total = tokens[at++] === '+' ? total + product(depth) : total - product(depth);
    return total;
  };
  const product = (depth) => {
    let total = power(depth);
    while (tokens[at] === '*' || tokens[at] === '/') total = tokens[at++] === '*' ? total * power(depth) : total / power(depth);
    return total;
  };
  const power = (depth) => {
    const base = atom(depth);
    if (tokens[at] !== '^') return base;
    ++at;
    return base ** atom(depth);
  };
  const atom = (depth) => {
    if (depth > mostDepth || at >= tokens.length) return NaN;
    const token = tokens[at++];
    if (token === '-') return -atom(depth + 1);
    if (token === '(') {
      const inside = sum(depth + 1);
      return tokens[at++] === ')' ? inside : NaN;
    }
    if (/^\d/.test(token)) return Number(token);
    if (/^[*+/^,)]/.test(token)) return NaN;
    if (tokens[at] !== '(' || token[0] === "'") return 1;
    const list = [];
    do {
      ++at;
      list.push(sum(depth + 1));
    } while (tokens[at] === ',');
    if (tokens[at++] !== ')') return NaN;
    const known = { min: Math.min, max: Math.max, ceil: Math.ceil, floor: Math.floor, broadcast: Math.max, abs: Math.abs };
    return Object.hasOwn(known, token) ? known[token](...list) : 1;
  };
  const result = sum(0);
  return at === tokens.length && Number.isFinite(result) ? result : null;
}

// Bytes of a value with every unknown dimension assumed to be 1; null without a shape.
function bytesAtOne(value) {
  if (!Array.isArray(value.shape)) return null;
  const known = value.shape.map((dimension) => typeof dimension === 'number' ? dimension : dimension === null ? 1 : valueAtOne(dimension) ?? 1);
  return byteCount({ dtype: value.dtype, shape: known });
}
