"use strict";
// Axes: where a value lies between two limits, which values get a line, how a number is written.

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function powerOfTen(exponent) {
  const digits = String(Math.abs(exponent)).replace(/\d/g, (d) => SUPERSCRIPTS[d]);
  return "10" + (exponent < 0 ? "⁻" : "") + digits;
}

function write(value, digits = 4) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) {
    const rounded = Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(size)))));
    return rounded.toLocaleString("en-US", { maximumFractionDigits: 12 }).replace("-", "−");
  }
  const [mantissa, exponent] = value.toExponential(digits - 2).split("e");
  const trimmed = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  const power = powerOfTen(Number(exponent));
  return (trimmed === "1" ? power : trimmed + "·" + power).replace("-", "−");
}

function axis(log, limits, pixels) {
  const to = log ? Math.log10 : (v) => v;
  const from = log ? (t) => 10 ** t : (t) => t;
  const [low, high] = limits.map(to);
  const place = (v) => pixels[0] + ((to(v) - low) / (high - low)) * (pixels[1] - pixels[0]);
  const value = (p) => from(low + ((p - pixels[0]) / (pixels[1] - pixels[0])) * (high - low));
  return { log, limits, place, value, from: (t) => from(low + t * (high - low)) };
}

function ticks(scale, most) {
  return scale.log ? logTicks(scale.limits, most) : linearTicks(scale.limits, most);
}

function linearTicks([low, high], most) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((m) => m * power >= rough * 0.999999);
  const size = Math.max(Math.abs(low), Math.abs(high));
  const digits = Math.min(17, Math.max(3, Math.ceil(Math.log10(size / step)) + 2));
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) {
    found.push({ value: i * step, label: write(Number((i * step).toPrecision(15)), digits) });
  }
  return found;
}

function logTicks([low, high], most) {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  if (last - first < 1) return withinADecade([low, high], most);
  const every = Math.max(1, Math.ceil((last - first + 1) / most));
  const found = [];
  for (let e = Math.ceil(first / every) * every; e <= last; e += every) {
    const label = e >= 0 && e < 4 ? write(10 ** e) : powerOfTen(e);
    found.push({ value: 10 ** e, label });
  }
  return found;
}

function withinADecade([low, high], most) {
  const found = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++) {
    for (const m of [1, 2, 5]) {
      const value = m * 10 ** e;
      if (value >= low && value <= high) found.push({ value, label: write(value) });
    }
  }
  return found.length > 1 ? found : linearTicks([low, high], Math.min(most, 4));
}
