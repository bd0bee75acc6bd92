// Computes the contrast between the texts of a page and their background, by the formula of WCAG 2.

/** Runs in the page. Returns the number of visible texts, and the texts with less than this contrast. */
export function faintTexts(min) {
  const luminance = (color) => {
    const [red, green, blue] = color.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const parts = (color) => color.match(/[\d.]+/g).map(Number);
  const background = (element) => {
    for (let outer = element; outer; outer = outer.parentElement) {
      const [red, green, blue, alpha = 1] = parts(getComputedStyle(outer).backgroundColor);
      if (alpha === 1) return [red, green, blue];
      if (alpha !== 0) throw new Error(`half-transparent background: ${outer.outerHTML.slice(0, 100)}`);
    }
    throw new Error("no background");
  };
  const contrast = (color, element) => {
    const [low, high] = [luminance(parts(color).slice(0, 3)), luminance(background(element))].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("datalist")) continue;
    const style = getComputedStyle(element);
    texts.push([walker.currentNode.data, element instanceof SVGElement ? style.fill : style.color, element]);
  }
  for (const input of document.querySelectorAll("input")) {
    if (!input.checkVisibility() || ["checkbox", "range"].includes(input.type)) continue;
    texts.push([`input ${input.name}`, getComputedStyle(input).color, input]);
    texts.push([`placeholder ${input.placeholder}`, getComputedStyle(input, "::placeholder").color, input]);
  }
  const faint = texts.filter(([, color, element]) => contrast(color, element) < min);
  return { seen: texts.length, faint: faint.map(([text, color]) => `${text.trim().slice(0, 60)}: ${color}`) };
}
