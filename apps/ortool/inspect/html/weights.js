// Weights in the panel: range, histogram and first values of a stored tensor, made when they are opened.

function roundedText(number) {
  return typeof number === 'number' ? String(Number(number.toPrecision(4))) : String(number);
}

function rangeText({ min, max, mean, std, nan, inf }) {
  const parts = [`min ${roundedText(min)}`, `max ${roundedText(max)}`, `mean ${roundedText(mean)}`, `std ${roundedText(std)}`];
  if (nan) parts.push(`${nan.toLocaleString('en')} NaN`);
  if (inf) parts.push(`${inf.toLocaleString('en')} infinite`);
  return parts.join(', ');
}

// Bars as high as the counts, the tallest as high as the box; the ranges are in their tooltips.
function histogramOf({ histogram, min, max, low = min, high = max, sampled }, count) {
  const most = Math.max(...histogram);
  const step = (high - low) / histogram.length;
  const bars = histogram.map((number, place) => {
    const bar = element('i', { title: `${roundedText(low + place * step)} to ${roundedText(low + (place + 1) * step)}: ${number.toLocaleString('en')}` });
    bar.style.height = number === 0 ? '0' : `${Math.max(2, 100 * number / most)}%`;
    return bar;
  });
  return [element('div', { class: 'histogram', role: 'img', 'aria-label': `Histogram from ${roundedText(low)} to ${roundedText(high)}` }, ...bars),
    element('div', { class: 'range soft' }, element('span', {}, roundedText(low)), element('span', {}, roundedText(high))),
    sampled ? element('div', { class: 'soft' }, `counted in ${sampled.toLocaleString('en')} of ${count.toLocaleString('en')} elements`) : null];
}

function firstValues({ first }, count) {
  const more = count === null || count > first.length ? ', …' : '';
  const title = more ? `First ${first.length} of ${count === null ? '?' : count.toLocaleString('en')} values` : 'Values';
  return [element('div', { class: 'soft' }, title), element('div', { class: 'type' }, first.join(', ') + more)];
}

// Lines about a stored value; none if the page was written without weights.
function weightLines(value) {
  const { statistics } = value;
  if (!statistics) return [];
  const count = elementCount(value.shape);
  const lines = statistics.min === undefined ? [] : [element('div', { class: 'soft' }, rangeText(statistics))];
  const { first, histogram } = statistics;
  if (first && count !== null && count <= 4) return [...lines, element('div', { class: 'type' }, 'value ' + first.join(', '))];
  if (!first && !histogram) return lines;
  const details = element('details', {}, element('summary', {}, histogram ? 'Histogram and values' : 'Values'));
  details.addEventListener('toggle', () => {
    if (details.children.length > 1) return;
    details.append(...[...histogram ? histogramOf(statistics, count) : [], ...first ? firstValues(statistics, count) : []].filter((one) => one));
  });
  return [...lines, details];
}
