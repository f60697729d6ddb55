// SPDX-License-Identifier: Apache-2.0
// Numbers and lists as a person says them. Counts come as decimal texts, since they may be of any length.

/** A count with its thousands apart; one that nobody reads digit by digit as a power of ten. */
export function grouped(count) {
  const digits = String(count);
  if (digits.length > 24) return `about 10^${digits.length - 1}`;
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** A count in its scope: of instances, or of cells. */
export function ofInstances(count, total, unit = "instance") {
  if (total === "1") return count === "0" ? `no ${unit}` : `the only ${unit}`;
  if (count === "0") return `none of ${grouped(total)} ${unit}s`;
  return count === total ? `all ${grouped(total)} ${unit}s` : `${grouped(count)} of ${grouped(total)} ${unit}s`;
}

/** A probability, to four digits; never rounded to all or nothing. */
export function chance(p) {
  if (p === null || p === undefined) return "unknown";
  if (p > 0 && p < 0.00005) return p.toExponential(1);
  if (p < 1 && p > 0.99995) return "over 0.9999";
  return String(Number(p.toPrecision(4)));
}

/** An exact number, as it is if that is short. */
export function shortly(text) {
  if (text.length <= 8) return text;
  const [above, below] = text.split("/");
  const value = below === undefined ? Number(text) : Number(above) / Number(below);
  return Number.isFinite(value) ? `≈ ${Number(value.toPrecision(5))}` : text.slice(0, 9) + "…";
}

export function features(instance) {
  return Object.entries(instance).map(([name, value]) => `${name}=${value}`).join(", ");
}

/** What share a count is of a total, as a number; both may be too long for one. */
export function share(count, total) {
  const digits = Math.max(total.length - 15, 0);
  return Number(count.slice(0, Math.max(count.length - digits, 0)) || 0) / Number(total.slice(0, total.length - digits));
}

export const plural = (n, one, many = one + "s") => `${n} ${Number(n) === 1 ? one : many}`;
