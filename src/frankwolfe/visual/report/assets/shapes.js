"use strict";
// Small drawings: elements, dashes and markers, which tell lines apart without colour.

const DASHES = ["", "7 3", "8 3 2 3", "2 2.5", "12 3", "5 2 2 2 2 2", "1.5 1.5"];
const QUIET_DASHES = ["1 3", "6 4", "10 3 1 3"];
const COLORS = 7;

function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const MARKERS = [
  (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`,
  (r) => `M${-r},${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (r) => `M0,${-1.2 * r}L${1.1 * r},${r}H${-1.1 * r}z`,
  (r) => `M0,${-1.3 * r}L${1.3 * r},0L0,${1.3 * r}L${-1.3 * r},0z`,
  (r) => `M0,${1.2 * r}L${1.1 * r},${-r}H${-1.1 * r}z`,
  (r) => `M${-r},0H${r}M0,${-r}V${r}`,
  (r) => `M${-r},${-r}L${r},${r}M${-r},${r}L${r},${-r}`,
];

function color(series, index) {
  return series.quiet ? "var(--quiet)" : `var(--s${index % COLORS})`;
}

function dash(series, index) {
  return series.quiet ? QUIET_DASHES[index % 3] : DASHES[index % DASHES.length];
}

function marker(x, y, series, index) {
  return svg("path", {
    class: "mark",
    d: MARKERS[(index + Math.floor(index / COLORS)) % MARKERS.length](3.2),
    transform: `translate(${x.toFixed(1)},${y.toFixed(1)})`,
    stroke: color(series, index),
  });
}

function swatch(series, index) {
  const stroke = color(series, index);
  const line = svg("path", {
    class: "line", d: "M0,6H30", stroke, "stroke-dasharray": dash(series, index),
  });
  const drawing = svg("svg", { class: "swatch", viewBox: "0 0 30 12", "aria-hidden": "true" }, line);
  if (!series.quiet) drawing.append(marker(15, 6, series, index));
  return drawing;
}
