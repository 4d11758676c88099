"use strict";
// Draws one set of curves into an SVG and answers where a pixel lies among the values.

const MARGIN = { top: 10, right: 14, bottom: 44, left: 62 };

class Chart {
  constructor(place, data) {
    this.place = place;
    this.data = data;
    this.against = Object.keys(data.series[0].x)[0];
    this.log = { x: data.log_x, y: data.log_y };
    this.shown = data.series.map((s) => !s.hidden);
    this.zoom = { x: null, y: null };
    this.clip = place.closest("figure").id + "-clip";
  }

  points(series) {
    const x = series.x[this.against], y = series.y, found = [];
    for (let i = 0; i < y.length; i++) {
      const fine = x[i] !== null && y[i] !== null;
      if (fine && (!this.log.x || x[i] > 0) && (!this.log.y || y[i] > 0)) found.push([x[i], y[i], i]);
    }
    return found;
  }

  visible() {
    return this.data.series
      .map((series, index) => ({ series, index }))
      .filter(({ index }) => this.shown[index]);
  }

  canLog(which) {
    return this.data.series.some((s) =>
      (which === "x" ? s.x[this.against] : s.y).some((v) => v !== null && v > 0));
  }

  limits(which) {
    if (this.zoom[which]) return this.zoom[which];
    let low = Infinity, high = -Infinity;
    const see = (v) => {
      if (v === null || v === undefined || (this.log[which] && v <= 0)) return;
      low = Math.min(low, v);
      high = Math.max(high, v);
    };
    for (const { series } of this.visible()) {
      for (const point of this.points(series)) see(point[which === "x" ? 0 : 1]);
      if (which === "y" && series.high) series.high.forEach(see);
    }
    if (low > high) return this.log[which] ? [0.1, 10] : [0, 1];
    return this.padded(which, low, high);
  }

  padded(which, low, high) {
    if (this.log[which]) {
      const room = Math.max(0.02 * Math.log10(high / low), low === high ? 0.3 : 0);
      return [low / 10 ** (which === "x" ? 0 : room) / (low === high ? 2 : 1), high * 10 ** room];
    }
    const room = high === low ? Math.max(1, Math.abs(low)) * 0.5 : 0.03 * (high - low);
    return [which === "x" && high > low ? low : low - room, high + room];
  }

  draw() {
    const width = Math.max(260, this.place.clientWidth);
    const height = Math.round(Math.min(430, Math.max(270, width * 0.52)));
    this.box = {
      left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom,
    };
    const { left, right, top, bottom } = this.box;
    this.x = axis(this.log.x, this.limits("x"), [left, right]);
    this.y = axis(this.log.y, this.limits("y"), [bottom, top]);
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true" });
    const clip = svg("clipPath", { id: this.clip },
      svg("rect", { x: left, y: top, width: right - left, height: bottom - top }));
    this.lines = svg("g", { "clip-path": `url(#${this.clip})` });
    root.append(svg("defs", {}, clip), this.grid(width), this.lines);
    for (const { series, index } of this.visible()) this.drawSeries(series, index);
    root.append(svg("rect", {
      class: "frame", x: left, y: top, width: right - left, height: bottom - top }));
    this.over = svg("g");
    root.append(this.over);
    this.place.querySelector("svg")?.remove();
    this.place.prepend(root);
  }

  grid(width) {
    const { left, right, top, bottom } = this.box, group = svg("g");
    for (const { value, label } of ticks(this.x, Math.max(3, Math.floor(width / 95)))) {
      const x = this.x.place(value);
      group.append(svg("line", { class: "grid", x1: x, x2: x, y1: top, y2: bottom }),
        svg("text", { class: "tick-x", x, y: bottom + 17, "text-anchor": "middle" }, label));
    }
    for (const { value, label } of ticks(this.y, 7)) {
      const y = this.y.place(value);
      group.append(svg("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }),
        svg("text", { class: "tick-y", x: left - 8, y: y + 4, "text-anchor": "end" }, label));
    }
    const middle = (top + bottom) / 2;
    group.append(
      svg("text", { x: (left + right) / 2, y: bottom + 37, "text-anchor": "middle" }, this.against),
      svg("text", { x: 0, y: 0, transform: `translate(13,${middle}) rotate(-90)`,
        "text-anchor": "middle" }, this.data.y));
    return group;
  }

  drawSeries(series, index) {
    const points = this.points(series), stroke = color(series, index);
    const place = ([x, y]) => `${this.x.place(x).toFixed(1)},${this.y.place(y).toFixed(1)}`;
    if (series.high) this.drawBand(series, points, stroke);
    if (!points.length) return;
    this.lines.append(svg("path", {
      class: series.quiet ? "line quiet" : "line", "data-series": series.name, stroke,
      d: "M" + points.map(place).join("L"), "stroke-dasharray": dash(series, index),
    }));
    if (series.quiet) return;
    let next = this.box.left + 12 + 19 * (index % 5);
    for (const [x, y] of points) {
      const px = this.x.place(x), py = this.y.place(y);
      if (px < next || px > this.box.right || py < this.box.top || py > this.box.bottom) continue;
      this.lines.append(marker(px, py, series, index));
      next = px + 95;
    }
  }

  drawBand(series, points, fill) {
    const clamp = (y) => Math.max(-1e4, Math.min(1e4, y));
    const at = (x, y) => {
      const zero = y === null || y === undefined || (this.log.y && y <= 0);
      const level = zero ? (this.log.y ? 1e4 : this.y.place(0)) : this.y.place(y);
      return `${this.x.place(x).toFixed(1)},${clamp(level).toFixed(1)}`;
    };
    const some = points.filter(([, , i]) => series.high[i] !== null);
    if (!some.length) return;
    const upper = some.map(([x, , i]) => at(x, series.high[i]));
    const lower = some.map(([x, , i]) => at(x, series.low ? series.low[i] : null)).reverse();
    this.lines.append(svg("path", { class: "band", fill, d: "M" + [...upper, ...lower].join("L") + "z" }));
  }

  // The values of all visible curves at the x nearest to a pixel.
  nearest(pixel) {
    const rows = [];
    let best = Infinity, at = null;
    for (const { series, index } of this.visible()) {
      let close = null, apart = Infinity;
      for (const point of this.points(series)) {
        const distance = Math.abs(this.x.place(point[0]) - pixel);
        if (distance < apart) [close, apart] = [point, distance];
      }
      if (close === null || apart > 40) continue;
      rows.push({ series, index, x: close[0], y: close[1] });
      if (apart < best) [best, at] = [apart, close[0]];
    }
    rows.sort((a, b) => b.y - a.y);
    return { at, rows };
  }
}
