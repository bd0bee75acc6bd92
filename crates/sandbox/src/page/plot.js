// Draws one field of a series as a line, or four fields as candles, into an SVG of the page.

const NAMESPACE = "http://www.w3.org/2000/svg";
const CANDLE = ["open", "high", "low", "close"];
const HEIGHT = 260;
const MARGIN = { top: 12, right: 12, bottom: 26, left: 64 };

export class Plot {
  #figure;
  #records = [];
  #time;
  #milliseconds;

  /** The figure contains the selection of a field, the chart, a slider that selects a point, and the point's value. */
  constructor(figure) {
    this.#figure = figure;
    this.#part("#field").addEventListener("change", () => this.#draw());
    this.#part("#point").addEventListener("input", () => this.#mark());
    this.#part("#chart").addEventListener("pointermove", (event) => this.#point(event));
    new ResizeObserver(() => this.#draw()).observe(this.#part("#chart"));
  }

  /** Shows records in the order of their time. Hides the figure if no field is a number. */
  show(records, time, milliseconds) {
    this.#records = time ? records.toSorted((left, right) => left[time] - right[time]) : records;
    [this.#time, this.#milliseconds] = [time, milliseconds];
    const names = [...new Set(records.flatMap((record) => Object.keys(record ?? {})))];
    const fields = names.filter((name) => name !== time && records.some((record) => isNumber(record?.[name])));
    const candles = CANDLE.every((name) => fields.includes(name)) ? ["candles"] : [];
    const options = [...candles, ...fields].map((name) => new Option(name, name));
    this.#part("#field").replaceChildren(...options);
    this.#part("#point").max = Math.max(records.length - 1, 0);
    this.#part("#point").value = records.length - 1;
    this.#figure.hidden = fields.length === 0;
    this.#draw();
  }

  #part(selector) {
    return this.#figure.querySelector(selector);
  }

  get #fields() {
    const field = this.#part("#field").value;
    return field === "candles" ? CANDLE : [field];
  }

  #draw() {
    const chart = this.#part("#chart");
    const width = chart.clientWidth;
    if (this.#figure.hidden || width === 0) return;
    this.#scale(width);
    chart.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    chart.setAttribute("aria-label", `${this.#part("#field").value}, ${this.#records.length} points`);
    const shape = this.#fields.length === 1 ? [this.#line()] : this.#records.map((record, at) => this.#candle(record, at));
    const marker = element("g", { class: "marker" });
    chart.replaceChildren(...this.#values(), ...this.#times(width), ...shape.filter(Boolean), marker);
    this.#mark();
  }

  /** Computes the scales, which convert a value and the index of a record to pixels. */
  #scale(width) {
    const values = this.#records.flatMap((record) => this.#fields.map((field) => record?.[field])).filter(isNumber);
    let [low, high] = [Math.min(...values), Math.max(...values)];
    if (low === high) [low, high] = [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
    const [across, up] = [width - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom];
    // A candle needs room on both sides; a line goes from edge to edge.
    const candles = this.#fields.length > 1;
    const count = this.#records.length;
    this.step = candles ? across / count : across / Math.max(count - 1, 1);
    this.x = (at) => MARGIN.left + (at + (candles ? 0.5 : 0)) * this.step;
    this.y = (value) => MARGIN.top + ((high - value) / (high - low)) * up;
    [this.low, this.high] = [low, high];
  }

  #line() {
    let pen = "M";
    const points = this.#records.map((record, at) => {
      const value = record?.[this.#fields[0]];
      const point = isNumber(value) ? `${pen}${this.x(at).toFixed(1)} ${this.y(value).toFixed(1)}` : "";
      pen = isNumber(value) ? "L" : "M";
      return point;
    });
    return element("path", { class: "line", d: points.join("") });
  }

  #candle(record, at) {
    const [open, high, low, close] = CANDLE.map((field) => record?.[field]);
    if (![open, high, low, close].every(isNumber)) return null;
    const [x, body] = [this.x(at), Math.max(this.step * 0.7, 1)];
    const [top, height] = [this.y(Math.max(open, close)), Math.abs(this.y(open) - this.y(close))];
    const candle = element("g", { class: close < open ? "candle down" : "candle up" });
    candle.append(
      element("line", { x1: x, x2: x, y1: this.y(high), y2: this.y(low) }),
      element("rect", { x: x - body / 2, y: top, width: body, height: Math.max(height, 1) }),
    );
    return candle;
  }

  /** Returns horizontal lines at round values, with labels. */
  #values() {
    const step = round((this.high - this.low) / 4);
    const first = Math.ceil(this.low / step);
    const count = Math.floor(this.high / step) - first + 1;
    return Array.from({ length: count }, (_, index) => (first + index) * step).flatMap((value) => {
      const y = this.y(value);
      const line = element("line", { class: value === 0 ? "zero" : "grid", x1: MARGIN.left, x2: this.x(this.#records.length - 1), y1: y, y2: y });
      return [line, text(short(value, step), { x: MARGIN.left - 8, y: y + 4, "text-anchor": "end" })];
    });
  }

  /** Returns labels with times, for some records, along the bottom. */
  #times(width) {
    if (!this.#time) return [];
    const last = this.#records.length - 1;
    const labels = Math.max(Math.min(Math.floor(width / 120), last), 1);
    const span = (this.#records[last]?.[this.#time] - this.#records[0]?.[this.#time]) * this.#milliseconds;
    const part = span > 4e10 ? [0, 7] : span > 2e8 ? [5, 10] : span > 8e7 ? [5, 16] : [11, 16];
    const positions = new Set(Array.from({ length: labels + 1 }, (_, index) => Math.round((index * last) / labels)));
    return [...positions].map((at) => {
      const anchor = at === 0 ? "start" : at === last ? "end" : "middle";
      return text(this.#timeText(at).slice(...part), { x: this.x(at), y: HEIGHT - 6, "text-anchor": anchor });
    });
  }

  #timeText(at) {
    const date = new Date(this.#records[at]?.[this.#time] * this.#milliseconds);
    return Number.isNaN(date.getTime()) ? "?" : date.toISOString().slice(0, 16).replace("T", " ");
  }

  /** Marks the point that the slider selects, and shows its value. */
  #mark() {
    const slider = this.#part("#point");
    const record = this.#records[slider.value];
    const parts = this.#fields.map((field) => (this.#fields.length > 1 ? `${field} ` : "") + (record?.[field] ?? "nothing"));
    const label = `${this.#time ? `${this.#timeText(slider.value)} UTC` : `no. ${Number(slider.value) + 1}`}: ${parts.join(", ")}`;
    this.#part("#value").textContent = label;
    slider.setAttribute("aria-valuetext", label);
    const value = record?.[this.#fields.at(-1)];
    const marker = this.#part(".marker");
    if (!marker || !isNumber(value)) return marker?.replaceChildren();
    const [x, y] = [this.x(Number(slider.value)), this.y(value)];
    marker.replaceChildren(
      element("line", { x1: x, x2: x, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }),
      element("circle", { cx: x, cy: y, r: 4 }),
    );
  }

  #point(event) {
    const at = Math.round((event.offsetX - this.x(0)) / this.step);
    this.#part("#point").value = at;
    this.#mark();
  }
}

function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function round(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 5, 10].map((times) => times * power).find((candidate) => candidate >= step);
}

/** Formats a value with the digits that distinguish steps, and with k for thousands, M for millions, G for billions. */
function short(value, step) {
  const [unit, letter] = [[1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([unit]) => step >= unit / 10 && Math.abs(value) >= unit) ?? [1, ""];
  const digits = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
  return digits > 6 ? value.toExponential(1) : (value / unit).toFixed(digits) + letter;
}

function element(name, attributes) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function text(content, attributes) {
  const made = element("text", attributes);
  made.textContent = content;
  return made;
}
