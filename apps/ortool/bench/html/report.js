// The report: tables and plots from the document of `ortool bench --json`.

const data = JSON.parse(document.getElementById('data').textContent);
const measured = data.results.filter((result) => result.status === 'ok');
const main = document.getElementById('main');
const colors = new Map(data.results.map((result, index) => [result.variant, colorOf(index)]));

function section(title, purpose, ...content) {
  return element('section', {}, element('h2', {}, title), purpose ? element('p', {}, purpose) : null, ...content);
}

function table(heads, rows, textColumns = []) {
  const cell = (kind, content, column) => element(kind, textColumns.includes(column) ? { class: 'text' } : {}, content);
  return element('div', { class: 'scroll' }, element('table', {},
    element('tr', {}, ...heads.map((head, column) => cell('th', head, column))),
    ...rows.map((row) => element('tr', {}, ...row.map((content, column) => cell('td', content, column))))));
}

function named(variant) {
  return element('span', {}, element('i', { class: 'key ' + colors.get(variant) }), variant);
}

function percentiles() {
  const keys = new Set();
  for (const result of measured) {
    for (const key of Object.keys(result.latency_ms)) if (/^p[0-9_]+$/.test(key) && result.latency_ms[key] !== null) keys.add(key);
  }
  return [...keys].sort((a, b) => parseFloat(a.slice(1).replace('_', '.')) - parseFloat(b.slice(1).replace('_', '.')));
}

function spread(interval) {
  return interval ? ` (${timeText(interval[0])} – ${timeText(interval[1])})` : '';
}

function steadyTable() {
  const keys = percentiles();
  const shown = (latency, key) => latency[key] == null ? '–' : timeText(latency[key]) + (key === 'p50' ? spread(latency.p50_ci) : '');
  return table(['variant', ...keys, 'mean', 'runs/s', 'runs', 'converged'], measured.map((result) => [named(result.variant),
    ...keys.map((key) => shown(result.latency_ms, key)), timeText(result.latency_ms.mean), digits(result.throughput_per_s),
    String(result.latency_ms.count), result.converged ? 'yes' : 'no']));
}

// Percentiles that too few runs leave out.
function missingPercentiles() {
  const needed = {};
  for (const { latency_ms: latency } of measured) {
    for (const key of Object.keys(latency.needed_count || {})) if (latency[key] === null) needed[key] = Math.max(needed[key] || 0, latency.needed_count[key]);
  }
  const list = Object.entries(needed).map(([key, runs]) => `${key} ${runs} runs`).join(', ');
  return list ? element('p', {}, 'Too few runs for some percentiles, which need more (--iterations, --duration): ' + list) : null;
}

// A ratio of times as a speed: 1.69x faster.
function speedText(ratio, interval) {
  const isFaster = ratio < 1;
  const number = (value) => value.toFixed((isFaster ? 1 / ratio : ratio) < 1.1 ? 3 : 2) + '×';
  const ends = interval && interval.map((value) => isFaster ? 1 / value : value).sort((a, b) => a - b);
  return number(isFaster ? 1 / ratio : ratio) + (isFaster ? ' faster' : ' slower') + (ends ? ` (${ends.map(number).join(' – ')})` : '');
}

function beforeTable() {
  return table(['variant', 'load', 'compile', 'first run', 'new shape', 'warm-up runs', 'peak memory', 'weights', 'values'],
    measured.map((result) => [named(result.variant), timeText(result.load_ms), timeText(result.compile_ms), timeText(result.first_run_ms),
      timeText(result.new_shape_ms), String(result.warmup_runs), bytesText(result.peak_rss_bytes), bytesText(result.weight_bytes),
      bytesText(result.arena_bytes)]));
}

function clockText(clock, highest) {
  return clock ? clock + (highest ? ' of ' + highest : '') + ' MHz' : '';
}

function clockCells(clocks) {
  const reasons = clocks.throttled_by;
  return [clockText(clocks.clock_mhz, clocks.max_clock_mhz), clockText(clocks.memory_clock_mhz, clocks.max_memory_clock_mhz),
    clocks.temperature_c == null ? '' : clocks.temperature_c + ' °C', reasons ? reasons.join(', ') || 'nothing' : ''];
}

// What runs take on devices; null where none computes.
function deviceTable() {
  const told = measured.filter((result) => result.device);
  const hasClocks = told.some(({ device }) => device.clocks);
  const rows = told.map(({ variant, device }) => [named(variant), timeText(device.copy_in_ms), timeText(device.compute_ms),
    timeText(device.copy_out_ms), bytesText(device.memory_bytes), ...hasClocks ? clockCells(device.clocks ?? {}) : []]);
  const heads = ['on the device', 'copy in', 'compute', 'copy out', 'device memory',
    ...hasClocks ? ['clock', 'memory clock', 'temperature', 'throttled by'] : []];
  return rows.length ? table(heads, rows) : null;
}

function extent(values, pad) {
  const low = Math.min(...values), high = Math.max(...values);
  const room = (high - low || high || 1) * pad;
  return [Math.max(0, low - room), high + room];
}

// Medians of the blocks in measurement order.
function overTime() {
  const all = measured.flatMap((result) => result.block_medians_ms);
  const sorted = [...all].sort((a, b) => a - b);
  const plot = new Plot({ label: 'Block medians over time' });
  // One slow block must not flatten the others.
  plot.rangeY = [Math.max(0, sorted[0] * 0.95), Math.max(sorted[Math.floor(sorted.length * 0.98)], sorted[0]) * 1.08];
  plot.rangeX = [0, Math.max(2, ...measured.map((result) => result.block_medians_ms.length)) - 1];
  plot.axes((value) => Number.isInteger(value) ? String(value) : '', timeText, 'round');
  for (const result of measured) {
    const medians = result.block_medians_ms.map((value, index) => [index, Math.min(value, plot.rangeY[1])]);
    plot.line(medians, colors.get(result.variant));
  }
  return plot.svg;
}

function sharesBelow() {
  const plot = new Plot({ label: 'Cumulative distribution of run times', logX: true });
  const series = measured.map((result) => result.quantiles_ms);
  const all = series.flat().filter((value) => value > 0);
  plot.rangeX = [Math.min(...all) * 0.97, Math.max(...all) * 1.03];
  plot.rangeY = [0, 1];
  plot.axes(timeText, (value) => Math.round(value * 100) + ' %', 'time of a run', 'fraction of runs');
  measured.forEach((result, index) => plot.line(series[index].map((value, at) => [value, at / (series[index].length - 1)]), colors.get(result.variant)));
  return plot.svg;
}

function rows(count) { return 30 + 26 * count; }

function medianBars() {
  const height = rows(measured.length) + 40;
  const plot = new Plot({ label: 'Medians with intervals', width: 1120, height, left: 330, top: 6 });
  const ends = measured.flatMap((result) => result.latency_ms.p50_ci || []).concat(measured.map((result) => result.latency_ms.p50 || 0));
  plot.rangeX = [0, Math.max(...ends) * 1.04 || 1];
  plot.rangeY = [measured.length, 0];
  plot.axes(timeText, () => '', 'median of a run, with its 95 % interval');
  measured.forEach((result, index) => {
    const middle = plot.top + (index + 0.5) * (height - plot.top - plot.bottom) / measured.length;
    const { p50, p50_ci: interval } = result.latency_ms;
    plot.add('text', { class: 'ink', x: plot.left - 10, y: middle + 4, 'text-anchor': 'end' }, shorten(result.variant, 50));
    if (p50 === null) return;
    plot.add('rect', { class: 'dot ' + colors.get(result.variant), x: plot.left, y: middle - 8, width: plot.x(p50) - plot.left, height: 16, rx: 3, opacity: 0.75 });
    if (interval) plot.add('path', { class: 'guide', d: `M${plot.x(interval[0])} ${middle - 5}v10m0 -5H${plot.x(interval[1])}m0 -5v10` });
  });
  return plot.svg;
}

function shorten(text, most) {
  return text.length <= most ? text : '…' + text.slice(text.length - most + 1);
}

function comparisonPlot() {
  const list = data.comparison.filter((entry) => entry.ratio_ci);
  const height = rows(list.length) + 40;
  const plot = new Plot({ label: 'Ratios with intervals', width: 1120, height, left: 330, top: 6 });
  const ends = list.flatMap((entry) => [...entry.ratio_ci, 1 - entry.noise_floor, 1 + entry.noise_floor]);
  plot.rangeX = extent(ends, 0.08);
  plot.rangeY = [list.length, 0];
  plot.axes((value) => value.toFixed(2) + '×', () => '', 'time of the variant divided by the time of the reference, 99 % interval; left of 1× is faster');
  plot.add('line', { class: 'guide', x1: plot.x(1), x2: plot.x(1), y1: plot.top, y2: height - plot.bottom });
  list.forEach((entry, index) => {
    const middle = plot.top + (index + 0.5) * (height - plot.top - plot.bottom) / list.length;
    const color = colors.get(entry.a);
    plot.add('rect', { class: 'area', x: plot.x(1 - entry.noise_floor), width: Math.max(1, plot.x(1 + entry.noise_floor) - plot.x(1 - entry.noise_floor)), y: middle - 10, height: 20 });
    plot.add('path', { class: 'stroke ' + color, 'stroke-width': 3, d: `M${plot.x(entry.ratio_ci[0])} ${middle}H${plot.x(entry.ratio_ci[1])}` });
    plot.add('circle', { class: 'dot ' + color, cx: plot.x(entry.ratio), cy: middle, r: 5 });
    plot.add('text', { class: 'ink', x: plot.left - 10, y: middle + 4, 'text-anchor': 'end' }, shorten(entry.a, 50));
  });
  return plot.svg;
}

function gateTable() {
  const style = { pass: 'good', new: 'good', regressed: 'bad' };
  return table(['variant', 'verdict', 'metric', 'against', 'found (99 % interval)', 'threshold'], data.gate.map((entry) => [named(entry.variant),
    element('span', { class: 'verdict ' + (style[entry.verdict] || 'open') }, entry.verdict), entry.metric, entry.against,
    entry.ratio === null ? '–' : /^p[0-9_]+$/.test(entry.metric) && entry.against !== '--max-latency' ? speedText(entry.ratio, entry.ratio_ci) : digits(entry.ratio) + (entry.ratio_ci ? ` (${digits(entry.ratio_ci[0])} – ${digits(entry.ratio_ci[1])})` : ''),
    (100 * entry.threshold).toFixed(1) + ' %']), [1, 2, 3]);
}
