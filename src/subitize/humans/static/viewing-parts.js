// Small parts that pages are built of.

/** An element with properties and children; text stays text. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

export function link(href, text, className = "") {
  return element("a", { href, className }, text);
}

/** A whole number with commas between its thousands, as reports and the terminal have them. */
export const counted = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

/** An SVG element with attributes and children. */
export function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** What is chosen, as it stands in the address. */
export const chosen = () => new URLSearchParams(location.search);

/** The address with some choices changed; an empty value takes one away. */
export function changed(changes, keepPage = false) {
  const params = chosen();
  if (!keepPage) params.delete("page");
  for (const [name, value] of Object.entries(changes)) {
    params.delete(name);
    for (const one of [value].flat()) if (one !== "" && one !== null) params.append(name, one);
  }
  return `?${params}`;
}
